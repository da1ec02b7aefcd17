"""A scene as one self-contained SVG element: no script, no font, no address but the namespace."""

from __future__ import annotations

from typing import Final

from rat_widgets.figures.scene import (
    Area,
    Circle,
    Line,
    Mark,
    Path,
    QueryMarks,
    Rect,
    Run,
    Scene,
    Text,
)
from rat_widgets.figures.theme import AUTO, FONT, THEMES

__all__ = ["escape_xml", "svg_text"]

_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def _is_xml(character: str) -> bool:
    code = ord(character)
    return (
        character in "\t\n\r"
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or code >= 0x10000
    )


def escape_xml(text: str) -> str:
    """The text as XML character data; what XML cannot hold becomes U+FFFD."""
    return "".join(_ENTITIES.get(c, c) if _is_xml(c) else _REPLACEMENT for c in text)


def svg_text(scene: Scene) -> str:
    """The scene as SVG; its title and text are the picture's accessible name and description."""
    width, height = _n(scene.width), _n(scene.height)
    colour = _Colours(scene.theme)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rat-figure" role="img" '
        f'aria-label="{escape_xml(scene.title)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{escape_xml(FONT)}" '
        f'style="font-variant-numeric:tabular-nums lining-nums;max-width:100%;height:auto" '
        f'stroke-linejoin="round" xml:space="preserve">'
        f"<title>{escape_xml(scene.title)}</title><desc>{escape_xml(scene.description)}</desc>",
        colour.style(),
        f'<rect width="{width}" height="{height}" fill="{colour["bg"]}"/>',
    ]
    parts += [_mark(mark, colour) for mark in scene.marks]
    parts += [
        f'<circle cx="{_n(d.x)}" cy="{_n(d.y)}" r="9" fill="none" pointer-events="all">'
        f"<title>{escape_xml(d.hover)}</title></circle>"
        for d in scene.data
    ]
    return "\n".join(part for part in parts if part) + "\n</svg>\n"


class _Colours:
    """A colour per role: the theme's own, or a variable that follows the reader's system."""

    def __init__(self, theme: str) -> None:
        self._theme = None if theme == AUTO else THEMES[theme]

    def __getitem__(self, role: str) -> str:
        return f"var(--rat-fig-{role})" if self._theme is None else self._theme[role]

    def style(self) -> str:
        """The variables, light and dark; nothing for a fixed theme."""
        if self._theme is not None:
            return ""
        light, dark = (
            "".join(f"--rat-fig-{role}:{hex_};" for role, hex_ in theme.colours.items())
            for theme in (THEMES["light"], THEMES["dark"])
        )
        return (
            f"<style>.rat-figure{{{light}}}"
            f"@media (prefers-color-scheme:dark){{.rat-figure{{{dark}}}}}</style>"
        )


def _n(x: float) -> str:
    """A coordinate with two decimals at most."""
    return f"{x:.2f}".rstrip("0").rstrip(".")


def _mark(mark: Mark, colour: _Colours) -> str:
    if isinstance(mark, Text):
        return _text(mark, colour)
    if isinstance(mark, Line):
        cap = ' stroke-linecap="round"' if mark.is_round else ""
        dash = ' stroke-dasharray="0.5 4.5"' if mark.is_dotted else _dash(mark.is_dashed)
        return (
            f'<path d="M{_n(mark.x1)} {_n(mark.y1)}L{_n(mark.x2)} {_n(mark.y2)}" '
            f'stroke="{colour[mark.role]}" stroke-width="{_n(mark.width)}"{cap}{dash}/>'
        )
    if isinstance(mark, Path | Area):
        return _path(mark, colour)
    if isinstance(mark, Circle):
        return (
            f'<circle cx="{_n(mark.x)}" cy="{_n(mark.y)}" r="{_n(mark.r)}" '
            f'fill="{colour[mark.fill]}"{_stroke(mark.stroke, mark.width, colour)}/>'
        )
    if isinstance(mark, Rect):
        fill = colour[mark.fill] if mark.fill else "none"
        radius = f' rx="{_n(mark.radius)}"' if mark.radius else ""
        return (
            f'<rect x="{_n(mark.x)}" y="{_n(mark.y)}" width="{_n(mark.width)}" '
            f'height="{_n(mark.height)}"{radius} fill="{fill}"'
            f"{_stroke(mark.stroke, mark.stroke_width, colour)}/>"
        )
    return _query_marks(mark, colour)


