"""Golden vectors: what `wording` says today is what the browser's tests hold it to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rat_widgets.views import wording

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "wording.json").read_text("utf-8"))

# How each list of vectors is worded again: from one vector to (here, golden).
AGAIN = {
    "percent": lambda v: (wording.percent(v[0]), v[1]),
    "interval": lambda v: (wording.interval(*v[:2]), v[2]),
    "count": lambda v: (wording.count(v[0]), v[1]),
    "estimate": lambda v: (wording.estimate(*v[:3], is_rate=v[3]), v[4]),
    "of_100": lambda v: (wording.of_100(v["worlds"], v["policy"]), v["out"]),
    "is_right": lambda v: (wording.is_right(v[0], v[1]), v[2]),
    "leaf_words": lambda v: (wording.leaf_words(v[0], is_right=v[1]), v[2]),
    "label_line": lambda v: (wording.label_line(v["letter"], **v["labels"]), v["out"]),
    "pin_percent": lambda v: (wording.pin_percent(v[0]), v[1]),
    "whatif_deck": lambda v: _sentence(wording.whatif_deck, v),
    "rows_line": lambda v: (
        wording.rows_line(rows=v["labels"]["rows"], possible=v["labels"]["possible"]),
        v["out"],
    ),
    "headline": lambda v: _sentence(wording.headline, v),
    "deck": lambda v: _sentence(wording.deck, v),
}


def _sentence(write, vector):
    inputs = {key: value for key, value in vector.items() if key != "segments"}
    return [list(segment) for segment in write(**inputs)], vector["segments"]


@pytest.mark.parametrize("name", [key for key in GOLDEN if key != "origin"])
def test_golden_vectors_read_as_they_did(name):
    assert GOLDEN[name]
    for vector in GOLDEN[name]:
        here, golden = AGAIN[name](vector)
        assert here == golden
