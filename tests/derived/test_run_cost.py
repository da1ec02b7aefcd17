"""The cost of a judged run."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError, LabelValueError

BASE = {"tokens_in": 900, "tokens_out": 100, "price_in": 2.0, "price_out": 10.0}
amounts = st.floats(0, 1e4, allow_nan=False)
shares = st.floats(0, 1, allow_nan=False)


@settings(max_examples=50)
@given(st.integers(1, 10**6), amounts, amounts, amounts, amounts, amounts, shares, shares, shares)
def test_the_lines_add_up_to_the_formula(
    n, read, written, p_in, p_out, p_cached, cached, off, part
):
    cost = rat.run_cost(
        n, tokens_in=read, tokens_out=written, price_in=p_in, price_out=p_out, cached=cached,
        price_cached=p_cached, batch_discount=off, batched=part, retries=0.5,
    )  # fmt: skip
    call = (read * ((1 - cached) * p_in + cached * p_cached) + written * p_out) / 1e6
    assert cost.total == pytest.approx(1.5 * n * call * (1 - off * part), rel=1e-9, abs=1e-9)
    assert sum(line.cost for line in cost.lines) == pytest.approx(cost.total, rel=1e-9, abs=1e-6)
    assert cost.per_verdict == pytest.approx(cost.total / n)


def test_a_bill_worked_out_by_hand():
    """1,000 calls: 0.9 M tokens read, two thirds from the cache, 0.1 M written, half batched."""
    cost = rat.run_cost(1000, **BASE, cached=2 / 3, price_cached=0.5, batch_discount=0.5,
                        batched=0.5)  # fmt: skip
    assert cost.total == pytest.approx((0.3 * 2 + 0.6 * 0.5 + 0.1 * 10) * 0.75)
    assert [line.name for line in cost.lines] == [
        "read", "read from the cache", "written", "batches"]  # fmt: skip


def test_tiers_take_only_what_is_above_them():
    """1 M tokens for 2.8: the first 0.4 M at full price, then 0.4 M at 0.9, the rest at 0.5."""
    tiers = [(400_000, 0.9), (800_000, 0.5)]
    cost = rat.run_cost(1000, **BASE, tiers=tiers)
    assert cost.total == pytest.approx(2.8 * (0.4 + 0.4 * 0.9 + 0.2 * 0.5))
    later = rat.run_cost(1000, **BASE, tiers=tiers, tokens_before=800_000)
    assert later.total == pytest.approx(2.8 * 0.5)
    two = rat.run_cost(400, **BASE, tiers=tiers).total
    two += rat.run_cost(600, **BASE, tiers=tiers, tokens_before=400_000).total
    assert two == pytest.approx(cost.total)


def test_a_number_of_tokens_for_each_call_does_as_well():
    cost = rat.run_cost(
        tokens_in=pd.Series([800, 1000]), tokens_out=[50, 150], price_in=2, price_out=10
    )
    assert cost.n_calls == 2
    assert cost.total == pytest.approx(rat.run_cost(2, **BASE).total)


@pytest.mark.parametrize(
    ("changed", "error", "says"),
    [
        ({"price_in": -1}, ArgumentError, "price_in"),
        ({"price_in": "2"}, ArgumentTypeError, "price_in"),
        ({"cached": 1.5}, ArgumentError, "cached"),
        ({"cached": 0.5}, ArgumentError, "no `price_cached`"),
        ({"batch_discount": 50}, ArgumentError, "batch_discount"),
        ({"retries": -0.1}, ArgumentError, "retries"),
        ({"tokens_in": -5}, ArgumentError, "tokens_in"),
        ({"tokens_in": [5, -5]}, LabelValueError, "-5"),
        ({"tokens_in": [5, None]}, ArgumentError, "1 missing of 2"),
        ({"tokens_in": ["many"]}, LabelValueError, "'many'"),
        ({"tokens_in": [5, 5]}, ArgumentError, "`tokens_in` is about 2 calls"),
        ({"tiers": 0.9}, ArgumentTypeError, "tiers"),
        ({"tiers": [(10, 0.9), (5, 0.8)]}, ArgumentError, "tiers"),
        ({"tiers": [0.9]}, ArgumentError, "tiers"),
        ({"n_calls": 0}, ArgumentError, "n_calls"),
        ({"n_calls": None}, ArgumentError, "no `n_calls`"),
    ],
)
def test_bad_input_is_refused(changed, error, says):
    with pytest.raises(error, match=says):
        rat.run_cost(**({"n_calls": 1000} | BASE | changed))


def test_the_bill_prints_and_renders():
    cost = rat.run_cost(1000, **BASE, batch_discount=0.5, currency="EUR")
    for text in (str(cost), repr(cost), cost._repr_html_()):
        assert "1,000 verdicts cost 1.40 EUR" in text
        assert "batches" in text
    json.dumps(cost.to_dict(), allow_nan=False)
    assert cost.to_frame()["cost"].sum() == pytest.approx(1.4)


def test_more_calls_than_a_float_counts_are_refused():
    with pytest.raises(ArgumentError, match="`n_calls` is 1000"):
        rat.run_cost(10**400, tokens_in=1, tokens_out=1, price_in=1, price_out=1)
