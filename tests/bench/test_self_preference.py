"""The benchmark of judges that prefer their family: its tables, and what is stored of it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import self_preference as bench

MEASURED = Path(bench.__file__).with_name("measured") / "self_preference.json"
STORED = json.loads(MEASURED.read_text("utf-8"))
ITSELF = bench.Case("self-preference", bench.ITSELF, "T_davinci3", 0)


def test_one_reader_keeps_twenty_labels_and_the_others_all():
    shown = bench.table(ITSELF).groupby("system")["T"].apply(lambda t: t.notna().sum())
    every = bench.frame().groupby("system")["T"].size()
    assert shown[bench.ITSELF] == bench.N_OWN
    others = [one for one in bench.systems() if one != bench.ITSELF]
    assert (shown[others] == every[others]).all()


def test_stored_scores_are_those_of_the_stored_intervals():
    for where, by_way in STORED["scores"].items():
        found = bench.scores(STORED["intervals"][where], STORED["truths"][where])
        for way, score in by_way.items():
            assert found[way]["n"] == score["n"]
            assert found[way]["coverage"] == pytest.approx(score["coverage"], abs=0.002)
            assert found[way]["width"] == pytest.approx(score["width"], abs=2e-4)


def test_partial_pooling_covers_where_one_instrument_does_not_and_costs_nothing_elsewhere():
    itself, elsewhere = (STORED["scores"][w] for w in ("self-preference", "the judge transfers"))
    assert itself["one instrument"]["coverage"] < 0.5
    assert itself["partial pooling"]["coverage"] >= 0.93
    assert itself["partial pooling"]["width"] < 0.8 * itself["own labels and verdicts"]["width"]
    assert elsewhere["partial pooling"]["coverage"] >= 0.93
    assert elsewhere["partial pooling"]["width"] < 1.1 * elsewhere["one instrument"]["width"]


def test_the_first_table_is_fitted_as_it_was():
    """The interval's ends within what 2,000 draws of the tail leave open."""
    lower, upper = bench.interval(ITSELF, "partial")
    stored = STORED["intervals"]["self-preference"]["partial pooling"][0]
    np.testing.assert_allclose((lower, upper), stored, atol=0.025)
    assert lower < bench.truth(ITSELF) < upper
