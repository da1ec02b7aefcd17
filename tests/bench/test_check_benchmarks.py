"""What the documentation says of the checks of judges is what was measured."""

import json
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import detectable
import judge_checks
import pooled_coverage
import rates_differ
import shared_judges

ROOT = Path(__file__).resolve().parents[2]


def _stored(name):
    return json.loads((ROOT / "bench/measured" / f"{name}.json").read_text("utf-8"))


def _two(value):
    return str(Decimal(repr(float(value))).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _page(name):
    return " ".join((ROOT / "docs" / name).read_text("utf-8").split())


@pytest.mark.parametrize("n_own", rates_differ.N_OWN)
def test_systems_that_differ_are_found_as_often_as_the_page_says(n_own):
    cells = _stored("rates_differ")["cells"]
    told = [
        ", ".join(
            _two(cells[f"found, TPR {odd[0]}, FPR {odd[1]}, {n_own} own labels, {more} more rows"])
            for more in rates_differ.N_ONLY
        )
        for odd in rates_differ.ODD
    ]
    assert f"| {n_own} | {' | '.join(told)} |" in _page("pooling.md")


def test_real_readers_are_named_as_often_as_the_page_says():
    cells = _stored("rates_differ")["cells"]
    by = {
        judge: [
            cells[f"openqa_nq301 judged by {judge}, {n} own labels: named"]
            for n in rates_differ.N_REAL
        ]
        for judge in ("T_davinci3", "T_gpt4")
    }
    first, second, third = map(_two, by["T_davinci3"])
    assert f"named in {first}, {second} and {third} of 50 random subsets" in _page("pooling.md")
    assert not any(by["T_gpt4"])
    assert not any(value for name, value in cells.items() if "another named" in name)
    alarms = [value for name, value in cells.items() if name.startswith("false alarms")]
    assert len(alarms) == 24
    assert f"in {np.mean(alarms):.0%} of tables" in _page("pooling.md")
    assert f"at most {max(alarms):.0%})" in _page("pooling.md")


@pytest.mark.parametrize("size", rates_differ.SIZES)
def test_two_judges_are_told_apart_as_often_as_the_page_says(size):
    cells = _stored("rates_differ")["cells"]
    where = f"{size[0]} labels and {size[1]} more rows"
    kinds = ("just these named", "another there", "another system")
    for what in rates_differ.AMONG_TWO:
        told = [cells[f"two judges, {what}, {where}: {kind}"] for kind in kinds]
        if what == "neither":
            assert min(told[0], 1 - told[1], 1 - told[2]) >= 0.95
            continue
        sizes = f"{size[0]} and {size[1]:,}"
        assert f"| {sizes} | {' | '.join(map(_two, told))} |" in _page("pooling.md")


def test_partial_pooling_covers_as_often_as_the_page_says():
    stored = _stored("pooled_coverage")
    cells, page = stored["cells"], _page("pooling.md")
    assert f"{stored['n_tables']} tables a line" in page
    for case in pooled_coverage.CASES:
        told = [cells[f"{case}, {way}"] for way in (*pooled_coverage.WAYS, pooled_coverage.ALONE)]
        row = " | ".join(f"{_two(one['coverage'])}, {one['width']:.3f}" for one in told)
        assert f" | {row} |" in page


def test_what_is_detectable_is_found_as_often_as_the_page_says():
    cells = _stored("detectable")["cells"]
    for n_labels, n_only in detectable.SIZES:
        cell = cells[f"{n_labels} labels, {n_only} other rows"]
        told = " | ".join(_two(cell[name]) for name in ("detectable", "said", "said_of_half"))
        assert f"| {n_labels}, {n_only} | {told} |" in _page("judge_checks.md")


def _cells():
    for cell in _stored("judge_checks")["cells"]:
        yield cell | {"worse": min(cell["coverage_t"], cell["coverage_g"])}


def _costly(low, high, n_human=None):
    return [
        cell
        for cell in _cells()
        if cell["strength"] and low <= cell["worse"] < high and n_human in (None, cell["n_human"])
    ]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("below 0.50", _costly(0, 0.5)),
        ("0.50 to 0.80", _costly(0.5, 0.8)),
        ("0.80 to 0.90", _costly(0.8, judge_checks.SERIOUS)),
        *(
            (f"all of these, {n} labelled rows", _costly(0, judge_checks.SERIOUS, n))
            for n in judge_checks.N_HUMAN
        ),
        (
            "all of these in which a test could reach 0.90",
            [c for c in _costly(0, judge_checks.SERIOUS) if c["attainable"] >= 0.9],
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_departures_are_found_as_often_as_the_page_says(name, cells):
    means = [np.mean([cell[key] for cell in cells]) for key in ("said", "named", "attainable")]
    told = " | ".join(_two(round(mean, 6)) for mean in means)
    assert f"| {name} | {len(cells)} | {told} |" in _page("judge_checks.md")


@pytest.mark.parametrize(
    "departure", [name for name, how in judge_checks.DEPARTURES.items() if how[0] == (0.0,)]
)
def test_false_alarms_are_those_that_the_page_says(departure):
    found = [cell["said"] for cell in _cells() if cell["departure"] == departure]
    name = departure.replace("none, ", "no departure, ")
    assert f"| {name} | {len(found)} | {np.mean(found):.3f} | | |" in _page("judge_checks.md")


@pytest.mark.parametrize("size", shared_judges.SIZES, ids=str)
def test_shared_judges_are_spoken_of_as_often_as_the_page_says(size):
    cells = _stored("shared_judges")["cells"]
    n_systems, n_human, n_only = size
    name = f"{n_systems} systems, {n_human} labels and {n_only} more rows each"
    told = [
        cells[f"{name}; {which}"]
        for which in (
            "well-behaved, shared: anything said",
            "lenient after a miss, shared: anything said",
            "lenient after a miss, shared: right cure first",
            "lenient after a miss, each by itself: anything said",
        )
    ]
    row = f"| {n_systems}, {n_human} and {n_only} | {' | '.join(map(_two, told))} |"
    assert row in _page("judge_checks.md")


def test_what_cures_restore_is_what_the_page_says():
    cells = _stored("judge_cures")["cells"]
    page = _page("judge_kinds.md")
    assert len(cells) == 64
    for cell in cells:
        three = "three" in cell["departure"]
        for letter in "tg" if three else "g":
            covers = f"{cell[f'coverage_{letter}']:.3f}".removeprefix("0")
            assert f"{covers}, {cell[f'width_{letter}']:.3f} |" in page
