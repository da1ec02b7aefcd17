"""Names from data in sentences and tables of a report, whatever they are made of."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets._markup import named
from rat_widgets.report.page import rows_table

TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
ISOLATE, END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"


@given(st.text(max_size=200), st.integers(5, 80))
def test_a_name_in_a_sentence_is_one_short_line_that_turns_nothing_around_it(name, most):
    said = named(name, most=most)
    inside = said.removeprefix(ISOLATE).removesuffix(END)
    assert len(inside) <= most
    assert inside.splitlines() in ([inside], [])
    kinds = [unicodedata.bidirectional(c) for c in inside]
    assert not TURNS & set(kinds)
    assert (said != inside) or not {"R", "AL"} & set(kinds)
    assert said.startswith(ISOLATE) == said.endswith(END)


@pytest.mark.parametrize("name", ["gpt-4", "num-chunks 9 · GPT, 3.5", "naïve", "<b>", "日本語"])
def test_an_ordinary_name_is_said_as_it_is(name):
    assert named(name) == name


def test_a_long_name_is_cut_where_a_word_ends():
    assert named("one two three four", most=9) == "one two…"
    assert named("a" * 300) == "a" * 59 + "…"


def test_what_is_written_from_right_to_left_is_isolated():
    assert named("\N{RIGHT-TO-LEFT OVERRIDE}abc\N{POP DIRECTIONAL ISOLATE}") == "abc"
    assert named("שלום") == f"{ISOLATE}שלום{END}"


def test_the_head_of_a_row_has_the_name_in_full_and_as_a_tooltip():
    name = '"x' * 100
    html = rows_table("t", ["system", "n"], [[name, 1]], has_names=True).html
    quoted = name.replace('"', "&quot;")
    assert f'<th scope="row"><span class="name" title="{quoted}">{quoted}</span></th>' in html
    assert "<td>1</td>" in html
