"""One HTML file that holds the view, the component that shows it, and a picture without it.

Nothing in the page asks the network, and its content security policy forbids it to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from rat_widgets._markup import prose_html
from rat_widgets._static import static_text
from rat_widgets.views import codec
from rat_widgets.views.allocation import AllocationView
from rat_widgets.views.judge import JudgeView
from rat_widgets.views.tree import TreeView

__all__ = ["Section", "page", "rows_table", "view_section"]

# A worker's script is a text on the page too: it comes from a blob, not from anywhere else.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "worker-src blob:"
)

_STYLE = """
:root { color-scheme: light dark; --page: #fff; }
body { margin: 0; background: var(--page); color: #191d23;
  font: 14px/1.45 Inter, system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial,
    sans-serif; }
main { max-width: 1600px; margin: 0 auto; }
.prose { padding: 8px 24px; max-width: 1100px; overflow-wrap: anywhere; }
.prose h1 { font-size: 22px; margin: 16px 0 4px; }
.prose h2 { font-size: 17px; margin: 16px 0 8px; }
.prose table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.prose caption { padding-top: 12px; text-align: left; font-weight: 600; }
.prose th, .prose td { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; }
.prose h1 + p { margin: 0; color: color-mix(in srgb, currentColor 65%, transparent); }
.prose td:nth-child(2), .prose td:nth-child(3) { white-space: nowrap; }
.prose th, .prose td { overflow-wrap: break-word; }
.prose td:first-child { min-width: 7em; overflow-wrap: anywhere; }
.prose td:last-child { min-width: 8em; }
.prose .sentences td:nth-child(n) { white-space: normal; }
.prose .named th:first-child { position: sticky; left: 0; background: var(--page);
  font-weight: inherit; overflow-wrap: anywhere; }
.prose .named thead th:first-child { font-weight: 600; }
.prose .named td:nth-child(n) { white-space: nowrap; }
.prose .named td:last-child { min-width: 12em; white-space: normal; }
.prose .named.sentences td:nth-child(2) { min-width: 6em; white-space: normal;
  overflow-wrap: anywhere; }
.name { display: -webkit-box; overflow: hidden; min-width: 7em; max-width: 24em;
  -webkit-box-orient: vertical; -webkit-line-clamp: 3; unicode-bidi: isolate; }
.prose .scroll { overflow-x: auto; }
.prose .tall { max-height: 80vh; overflow-y: auto; }
.prose .tall td { white-space: nowrap; }
.prose summary h2 { display: inline; cursor: pointer; }
.rat-mount:has(.rat-tree, .rat-judges, .rat-allocation) > .rat-fallback { display: none; }
.rat-fallback { padding: 8px 24px; }
.rat-fallback figure { margin: 0 0 16px; overflow-x: auto; }
.rat-fallback svg { display: block; max-width: 100%; min-width: 760px; height: auto; }
.rat-table table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.rat-table { overflow-wrap: anywhere; }
.rat-table td { min-width: 4em; }
.rat-table th, .rat-table td { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; }
@media (max-width: 620px) {
  .prose, .rat-fallback { padding: 8px 16px; }
  .prose table:not(.named) td:last-child { min-width: 4em; white-space: normal;
    overflow-wrap: anywhere; }
  .prose table:not(.named) td:first-child { min-width: 5em; }
  .named.sentences thead { position: absolute; overflow: hidden; width: 1px; height: 1px;
    clip-path: inset(50%); }
  .prose .named.sentences tr { display: block; padding: 6px 0; }
  .prose .named.sentences :is(th, td):nth-child(n) { display: block; padding: 1px 0; }
  .named.sentences th .name { font-weight: 600; }
  .prose .named.sentences td:nth-child(n):empty { display: none; }
  .named.sentences td::before { content: attr(data-of) " ";
    color: color-mix(in srgb, currentColor 65%, transparent); }
}
@media (prefers-color-scheme: dark) {
  :root { --page: #12151a; }
  body { color: #e7eaee; }
}
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A piece of a page: markup that was made safe, and the style sheet of a live component.

    `style` is the name of a built file; None where there is no component. `css` are rules of its
    own, which stand once in a page.
    """

    html: str
    style: str | None = None
    css: str = ""


def page(title: str, sections: Sequence[Section]) -> str:
    """The whole page.

    Parameters
    ----------
    title : str
        Shown by the browser; escaped here.
    sections : sequence of Section
    """
    sheets = dict.fromkeys(s.style for s in sections if s.style is not None)
    rules = dict.fromkeys(s.css for s in sections)
    style = _STYLE + "".join(rules) + "".join(static_text(name) for name in sheets)
    script = f"<script>{_inline(_script_of(sheets))}</script>\n" if sheets else ""
    body = "\n".join(s.html for s in sections)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n{script}</body>\n</html>\n"
    )


def _script_of(sheets: Iterable[str]) -> str:
    """The script of a page with these style sheets: for one kind of view, or for all of them."""
    kinds = [name.removesuffix(".css") for name in sheets]
    return _script_of_one(kinds[0]) if len(kinds) == 1 else static_text("report.js")


def _script_of_one(kind: str) -> str:
    """The widget's module as a script, and what a page does with the `mount` that it exports."""
    module, _, exported = static_text(f"{kind}.js").rpartition("export{")
    pairs = (one.split(" as ") for one in exported.strip().rstrip(";").rstrip("}").split(","))
    mount = next(pair[0] for pair in pairs if pair[-1] == "mount")
    start = f"ratPage.mountWhenReady(document,{{{kind}:{mount}}});"
    return f'(()=>{{"use strict";{module}{static_text("page.js")}{start}}})();'


def view_section(view: TreeView | JudgeView | AllocationView, *, fallback: str) -> Section:
    """A live view; `fallback` is safe markup that stands there without JavaScript."""
    data = codec.to_json(view).replace("<", "\\u003c")
    return Section(
        html='<div class="rat-mount">'
        f'<script type="application/json" class="rat-view">{data}</script>'
        f'<div class="rat-fallback">{fallback}</div></div>',
        style=f"{view.kind}.css",
    )


def heading(title: str, generator: str) -> Section:
    """The title of a report, and who wrote it."""
    return Section(
        html=f'<header class="prose"><h1>{escape(title)}</h1><p>{escape(generator)}</p></header>'
    )


def safe_section(title: str, html: str) -> Section:
    """A section of markup that was made safe by its maker."""
    return Section(
        html=f'<section class="prose"><h2>{escape(title)}</h2>'
        f'<div class="scroll">{html}</div></section>'
    )


def rows_table(
    title: str,
    columns: Iterable[object],
    rows: Iterable[Iterable[object]],
    *,
    note: str = "",
    are_sentences: bool = False,
    has_names: bool = False,
    is_folded: bool = False,
) -> Section:
    """Rows as a table, every value escaped; a row's values stand in the order of the columns.

    Parameters
    ----------
    title : str
    columns : names; a row of empty names has no head
    rows : values
    note : str
        A sentence above the table.
    are_sentences : bool
        Cells hold sentences of ours: lines break, and what stands in backticks is code.
    has_names : bool
        The first column holds names of systems: heads of their rows, in view while the others
        scroll, and cut after three lines, where a tooltip has them in full. With sentences a row
        is a block on a narrow page.
    is_folded : bool
        Shut until the reader opens it, and no taller than the window.
    """
    names = [str(c) for c in columns]
    inner = [escape(name) for name in names]
    if has_names:
        inner[0] = _named(names[0])
    head = "".join(f'<th scope="col">{name}</th>' for name in inner)
    head = f"<thead><tr>{head}</tr></thead>" if any(names) else ""
    cell = prose_html if are_sentences else escape
    kinds = ["named"] * has_names + ["sentences"] * are_sentences
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    if has_names and are_sentences:
        body = "".join(_block(row, names, cell) for row in rows)
        kind += ' role="table"'  # a row that is a block on the page stays a row to those who listen
    else:
        body = "".join(f"<tr>{_row(row, cell, has_names=has_names)}</tr>" for row in rows)
    table = f"<table{kind}>{head}<tbody>{body}</tbody></table>"
    said = f"<p>{prose_html(note)}</p>" if note else ""
    if is_folded:
        inside = (
            f"<details><summary><h2>{escape(title)}</h2></summary>{said}"
            f'<div class="scroll tall" tabindex="0">{table}</div></details>'
        )
    else:
        inside = f'<h2>{escape(title)}</h2>{said}<div class="scroll" tabindex="0">{table}</div>'
    return Section(html=f'<section class="prose">{inside}</section>')


def _row(row: Iterable[object], cell: Callable[[str], str], *, has_names: bool) -> str:
    """Cells of a row, the first one its head where it is a name."""
    first, *rest = map(_cell, row)
    lead = f'<th scope="row">{_named(first)}</th>' if has_names else f"<td>{cell(first)}</td>"
    return lead + "".join(f"<td>{cell(value)}</td>" for value in rest)


def _block(row: Iterable[object], names: Sequence[str], cell: Callable[[str], str]) -> str:
    """A row that may become a block, whose cells then say what they are of."""
    first, *rest = map(_cell, row)
    cells = "".join(
        f'<td role="cell" data-of="{escape(name)}">{cell(value)}</td>'
        for name, value in zip(names[1:], rest, strict=True)
    )
    return f'<tr role="row"><th scope="row" role="rowheader">{_named(first)}</th>{cells}</tr>'


def _named(name: str) -> str:
    return f'<span class="name" title="{escape(name)}">{escape(name)}</span>'


def _cell(value: object) -> str:
    """A value as text; nothing for None, NaN, NaT and NA."""
    text = "" if value is None else str(value)
    return "" if text in ("nan", "NaT", "<NA>") and not isinstance(value, str) else text


def _inline(script: str) -> str:
    """A script that cannot end its own element early."""
    script = re.sub(r"</(script)", r"<\\/\1", script, flags=re.IGNORECASE)
    return script.replace("<!--", "<\\!--")
