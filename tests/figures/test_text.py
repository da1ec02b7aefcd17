"""The tree in words: plain text and HTML table."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from rat_widgets.figures.flow import one_line
from rat_widgets.figures.text import tree_table_html, tree_text
from rat_widgets.views import sentences, words
from rat_widgets.views.levels import LEAVES


class _Reader(HTMLParser):
    """Tags, attributes, and the text of each cell."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_text_holds_every_estimate_as_the_view_words_it(view):
    text = tree_text(view)
    group = view.group
    for estimate in (*group.branches.values(), *group.worlds.values()):
        assert estimate.text in text
    for estimate in group.quantities.values():
        assert estimate.text in text


def test_text_opens_with_the_headline(view):
    flat = " ".join(tree_text(view).split())
    assert sentences.plain(view.headline()) in flat
    assert one_line(sentences.plain(view.deck())) in flat
    for note in view.group.notes:
        assert one_line(note.text) in flat


def test_text_keeps_to_eighty_columns(view):
    for line in tree_text(view).splitlines()[1:]:  # the first may be a group's name
        assert len(line) <= 80, line


def test_text_draws_a_band_for_each_level(build):
    text = tree_text(build.graded_view(build.three))
    assert text.count("\nAll 100 queries; R on 500 of 600 rows") == 1
    assert text.count("R on ") == 1
    heads = [f"\n{title}: in " for title in ("All the evidence", "Part of the evidence")]
    places = [text.index(part) for part in (*heads, "\nNo evidence: in ")]
    assert places == sorted(places)
    assert text.count("└─ With ") == 3
    assert text.count("✓") == 3
    assert text.count("✗") == 6


def test_text_draws_the_six_leaves_in_order(build):
    text = tree_text(build.view())
    places = [text.index(words.WORLD_WORDS[world]) for world in LEAVES]
    assert places == sorted(places)
    assert text.count("✓") == 2
    assert text.count("✗") == 4


def test_counts_of_a_hundred_add_up_in_the_text(view):
    lines = [line for line in tree_text(view).splitlines() if re.search(r"[✓✗~] ", line)]
    counts = [int(re.search(r"\s{2,}(\d+)  \S", line)[1]) for line in lines]
    assert sum(counts) == 100


def test_golden_tree(build):
    # At "qwen" P(T) = 0.3255 and P(G) = 0.5033: 33 and 50 of 100; by hand from the worlds
    # 13.64, 6.39, 0.75, 18.91, 23.61 and 36.69, of which 14 + 36 makes 50.
    lines = tree_text(build.view(build.group(build.qwen))).splitlines()
    assert "├─ Evidence found: of 21, declines 1" in "\n".join(lines)
    assert "└─ Evidence missing: of 79, declines 36" in "\n".join(lines)
    assert "Of 100 queries: 33 with a correct answer; 50 right by policy." in lines


def test_the_table_is_accessible_and_balanced(view):
    page = tree_table_html(view)
    reader = _Reader(page)
    assert reader.open == []
    assert reader.tags.count("caption") == 1
    assert reader.tags.count("table") == 1
    assert "scope" in reader.attributes
    assert sentences.plain(view.headline()) in reader.texts
    for estimate in (*view.group.branches.values(), *view.group.worlds.values()):
        assert estimate.text in reader.texts


def test_hostile_texts_are_inert_in_the_table(hostile):
    reader = _Reader(tree_table_html(hostile))
    assert set(reader.tags) <= {
        "div", "p", "bdi", "table", "caption", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert reader.attributes <= {"class", "style", "scope", "colspan"}


def test_names_are_shown_as_they_are_in_text_and_table(build):
    for name in build.names:
        view = build.view(build.group(key=(name,)), build.group(key=("b",)))
        if one_line(name):
            assert one_line(name) in tree_text(view).splitlines()[0]
            assert one_line(name) in _Reader(tree_table_html(view)).texts


def test_texts_are_deterministic(view):
    assert tree_text(view) == tree_text(view)
    assert tree_table_html(view) == tree_table_html(view)


def test_a_policy_that_does_not_ask_for_declining_does_not_call_it_right(build):
    weights = {world: float(world.endswith("right")) for world in LEAVES}
    view = build.view(build.group(weights=weights), weights=weights)
    assert "rightly" not in tree_text(view)
