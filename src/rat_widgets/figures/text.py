"""The tree in words: plain text with box-drawing lines, and an HTML table."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from rat_widgets.figures.flow import one_line, shortened
from rat_widgets.figures.metrics import ELLIPSIS
from rat_widgets.figures.tree_content import (
    BranchContent,
    LeafContent,
    TreeContent,
    node_labels_text,
    tree_content,
)
from rat_widgets.views import sentences, wording
from rat_widgets.views.levels import TreeKeys
from rat_widgets.views.tree import TreeView

__all__ = ["tree_table_html", "tree_text"]

_COLUMNS: Final = 80
_SIGNS: Final = {"good": "\N{CHECK MARK}", "bad": "\N{BALLOT X}", "partly": "~"}
_VERDICTS: Final = {"good": "right by policy", "bad": "wrong by policy", "partly": "in between"}

_COUNT_AT: Final = 54
_WORDS_WIDTH: Final = _COUNT_AT - 4
_ROWS_WIDTH: Final = 11


def tree_text(view: TreeView) -> str:
    """The tree as text for a terminal, 80 columns wide where names and numbers allow it.

    Headline, statistics, the tree with queries of 100 and label counts, notes; the same words
    and numbers as in the picture.
    """
    content = tree_content(view)
    lines = []
    if content.name:
        place = f" ({content.place})" if content.place else ""
        lines += [one_line(content.name) + place, ""]
    lines += _wrapped(sentences.plain(content.headline))
    lines += _wrapped(sentences.plain(content.deck)) if content.deck else []
    for note in content.notes:
        mark = "" if note.level == "info" else f"{note.level.capitalize()}: "
        lines += _wrapped(mark + one_line(note.text))
    lines.append("")
    lines += _stat_lines(content)
    lines.append("")
    lines += _tree_lines(content)
    if any(leaf.labels.possible for leaf in content.leaves):
        lines += ["", "+n?: n more rows lack a label and may belong there."]
    task = f"{content.task_total} with a {content.task_head}"
    lines += ["", f"Of 100 queries: {task}; {_policy(content)}."]
    if content.others:
        lines.append("")
        lines += [f"{words:<34}{estimate.text}" for words, estimate in content.others]
    lines += ["", *_wrapped(content.rows)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _COLUMNS, break_long_words=False, break_on_hyphens=False)


def _policy(content: TreeContent) -> str:
    if content.is_utility:
        return f"utility {content.policy_total} a query"
    if content.policy_head == "right by policy":
        return f"{content.policy_total} {content.policy_head}"
    return f"policy score {content.policy_total}"


def _stat_lines(content: TreeContent) -> list[str]:
    """Name, symbol and estimate of the numbers above the tree, in columns."""
    rows = [
        (_fitted(stat.label, 28), _cut(stat.symbol, 24), stat.estimate.text)
        for stat in content.stats
    ]
    label = max(20, *(len(row[0]) + 2 for row in rows))
    symbol = max(6, *(len(row[1]) + 2 for row in rows))
    return [f"{row[0]:<{label}}{row[1]:<{symbol}}{row[2]}" for row in rows]


def _fitted(words: str, n: int) -> str:
    """The words in `n` characters, where the name of a level among them can be cut for that."""
    return shortened(words, lambda text: len(text) <= n, 1)


def _cut(text: str, n: int) -> str:
    return text if len(text) <= n else text[: n - 1] + ELLIPSIS


def _row(words: str, count: str, share: str, rows: str) -> str:
    """Words at the left, whole queries up to column 53, the share, rows at the right end."""
    head = f"{words:<{_WORDS_WIDTH}}{count:>4}  {share:<13}"
    return f"{head}{rows:>{max(1, _COLUMNS - len(head))}}"


def _tree_lines(content: TreeContent) -> list[str]:
    leaves = {leaf.world: leaf for leaf in content.leaves}
    lines = [_row("", "/100", "share", "rows")]
    for lead, below, key in _tree(content.keys):
        if not key:
            lines += textwrap.wrap(f"All 100 queries; {content.root}", _COLUMNS)
            continue
        if key in leaves:
            lines += _leaf_lines(leaves[key], lead)
            continue
        branch = content.branches[key]
        asked = f": {branch.question}{branch.answer}{branch.tail}"
        words = f"{lead}{_fitted(branch.title, _WORDS_WIDTH - len(lead + asked))}{asked}"
        lines.append(_row(words, "", branch.estimate.text, ""))
        lead_on = f"{below}│  "
        lines += [lead_on + part for part in textwrap.wrap(branch.seen, _COLUMNS - len(lead_on))]
    return lines


def _tree(keys: TreeKeys) -> Iterator[tuple[str, str, str]]:
    """Lines before each part, lines before what belongs to it, its key ("": all queries)."""
    yield "", "", "" if keys.is_graded else keys.top.retrieval
    for band in keys.bands:
        is_last = keys.is_graded or band is keys.bands[-1]
        if keys.is_graded:
            yield "", "", band.retrieval
        turn, lead = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        yield turn, lead, band.abstain
        yield f"{lead}├─ ", f"{lead}│  ", band.correct
        yield f"{lead}│  ├─ ", "", band.right
        yield f"{lead}│  └─ ", "", band.wrong
        yield f"{lead}└─ ", "", band.abstained


def _leaf_lines(leaf: LeafContent, lead: str) -> list[str]:
    """The world, and below it what does not fit beside it."""
    said = _fitted(leaf.words, _WORDS_WIDTH - 2 - len(lead))
    words = f"{lead}{_SIGNS[leaf.verdict]} {said}"
    rows = _rows(leaf)
    below = [f"weight {leaf.weight}"] if _has_factor(leaf) else []
    if len(rows) > _ROWS_WIDTH:
        rows = leaf.rows
        below.append(f"{wording.count(leaf.labels.possible)} more rows may belong here")
    lines = [_row(words, leaf.count, leaf.estimate.text, rows)]
    if below:
        lead_on = lead.replace("├─", "│ ").replace("└─", "  ")
        lines.append(f"{lead_on}  {'; '.join(below)}")
    return lines


def _has_factor(leaf: LeafContent) -> bool:
    return leaf.in_policy not in ("", leaf.count)


def _rows(leaf: LeafContent) -> str:
    possible = f"+{wording.count(leaf.labels.possible)}?" if leaf.labels.possible else ""
    return leaf.rows + possible


def tree_table_html(view: TreeView) -> str:
    """The tree as an HTML table for places without JavaScript; every text is escaped.

    The caption is the headline. Nothing is loaded, and colours come from the host page.
    """
    content = tree_content(view)
    cells: list[str] = []
    cells += _section("Statistics")
    for stat in content.stats:
        words = f"{stat.label}, {stat.symbol}" if stat.symbol else stat.label
        cells.append(_tr(words, "", stat.estimate.text, ""))
    cells += [_tr(words, "", estimate.text, "") for words, estimate in content.others]
    cells += _section("Steps")
    cells += [_branch_row(branch) for branch in content.branches.values()]
    cells += _section("Outcomes")
    cells += [_leaf_row(leaf) for leaf in content.leaves]
    name = ""
    if content.name:
        place = f" ({_escape(content.place)})" if content.place else ""
        name = f"<p><bdi>{_escape(one_line(content.name))}</bdi>{place}</p>"
    notes = "".join(f"<p>{_escape(one_line(note.text))}</p>" for note in content.notes)
    deck = f"<p>{_escape(sentences.plain(content.deck))}</p>" if content.deck else ""
    style = ' style="text-align:left"'
    head = "".join(
        f'<th scope="col"{style}>{text}</th>'
        for text in ("What", "Of 100 queries", "Share and interval", "Rows")
    )
    return (
        f'<div class="rat-table">{name}<table>'
        f"<caption{style}>{_escape(sentences.plain(content.headline))}</caption>"
        f"<thead><tr>{head}</tr></thead>{''.join(cells)}</tbody></table>"
        f"{deck}{notes}<p>{_escape(content.rows)}</p></div>"
    ).replace("</thead></tbody>", "</thead>", 1)


def _escape(text: str) -> str:
    return html.escape("".join(c if c.isprintable() or c >= "\u2000" else " " for c in text))


def _section(title: str) -> list[str]:
    return [
        "</tbody><tbody>"
        f'<tr><th colspan="4" scope="rowgroup" style="text-align:left">{_escape(title)}</th></tr>'
    ]


def _tr(words: str, count: str, share: str, rows: str) -> str:
    cells: Sequence[str] = (count, share, rows)
    row = f'<th scope="row" style="text-align:left;font-weight:normal">{_escape(words)}</th>'
    row += "".join(f'<td style="text-align:left">{_escape(cell)}</td>' for cell in cells)
    return f"<tr>{row}</tr>"


def _branch_row(branch: BranchContent) -> str:
    question = branch.question + branch.answer + branch.tail
    words = f"{branch.title}: {branch.phrase[0].lower()}{branch.phrase[1:]}"
    seen = node_labels_text(branch.letter, branch.labels)
    return _tr(words, question, branch.estimate.text, seen)


def _leaf_row(leaf: LeafContent) -> str:
    policy = f"weight {leaf.weight}" if _has_factor(leaf) else _VERDICTS[leaf.verdict]
    words = f"{leaf.words} ({policy})"
    return _tr(words, leaf.count, leaf.estimate.text, leaf.seen)
