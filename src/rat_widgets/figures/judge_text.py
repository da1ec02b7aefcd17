"""Judges in words: plain text for a terminal, and an HTML table."""

from __future__ import annotations

import textwrap
from html import escape
from typing import Final

from rat_widgets.figures.flow import one_line, without_controls
from rat_widgets.figures.judge_content import JudgeCard, JudgeContent, judge_content
from rat_widgets.views import sentences
from rat_widgets.views.judge import JudgeView

__all__ = ["judge_table_html", "judge_text"]

_COLUMNS: Final = 80


def judge_text(view: JudgeView) -> str:
    """The judges as text, 80 columns wide: the same words and numbers as in the picture."""
    content = judge_content(view)
    lines = []
    if content.name:
        place = f" ({content.place})" if content.place else ""
        lines += [one_line(content.name) + place, ""]
    lines += _wrapped(sentences.plain(content.headline))
    lines += _wrapped(sentences.plain(content.deck)) if content.deck else []
    for note in content.notes:
        mark = "" if note.level == "info" else f"{note.level.capitalize()}: "
        lines += _wrapped(mark + one_line(note.text))
    for card in content.cards:
        lines += ["", *_card_lines(card)]
    lines += ["", *_belief_lines(content)]
    lines += ["", *_wrapped(_worth(content)), "", *_wrapped(content.rows)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        _COLUMNS,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _card_lines(card: JudgeCard) -> list[str]:
    lines = _wrapped(f"{card.letter} {card.question} {one_line(card.key)}")
    for rate in card.rates:
        lines += _wrapped(rate.sentence, "  ")
    good, bad = card.things
    for level in card.levels:
        (_, one), (_, other) = level.shares
        lines += _wrapped(f"{level.said}: {one.text} of {good}, {other.text} of {bad}", "  ")
    for text in (card.line, card.seen):
        lines += _wrapped(text, "  ") if text else []
    if card.systems:
        lines += _wrapped(f"{card.systems_title}:", "  ")
    case = ""
    for system in card.systems:
        if system.case != case:
            case = system.case
            lines += _wrapped(f"{case}:", "   ")
        lines += _wrapped(f"{one_line(system.name)}: {system.said}", "    ")
    for note in card.warnings:
        lines += _wrapped(f"Warning: {note.text}", "  ")
    return lines


def _belief_lines(content: JudgeContent) -> list[str]:
    ways = [words for _, words, _, _ in content.beliefs[0].ways]
    lines = [f"{'':<20}" + "".join(f"{words:>20}" for words in ways)]
    for belief in content.beliefs:
        texts = "".join(f"{spread.text:>20}" for _, _, spread, _ in belief.ways)
        lines.append(f"{belief.name[:19]:<20}{texts}")
    return lines


def _worth(content: JudgeContent) -> str:
    (big, _), *rest = content.worth
    return f"{big} {sentences.plain(rest)}"


def judge_table_html(view: JudgeView) -> str:
    """The judges as HTML tables for places without JavaScript; every text is escaped."""
    content = judge_content(view)
    style = ' style="text-align:left"'
    ways = [words for _, words, _, _ in content.beliefs[0].ways]
    head = "".join(f'<th scope="col"{style}>{_escape(text)}</th>' for text in ("What", *ways))
    beliefs = "".join(
        _row(f"{b.name}, {b.symbol}" if b.symbol else b.name, *(s.text for _, _, s, _ in b.ways))
        for b in content.beliefs
    )
    cards = "".join(_card_table(card) for card in content.cards)
    name = ""
    if content.name:
        place = f" ({_escape(content.place)})" if content.place else ""
        name = f"<p><bdi>{_escape(one_line(content.name))}</bdi>{place}</p>"
    notes = "".join(f"<p>{_escape(one_line(note.text))}</p>" for note in content.notes)
    deck = f"<p>{_escape(sentences.plain(content.deck))}</p>" if content.deck else ""
    return (
        f'<div class="rat-table">{name}<table>'
        f"<caption{style}>{_escape(sentences.plain(content.headline))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{beliefs}</tbody></table>{deck}{notes}{cards}"
        f"<p>{_escape(_worth(content))}</p><p>{_escape(content.rows)}</p></div>"
    )


def _card_table(card: JudgeCard) -> str:
    style = ' style="text-align:left"'
    rows = "".join(
        _row(f"{rate.given} it {rate.does}, {rate.name}", rate.spread.text) for rate in card.rates
    )
    rows += "".join(_row(words, estimate.text) for words, estimate in card.others)
    for s in card.systems:
        what = f"{card.systems_title}, {s.case}" if s.case else card.systems_title
        rows += _row(f"{what}: {one_line(s.name)}", s.said)
    said = [text for text in (card.line, card.seen, *(n.text for n in card.warnings)) if text]
    notes = "".join(f"<p>{_escape(text)}</p>" for text in said)
    title = f"{card.letter} {card.question} <bdi>{_escape(one_line(card.key))}</bdi>"
    return f"<table><caption{style}>{title}</caption><tbody>{rows}</tbody></table>{notes}"


def _row(words: str, *cells: str) -> str:
    first = f'<th scope="row" style="text-align:left;font-weight:normal">{_escape(words)}</th>'
    return f"<tr>{first}" + "".join(f"<td>{_escape(cell)}</td>" for cell in cells) + "</tr>"


def _escape(text: str) -> str:
    return escape(without_controls(text))
