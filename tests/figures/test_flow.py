"""Text that flows into lines, and what is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.figures.flow import one_line, wrap
from rat_widgets.figures.metrics import ELLIPSIS, cut, text_width
from rat_widgets.figures.scene import Run

WORDS = st.lists(
    st.text(alphabet="abcdefgmw.,13%–", min_size=1, max_size=9), min_size=1, max_size=30
)


def _text(lines) -> list[str]:
    return ["".join(run.text for run in line) for line in lines]


@given(WORDS, st.floats(110, 600), st.integers(1, 5))
def test_wrapping_loses_no_word_and_keeps_to_the_width(words, width, every):
    runs = [
        Run(text=word + " ", weight=600 if i % every == 0 else 400) for i, word in enumerate(words)
    ]
    lines = wrap(runs, width)
    assert " ".join(_text(lines)).split() == words
    for line in lines:
        assert sum(run.width for run in line) <= width + 1e-9
        assert not line[0].text.startswith(" ")


@given(WORDS)
def test_wide_lines_are_not_broken(words):
    assert _text(wrap([Run(text=" ".join(words))], 1e6)) == [" ".join(words)]


def test_a_run_that_belongs_together_is_not_broken():
    runs = [Run(text="Of 100 queries, 33"), Run(text=" (0.19 to 0.29)"), Run(text=".")]
    lines = _text(wrap(runs, 150, together=frozenset({" (0.19 to 0.29)"})))
    assert any("(0.19 to 0.29)." in line for line in lines)


def test_the_last_line_does_not_hold_a_single_word():
    words = "one two three four five six"
    width = text_width("one two three four five", 14) + 5
    assert _text(wrap([Run(text=words)], width)) == ["one two three four", "five six"]


@given(st.text(max_size=60), st.floats(20, 400))
def test_cut_text_fits_and_is_a_beginning(text, width):
    shown = cut(text, width, 14)
    assert text_width(shown, 14) <= max(width, text_width(ELLIPSIS, 14))
    assert shown == text or text.startswith(shown.removesuffix(ELLIPSIS).rstrip())


def test_a_cut_does_not_part_joined_emoji():
    family = "👩\u200d👩\u200d👧"
    for width in range(10, 120, 5):
        shown = cut(family * 8, width, 14)
        assert shown.removesuffix(ELLIPSIS).replace(family, "") == ""


@given(st.text(max_size=80))
def test_one_line_has_no_control_character(text):
    assert all(c.isprintable() or c in "\u200c\u200d" for c in one_line(text))


def test_widths_agree_with_a_real_font():
    # Measured with Chromium's canvas, Inter, 400, 100 px: 1.88 em and 17.63 em (38 letters).
    assert 0.95 < text_width("no evidence, right by luck or by heart", 100) / 1763 < 1.12
