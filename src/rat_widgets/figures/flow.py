"""Text that flows into lines of a given width."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from rat_widgets.figures.metrics import cut, text_width
from rat_widgets.figures.scene import Run

__all__ = ["named_lines", "one_line", "shortened", "without_controls", "wrap"]

_WORDS: Final = re.compile(r"\S+|\s+")

# Not printable by themselves, but they shape their neighbours.
_JOINING: Final = frozenset("\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")


def one_line(text: str) -> str:
    """The text with its line breaks, tabs and control characters as single spaces."""
    return " ".join(without_controls(text).split())


def without_controls(text: str) -> str:
    """The text with each line break, tab and control character as a space."""
    return "".join(c if c.isprintable() or c in _JOINING else " " for c in text)


def shortened(words: str, fits: Callable[[str], bool], size: float) -> str:
    """The words, with the name in “quotes” among them cut until they fit.

    Parameters
    ----------
    words : str
        With one name at most, which may hold quotes itself.
    fits : text -> bool
    size : float
        Size of the type, px: two of its squares are left of the name at least.
    """
    before, opened, rest = words.partition("“")
    name, closed, after = rest.rpartition("”")
    if not (opened and closed):
        return words
    text, width = words, text_width(name, size)
    while not fits(text) and width > 2 * size:
        width = max(2 * size, 0.92 * width)
        text = f"{before}“{cut(name, width, size)}”{after}"
    return text


def named_lines(run: Run, width: float, *, most: int = 2) -> list[tuple[Run, ...]]:
    """A run on lines of `width` px; a name in it is cut where it would take more than `most`."""

    def lines(text: str) -> list[tuple[Run, ...]]:
        return wrap([replace(run, text=text)], width, last_words=1)

    def fits(text: str) -> bool:
        made = lines(text)
        words = [word for line in made for part in line for word in part.text.split()]
        return len(made) <= most and words == text.split()

    return lines(shortened(run.text, fits, run.size))


def wrap(
    runs: Iterable[Run],
    width: float,
    *,
    together: frozenset[str] = frozenset(),
    last_words: int = 2,
) -> list[tuple[Run, ...]]:
    """Break runs of text at spaces into lines of at most `width` px.

    Parameters
    ----------
    runs : iterable of Run
        The text; a word may go on from one run into the next.
    width : float
        Width of a line, px. A single word that is wider is cut with an ellipsis.
    together : frozenset of str
        Texts of runs that are not broken.
    last_words : int
        The last of several lines holds at least so many words, where they fit.
    """
    words = _words(runs, together)
    lines: list[list[list[Run]]] = [[]]
    used = 0.0
    for gap, word in words:
        gap_width = sum(run.width for run in gap)
        word_width = sum(run.width for run in word)
        if lines[-1] and used + gap_width + word_width > width:
            lines.append([])
            used = 0.0
        fits = word if word_width <= width else _cut_word(word, width)
        lines[-1].append([*gap, *fits] if lines[-1] else list(fits))
        used += (gap_width if len(lines[-1]) > 1 else 0.0) + min(word_width, width)
    _fill_last(lines, width, last_words)
    return [_merge(run for word in line for run in word) for line in lines if line]


def _words(
    runs: Iterable[Run], together: frozenset[str]
) -> list[tuple[tuple[Run, ...], tuple[Run, ...]]]:
    """Pairs of the white space before a word and the word, each in runs."""
    words: list[tuple[list[Run], list[Run]]] = []
    is_open = False
    for run in runs:
        keep = run.text in together
        pieces = [run.text.strip()] if keep else _WORDS.findall(run.text)
        if keep and run.text[:1].isspace():
            pieces.insert(0, " ")
        for piece in pieces:
            if piece.isspace():
                words.append(([replace(run, text=" ")], []))
                is_open = True
            elif is_open:
                words[-1][1].append(replace(run, text=piece))
            else:
                words.append(([], [replace(run, text=piece)]))
                is_open = True
    return [(tuple(gap), tuple(word)) for gap, word in words if word]


def _cut_word(word: Sequence[Run], width: float) -> list[Run]:
    """The word with its widest run cut, so that punctuation of another style stays."""
    widest = max(range(len(word)), key=lambda i: word[i].width)
    run = word[widest]
    room = width - sum(other.width for i, other in enumerate(word) if i != widest)
    fits = replace(run, text=cut(run.text, room, run.size, run.weight))
    return [fits if i == widest else other for i, other in enumerate(word)]


def _fill_last(lines: list[list[list[Run]]], width: float, last_words: int) -> None:
    """Move words down into a last line that holds too few."""
    if len(lines) < 2:
        return
    while len(lines[-1]) < last_words and len(lines[-2]) > last_words:
        moved = lines[-2][-1]
        first = lines[-1][0]
        gap = replace(first[0], text=" ")
        room = width - sum(run.width for word in lines[-1] for run in word)
        if sum(run.width for run in moved) > room:
            return
        lines[-2].pop()
        lines[-1][0] = [gap, *first]
        lines[-1].insert(0, moved[1:] if moved[0].text == " " else moved)


def _merge(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Neighbours of the same style become one run."""
    merged: list[Run] = []
    for run in runs:
        if merged and replace(merged[-1], text=run.text) == run:
            merged[-1] = replace(run, text=merged[-1].text + run.text)
        else:
            merged.append(run)
    return tuple(merged)
