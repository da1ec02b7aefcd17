"""One page that holds everything and runs nothing but its own component."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from rat_widgets.report.page import Section, _inline, page, rows_table

HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;b&gt;", "a\x00b"]


class _Reader(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.ends, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        self.ends.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_cells_come_back_as_text(text):
    section = rows_table(text, [text, "n"], [[text, 1]])
    read = _Reader(page(text, [section]))
    assert not {"script", "img", "b"} & set(read.tags)
    assert read.texts.count(text) == 4  # title, heading, column, cell


def test_a_page_forbids_itself_the_network():
    text = page("t", [Section(html="<p>x</p>")])
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "worker-src blob:" in policy


def test_the_component_is_there_only_where_something_lives():
    still = page("t", [Section(html="<p>x</p>")])
    alive = page("t", [Section(html="<p>x</p>", style="tree.css")])
    assert "<script>" not in still
    assert alive.count("<script>") == 1
    assert len(still) < 5_000


def test_a_page_carries_the_components_of_its_own_views_alone():
    tree, judge = (Section(html="<p>x</p>", style=f"{kind}.css") for kind in ("tree", "judge"))
    alone = [len(page("t", [one])) for one in (tree, judge)]
    both = page("t", [tree, judge, tree])
    assert both.count("<script>") == 1
    assert max(alone) < len(both) < sum(alone)


@pytest.mark.parametrize("kind", ["tree", "judge", "allocation"])
def test_the_script_of_a_page_is_the_widgets_module_with_its_exports_taken(kind):
    script = re.findall(
        r"<script>(.*)</script>", page("t", [Section(html="", style=f"{kind}.css")]), re.S
    )[0]
    assert "export{" not in script
    assert re.search(rf"ratPage\.mountWhenReady\(document,{{{kind}:[\w$]+}}\);}}\)\(\);$", script)


@pytest.mark.parametrize("script", ['"</script><p>"', '"</SCRIPT >"', "'<!-- <script>'"])
def test_a_script_cannot_end_its_own_element(script):
    read = _Reader(f"<script>{_inline(script)}</script><i>after</i>")
    assert read.tags == read.ends == ["script", "i"]
    assert len(read.texts) == 2
