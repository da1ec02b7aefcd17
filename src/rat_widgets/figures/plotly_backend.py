"""A scene as a Plotly figure: shapes, query marks, annotations, and traces that hold numbers.

One unit of the axes is one px, so the figure keeps a fixed size. Plotly reads a small HTML
dialect, TeX between dollar signs and ``%{...}`` in texts; `escape_plotly` makes data inert.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from rat_widgets.figures.scene import (
    Area,
    Circle,
    DatumKind,
    Line,
    Mark,
    Path,
    QueryMarks,
    Rect,
    Run,
    Scene,
    Text,
)
from rat_widgets.figures.theme import FONT, Theme, theme_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["escape_plotly", "numbers_of", "plotly_figure"]

_KINDS: Final[tuple[DatumKind, ...]] = (
    "statistics",
    "branches",
    "worlds",
    "beliefs",
    "rates",
    "judges",
    "study",
    "allocation",
    "reliability",
    "escalation",
    "drift",
    "length",
)
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "%": "&#37;"}
# Part of a control point's distance that makes a quarter of a circle out of a Bezier curve.
_ARC: Final = 0.5523


def escape_plotly(text: str) -> str:
    """The text as Plotly shows it letter by letter: no tag, no entity, no TeX, no template."""
    return "".join(_ENTITIES.get(c, c if c.isprintable() or ord(c) > 0x2000 else " ") for c in text)


def _hover(text: str) -> str:
    """A text for a hover label, on lines of moderate length."""
    return "<br>".join(map(escape_plotly, textwrap.wrap(text, 72))) or " "


def plotly_figure(scene: Scene) -> go.Figure:
    """The scene as a figure of fixed size, with its numbers in named traces."""
    import plotly.graph_objects as go

    theme = theme_of(scene.theme)
    traces = [
        go.Scatter(**_query_marks(mark, theme))
        for mark in scene.marks
        if isinstance(mark, QueryMarks)
    ]
    traces += [go.Scatter(**_numbers(scene, kind)) for kind in _KINDS if _has(scene, kind)]
    shapes: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for mark in scene.marks:
        if isinstance(mark, Text):
            if mark.text.strip():
                annotations.append(_annotation(mark, theme))
        elif not isinstance(mark, QueryMarks):
            shapes.append(_shape(mark, theme))
    figure = go.Figure(data=traces)
    figure.update_layout(_layout(scene, theme), shapes=shapes, annotations=annotations)
    return figure


def _has(scene: Scene, kind: DatumKind) -> bool:
    return any(datum.kind == kind for datum in scene.data)


def numbers_of(
    figure: Any, kind: str | None = None
) -> dict[str, tuple[float | None, float | None, float | None, str]]:
    """(value, lower, upper, text) by key, read back from a figure's traces."""
    plain = figure if isinstance(figure, Mapping) else figure.to_dict()
    numbers = {}
    for trace in plain["data"]:
        meta = trace.get("meta")
        part = meta.get("rat") if isinstance(meta, Mapping) else None
        if part not in _KINDS or kind not in (None, part):
            continue
        for key, value, lower, upper, text in trace["customdata"]:
            numbers[str(key)] = (value, lower, upper, str(text))
    return numbers


def _layout(scene: Scene, theme: Theme) -> dict[str, Any]:
    axis = {"visible": False, "fixedrange": True, "zeroline": False, "showgrid": False}
    return {
        "template": {},
        "width": scene.width,
        "height": scene.height,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "pad": 0},
        "paper_bgcolor": theme["bg"],
        "plot_bgcolor": theme["bg"],
        "font": {"family": FONT, "color": theme["ink"], "size": 14},
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": False,
        "modebar": {"remove": ["select", "lasso"], "bgcolor": "rgba(0,0,0,0)"},
        "hoverlabel": {
            "bgcolor": theme["bg"],
            "bordercolor": theme["rule-2"],
            "font": {"family": FONT, "color": theme["ink"], "size": 12.5},
            "align": "left",
        },
        "xaxis": {**axis, "range": [0, scene.width], "constrain": "domain"},
        "yaxis": {
            **axis,
            "range": [scene.height, 0],
            "scaleanchor": "x",
            "scaleratio": 1,
            "constrain": "domain",
        },
    }


def _numbers(scene: Scene, kind: DatumKind) -> dict[str, Any]:
    """Where to point for the numbers; the marks themselves are shapes."""
    data = [datum for datum in scene.data if datum.kind == kind]
    return {
        "name": kind,
        "meta": {"rat": kind},
        "x": [datum.x for datum in data],
        "y": [datum.y for datum in data],
        "customdata": [[d.key, d.value, d.lower, d.upper, d.text] for d in data],
        "hovertext": [_hover(datum.hover) for datum in data],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "mode": "markers",
        "marker": {"size": 18, "opacity": 0, "color": theme_of(scene.theme)["ink"]},
    }


def _query_marks(mark: QueryMarks, theme: Theme) -> dict[str, Any]:
    colour = theme[mark.role]
    is_dot = mark.form == "dot"
    marker: dict[str, Any] = {
        "symbol": "circle" if is_dot else "x-thin",
        "size": 2 * mark.r,
        "color": colour,
        "opacity": mark.opacities,
        "line": {"width": 0 if is_dot else mark.stroke, "color": colour},
    }
    return {
        "name": f"query marks: {mark.key}",
        "meta": {"rat": "query marks"},
        "x": mark.xs,
        "y": [mark.y] * len(mark.xs),
        "mode": "markers",
        "marker": marker,
        "hovertext": [_hover(mark.hover)] * len(mark.xs),
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }


