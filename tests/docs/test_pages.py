"""Every Python block of the docs can be pasted: the blocks of a page run in order.

A block that cannot be run here has ``<!-- not run: the reason -->`` on the line above it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.xdist_group("docs")

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(
    r"^(?:<!-- not run:(?P<reason>[^\n]*?)-->\n)?```python\n(?P<code>.*?)^```", re.M | re.S
)


class Block(NamedTuple):
    """One block of Python, and why it is not run, if it is not."""

    line: int
    code: str
    reason: str | None


def blocks_of(text: str) -> list[Block]:
    """The Python blocks of a page, with the line on which each one's code begins."""
    return [
        Block(text[: found.start("code")].count("\n"), found["code"], found["reason"])
        for found in BLOCK.finditer(text)
    ]


PAGES = [
    path
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if blocks_of(path.read_text())
]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_the_blocks_of_a_page_run_in_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for block in blocks_of(page.read_text()):
        if block.reason is None:
            code = "\n" * block.line + block.code  # a traceback names the line of the page
            exec(compile(code, str(page), "exec"), namespace)


def test_a_block_that_is_not_run_says_why() -> None:
    reasons = [b.reason for page in PAGES for b in blocks_of(page.read_text())]
    assert [r for r in reasons if r is not None and len(r.strip()) < 5] == []
    assert sum(r is not None for r in reasons) <= sum(r is None for r in reasons) // 5


def test_blocks_are_found_with_their_lines_and_reasons() -> None:
    text = (
        "a\n```python\nx = 1\n```\n```sh\nz\n```\n<!-- not run: a cluster -->\n```python\ny\n```\n"
    )
    assert blocks_of(text) == [(2, "x = 1\n", None), (9, "y\n", " a cluster ")]
