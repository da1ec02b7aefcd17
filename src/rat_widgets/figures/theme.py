"""Colours, fonts and sizes of the pictures: the values of ``js/src/styles/tokens.css``.

A mark names a *role*, never a colour. The pictures have no host page whose theme they could
take, so they bring their own background and ink.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from rat_widgets.errors import ArgumentError

__all__ = ["AUTO", "FONT", "SIZES", "THEMES", "Theme", "ThemeName", "mix", "theme_of"]

ThemeName = Literal["light", "dark"]

AUTO: Final = "auto"
"""Asks for a picture that follows the reader's system; only SVG can."""

# The families of tokens.css, the one with tabular figures and the metric-alike ones first: a
# picture is laid out before its font is known, and some systems' default is far wider.
FONT: Final = (
    'Inter, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", '
    "-apple-system, system-ui, sans-serif"
)

SIZES: Final[Mapping[str, float]] = MappingProxyType(
    {"xs": 11.5, "s": 12.5, "m": 14.0, "l": 17.0, "xl": 22.0, "2xl": 30.0}
)
"""Type sizes in px."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Theme:
    """A colour for each role, as ``#rrggbb``."""

    name: ThemeName
    colours: Mapping[str, str]

    def __getitem__(self, role: str) -> str:
        """The colour of a role."""
        return self.colours[role]


def mix(colour: str, share: float, background: str) -> str:
    """`share` of a colour and the rest of the background, channel by channel in sRGB."""
    pairs = ((int(colour[i : i + 2], 16), int(background[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{int(share * a + (1 - share) * b + 0.5):02x}" for a, b in pairs)


_TINTED: Final = ("r", "a", "t", "good", "whatif")


def _theme(name: ThemeName, tint: float, colours: dict[str, str]) -> Theme:
    ink, background = colours["ink"], colours["bg"]
    mixed = {
        "rule": mix(ink, 0.12, background),
        "rule-2": mix(ink, 0.30, background),
        **{f"{role}-tint": mix(colours[role], tint, background) for role in _TINTED},
        **{f"{role}-fill": mix(colours[role], 0.55, background) for role in _TINTED},
        **{f"{role}-band": mix(colours[role], 0.65 * tint, background) for role in _TINTED},
    }
    return Theme(name=name, colours=MappingProxyType(colours | mixed))


THEMES: Final[Mapping[str, Theme]] = MappingProxyType(
    {
        "light": _theme(
            "light",
            0.14,
            {
                "bg": "#ffffff",
                "ink": "#191d23",
                "ink-2": "#545d68",
                "ink-3": "#666f7a",
                "r": "#2b6fd0",
                "a": "#56267f",
                "t": "#9a6500",
                "good": "#086356",
                "bad": "#ad2c18",
                "judge": "#55636f",
                "prior": "#7d8794",
                "whatif": "#c42f82",
                "warn": "#9a6500",
                "warn-bg": "#fdf4e1",
            },
        ),
        "dark": _theme(
            "dark",
            0.22,
            {
                "bg": "#12151a",
                "ink": "#e7eaee",
                "ink-2": "#aeb7c2",
                "ink-3": "#98a2ae",
                "r": "#5597f0",
                "a": "#cbb8ff",
                "t": "#f3c87e",
                "good": "#7fdcc4",
                "bad": "#ec6440",
                "judge": "#8fa3bb",
                "prior": "#98a2ae",
                "whatif": "#df62ab",
                "warn": "#f3c87e",
                "warn-bg": "#2a2416",
            },
        ),
    }
)


def theme_of(name: str) -> Theme:
    """The theme of that name.

    Raises
    ------
    ArgumentError
        When there is none.
    """
    if not isinstance(name, str) or name not in THEMES:
        raise ArgumentError.build(
            f"theme={name!r} is not a theme.",
            accepted=f"Accepted: {', '.join(map(repr, THEMES))}; SVG also takes {AUTO!r}.",
        )
    return THEMES[name]