def _path(mark: Path | Area, colour: _Colours) -> str:
    steps = "".join(command + " ".join(map(_n, places)) for command, places in mark.steps)
    if isinstance(mark, Area):
        return f'<path d="{steps}" fill="{colour[mark.fill]}"/>'
    cap = _dash(True) if mark.is_dashed else ' stroke-linecap="round"'
    return (
        f'<path d="{steps}" fill="none" stroke="{colour[mark.role]}" '
        f'stroke-width="{_n(mark.width)}"{cap}/>'
    )


def _dash(is_dashed: bool) -> str:
    return ' stroke-dasharray="3 3"' if is_dashed else ""


def _stroke(role: str, width: float, colour: _Colours) -> str:
    return f' stroke="{colour[role]}" stroke-width="{_n(width)}"' if role else ""


def _run_style(run: Run, base: Run, colour: _Colours) -> str:
    """The attributes in which a run differs from the one before it on the line."""
    style = f' fill="{colour[run.role]}"' if run.role != base.role else ""
    if run.size != base.size:
        style += f' font-size="{_n(run.size)}"'
    if run.weight != base.weight:
        style += f' font-weight="{run.weight}"'
    return style


def _text(mark: Text, colour: _Colours) -> str:
    runs = [run for run in mark.runs if run.text]
    if not runs:
        return ""
    first = runs[0]
    weight = f' font-weight="{first.weight}"' if first.weight != 400 else ""
    anchor = f' text-anchor="{mark.anchor}"' if mark.anchor != "start" else ""
    body = escape_xml(first.text) + "".join(
        f"<tspan{_run_style(run, first, colour)}>{escape_xml(run.text)}</tspan>" for run in runs[1:]
    )
    title = f"<title>{escape_xml(mark.hover)}</title>" if mark.hover else ""
    return (
        f'<text x="{_n(mark.x)}" y="{_n(mark.y)}" font-size="{_n(first.size)}"{weight}{anchor} '
        f'fill="{colour[first.role]}">{title}{body}</text>'
    )


def _query_marks(mark: QueryMarks, colour: _Colours) -> str:
    """Marks of the same opacity share one element."""
    runs: dict[float, list[float]] = {}
    for x, opacity in zip(mark.xs, mark.opacities):
        runs.setdefault(opacity, []).append(x)
    parts = []
    r, y = mark.r, mark.y
    for opacity, xs in runs.items():
        faded = f' opacity="{_n(opacity)}"' if opacity < 1 else ""
        if mark.form == "dot":
            # A dot is a round end without a line: one path draws many.
            steps = "".join(f"M{_n(x)} {_n(y)}h0" for x in xs)
            parts.append(f'<path d="{steps}" stroke-width="{_n(2 * r)}"{faded}/>')
        else:
            d, up = _n(2 * r), _n(-2 * r)
            steps = "".join(f"M{_n(x - r)} {_n(y - r)}l{d} {d}m0 {up}l{up} {d}" for x in xs)
            parts.append(f'<path d="{steps}" stroke-width="{_n(mark.stroke)}"{faded}/>')
    title = f"<title>{escape_xml(mark.hover)}</title>"
    return (
        f'<g fill="none" stroke="{colour[mark.role]}" stroke-linecap="round">{title}'
        + "".join(parts)
        + "</g>"
    )
