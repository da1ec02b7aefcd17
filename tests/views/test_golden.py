"""Golden vectors: what `wording` says today is what the browser's tests hold it to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rat_widgets.derived.quantities import quantities_of
from rat_widgets.views import sentences, wording, words

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "wording.json").read_text("utf-8"))

# How each list of vectors is worded again: from one vector to (here, golden).
AGAIN = {
    "percent": lambda v: (wording.percent(v[0]), v[1]),
    "interval": lambda v: (wording.interval(*v[:2]), v[2]),
    "count": lambda v: (wording.count(v[0]), v[1]),
    "estimate": lambda v: (wording.estimate(*v[:3], is_rate=v[3]), v[4]),
    "of_100": lambda v: (wording.of_100(v["worlds"], v["policy"]), v["out"]),
    "is_right": lambda v: (words.is_right(v[0], v[1]), v[2]),
    "leaf_words": lambda v: (words.leaf_words(v[0], is_right=v[1]), v[2]),
    "label_line": lambda v: (wording.label_line(v["letter"], **v["labels"]), v["out"]),
    "pin_percent": lambda v: (wording.pin_percent(v[0]), v[1]),
    "whatif_deck": lambda v: _sentence(sentences.whatif_deck, v),
    "rows_line": lambda v: (
        wording.rows_line(rows=v["labels"]["rows"], possible=v["labels"]["possible"]),
        v["out"],
    ),
    "headline": lambda v: _sentence(sentences.headline, v),
    "deck": lambda v: _sentence(sentences.deck, v),
    "graded_words": lambda v: (json.loads(json.dumps(graded_words(tuple(v["levels"])))), v),
    "graded_of_100": lambda v: (
        wording.of_100(v["worlds"], v["policy"], tuple(v["levels"])),
        v["out"],
    ),
    "graded_whatif_deck": lambda v: _sentence(sentences.whatif_deck, v),
    "graded_headline": lambda v: _sentence(sentences.headline, v),
    "graded_deck": lambda v: _sentence(sentences.deck, v),
}


def graded_words(levels):
    of = words.words_of(levels)
    return {
        "levels": levels,
        "leaves": [[world, *both] for world, both in of.worlds.items()],
        "steps": [[k, s.letter, s.title, s.asks, s.tail] for k, s in of.steps.items()],
        "pins": [list(pin) for pin in of.pins.items()],
        "stats": [[key, *stat] for key, stat in of.stats.items()],
        "presets": dict(of.presets),
        "quantities": [
            [q.key, q.symbol, q.label, q.numerator, q.denominator] for q in quantities_of(levels)
        ],
    }


def _sentence(write, vector):
    inputs = {key: value for key, value in vector.items() if key != "segments"}
    if "levels" in inputs:
        inputs["levels"] = tuple(inputs["levels"])
    return [list(segment) for segment in write(**inputs)], vector["segments"]


@pytest.mark.parametrize("name", [key for key in GOLDEN if key != "origin"])
def test_golden_vectors_read_as_they_did(name):
    assert GOLDEN[name]
    for vector in GOLDEN[name]:
        here, golden = AGAIN[name](vector)
        assert here == golden
