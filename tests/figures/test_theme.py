"""Colours: the same values as in the browser, legible in both themes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rat_widgets.errors import ArgumentError
from rat_widgets.figures.theme import FONT, SIZES, THEMES, mix, theme_of

TOKENS = Path(__file__).parents[2] / "js" / "src" / "styles" / "tokens.css"


def _tokens(block: str) -> dict[str, str]:
    """The last colour or size in the value of every custom property of a block."""
    pairs = re.findall(r"--rat-([\w-]+):\s*([^;]+);", block)
    found = {}
    for name, value in pairs:
        last = re.findall(r"#[0-9a-f]{6}|[\d.]+px", value)
        if last:
            found[name] = last[-1]
    return found


@pytest.fixture
def css() -> str:
    if not TOKENS.exists():
        pytest.skip("the browser's tokens.css is not part of this copy")
    return TOKENS.read_text(encoding="utf-8")


def test_colours_are_those_of_the_browser(css):
    light, _, rest = css.partition('[data-theme="dark"]')
    for name, block in (("light", light), ("dark", rest.partition("}")[0])):
        tokens = _tokens(block)
        theme = THEMES[name]
        shared = [role for role in theme.colours if role in tokens]
        assert {"bg", "ink", "r", "a", "t", "good", "bad", "warn-bg"} <= set(shared)
        assert {role: theme[role] for role in shared} == {role: tokens[role] for role in shared}


def test_type_sizes_and_fonts_are_those_of_the_browser(css):
    tokens = _tokens(css)
    assert {name: f"{size:g}px" for name, size in SIZES.items()} == {
        name: tokens[f"t-{name}"] for name in SIZES
    }
    families = re.search(r"--rat-font:(.*);", css)[1]
    for family in ("Segoe UI", "Helvetica Neue", "Arial", "system-ui", "sans-serif"):
        assert family in FONT
        assert family in families


def test_hairlines_are_mixed_as_the_browser_mixes_them():
    # 12% of black on white is 255 * 0.88 = 224.4 in every channel.
    assert mix("#000000", 0.12, "#ffffff") == "#e0e0e0"
    assert mix("#123456", 1, "#ffffff") == "#123456"


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear))


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("role", ["ink", "ink-2", "ink-3", "r", "a", "t", "good", "bad"])
def test_text_has_enough_contrast(name, role):
    # WCAG 2.2, 1.4.3: 4.5 to 1 for text.
    theme = THEMES[name]
    assert _contrast(theme[role], theme["bg"]) >= 4.5
    if role == "ink":
        assert _contrast(theme[role], theme["warn-bg"]) >= 4.5


def test_unknown_theme_is_an_error_that_lists_the_themes():
    with pytest.raises(ArgumentError, match="'light', 'dark'"):
        theme_of("solarized")
