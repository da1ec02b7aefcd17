"""Made-up rows for the tools around a judge, and what every picture of theirs must keep to."""

from __future__ import annotations

import json
import math

import numpy as np

from rat_widgets.figures.scene import Circle, Line, Rect

HOSTILE = (
    "<b>$x$</b>",
    "$\\frac{a}{b}$ %{customdata} &lt;i&gt;",
    "a very long name of a column " * 20,
    "line\nbreak\t\x00",
)


def scored(n=600, seed=0, truth=lambda score: score):
    """Scores, and labels that pass with probability truth(score)."""
    rng = np.random.default_rng(seed)
    score = rng.beta(1.2, 1.2, n).round(2)
    return score, (rng.random(n) < truth(score)).astype(int)


def require_inside(scene):
    """Every mark, number and text is in the picture."""
    for datum in scene.data:
        assert 0 <= datum.x <= scene.width
        assert 0 <= datum.y <= scene.height
        assert all(end is None or math.isfinite(end) for end in (datum.value, datum.lower))
    for mark in scene.marks:
        if isinstance(mark, Line):
            xs, ys = (mark.x1, mark.x2), (mark.y1, mark.y2)
        elif isinstance(mark, Circle):
            xs, ys = (mark.x - mark.r, mark.x + mark.r), (mark.y - mark.r, mark.y + mark.r)
        elif isinstance(mark, Rect):
            xs, ys = (mark.x, mark.x + mark.width), (mark.y, mark.y + mark.height)
        else:
            continue
        assert -1 <= min(xs) <= max(xs) <= scene.width + 1, mark
        assert -1 <= min(ys) <= max(ys) <= scene.height + 1, mark
    for text in scene.texts:
        assert text.box.left >= -1, text.text
        assert text.box.right <= scene.width + 1, text.text


def overlapping(scene):
    """Pairs of texts that share more than an edge."""
    texts = [text for text in scene.texts if text.text.strip()]
    return [
        (a.text, b.text)
        for i, a in enumerate(texts)
        for b in texts[i + 1 :]
        if a.box.overlaps(b.box)
    ]


def require_plain(figure):
    """JSON without tags, TeX or templates of a name; standard JSON, so no NaN."""
    text = figure.to_json()
    json.loads(text, parse_constant=lambda name: 1 / 0)
    said = [str(a.text) for a in figure.layout.annotations]
    said += [str(h) for trace in figure.data for h in trace.hovertext]
    joined = " ".join(said).replace("<br>", "")
    assert "<b>" not in joined
    assert "$" not in joined
    assert "%{" not in joined