def _annotation(mark: Text, theme: Theme) -> dict[str, Any]:
    runs = [run for run in mark.runs if run.text]
    first = runs[0]
    text = _styled(first, None, theme) + "".join(_styled(run, first, theme) for run in runs[1:])
    annotation: dict[str, Any] = {
        "x": mark.x,
        # The middle of a line of text is about 0.36 of its size above the baseline.
        "y": mark.y - 0.36 * mark.size,
        "xref": "x",
        "yref": "y",
        "text": text,
        "showarrow": False,
        "xanchor": {"start": "left", "middle": "center", "end": "right"}[mark.anchor],
        "yanchor": "middle",
        "align": "left",
        "borderpad": 0,
        "font": {"size": first.size, "color": theme[first.role], "weight": first.weight},
    }
    if mark.hover:
        annotation |= {"hovertext": _hover(mark.hover), "captureevents": True}
    return annotation


def _styled(run: Run, base: Run | None, theme: Theme) -> str:
    """The run, in a span of ours where it differs from the line's first run."""
    text = escape_plotly(run.text)
    if base is None:
        return text
    style = ""
    if run.role != base.role:
        style += f"color:{theme[run.role]};"
    if run.weight != base.weight:
        style += f"font-weight:{run.weight};"
    if run.size != base.size:
        style += f"font-size:{run.size:g}px;"
    return f'<span style="{style}">{text}</span>' if style else text


def _n(x: float) -> str:
    return f"{x:.2f}".rstrip("0").rstrip(".")


def _round_line(mark: Line) -> str:
    """A horizontal or vertical bar with round ends, as a filled outline."""
    half = mark.width / 2
    if mark.y1 == mark.y2:
        left, right = sorted((mark.x1, mark.x2))
        box = (left - half, mark.y1 - half, right + half, mark.y1 + half)
    else:
        top, bottom = sorted((mark.y1, mark.y2))
        box = (mark.x1 - half, top - half, mark.x1 + half, bottom + half)
    return _round_rect(*box, radius=half)


def _round_rect(left: float, top: float, right: float, bottom: float, *, radius: float) -> str:
    r, k = radius, radius * (1 - _ARC)
    points = (
        f"M{_n(left + r)},{_n(top)}L{_n(right - r)},{_n(top)}"
        f"C{_n(right - k)},{_n(top)},{_n(right)},{_n(top + k)},{_n(right)},{_n(top + r)}"
        f"L{_n(right)},{_n(bottom - r)}"
        f"C{_n(right)},{_n(bottom - k)},{_n(right - k)},{_n(bottom)},{_n(right - r)},{_n(bottom)}"
        f"L{_n(left + r)},{_n(bottom)}"
        f"C{_n(left + k)},{_n(bottom)},{_n(left)},{_n(bottom - k)},{_n(left)},{_n(bottom - r)}"
        f"L{_n(left)},{_n(top + r)}"
        f"C{_n(left)},{_n(top + k)},{_n(left + k)},{_n(top)},{_n(left + r)},{_n(top)}Z"
    )
    return points


def _shape(mark: Mark, theme: Theme) -> dict[str, Any]:
    base: dict[str, Any] = {"xref": "x", "yref": "y", "layer": "above"}
    if isinstance(mark, Line) and (not mark.is_round or mark.is_dotted):
        line = {"color": theme[mark.role], "width": mark.width}
        if mark.is_dotted:
            line["dash"] = "1.5px,3.5px"
        elif mark.is_dashed:
            line["dash"] = "3px,3px"
        ends = {"x0": mark.x1, "y0": mark.y1, "x1": mark.x2, "y1": mark.y2}
        return {**base, "type": "line", **ends, "line": line}
    if isinstance(mark, Line):
        path = _round_line(mark)
        return {**base, "type": "path", "path": path, "fillcolor": theme[mark.role],
                "line": {"width": 0}}  # fmt: skip
    if isinstance(mark, Path):
        line = {"color": theme[mark.role], "width": mark.width}
        if mark.is_dashed:
            line["dash"] = "3px,3px"
        return {**base, "type": "path", "path": _steps(mark), "line": line}
    if isinstance(mark, Area):
        fill = {"fillcolor": theme[mark.fill], "line": {"width": 0}}
        return {**base, "type": "path", "path": _steps(mark), **fill}
    if isinstance(mark, Circle):
        return {
            **base,
            "type": "circle",
            "x0": mark.x - mark.r,
            "x1": mark.x + mark.r,
            "y0": mark.y - mark.r,
            "y1": mark.y + mark.r,
            "fillcolor": theme[mark.fill],
            "line": _outline(mark.stroke, mark.width, theme),
        }
    if isinstance(mark, Rect):
        right, bottom = mark.x + mark.width, mark.y + mark.height
        path = _round_rect(mark.x, mark.y, right, bottom, radius=mark.radius)
        return {
            **base,
            "type": "path",
            "path": path,
            "fillcolor": theme[mark.fill] if mark.fill else "rgba(0,0,0,0)",
            "line": _outline(mark.stroke, mark.stroke_width, theme),
        }
    raise TypeError(f"No shape for {type(mark).__name__}.")


def _steps(mark: Path | Area) -> str:
    return "".join(command + ",".join(map(_n, coordinates)) for command, coordinates in mark.steps)


def _outline(role: str, width: float, theme: Theme) -> dict[str, Any]:
    return {"color": theme[role], "width": width} if role else {"width": 0}
