"""Views to JSON and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.errors import ViewError
from rat_widgets.views import codec
from rat_widgets.views.tree import Estimate, Note, TreeControls, TreeView

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.none() | numbers, st.text())
def test_an_estimate_survives_the_round_trip(value, text):
    estimate = Estimate(value=value, lower=value, upper=value, text=text)
    assert codec.from_json(Estimate, codec.to_json(estimate)) == estimate


@given(
    st.integers(0, 10**6),
    st.sampled_from(["queries", "step"]),
    st.none() | st.dictionaries(st.text(), numbers),
)
def test_controls_survive_the_round_trip(group, unit, policy):
    controls = TreeControls(group=group, unit=unit, policy=policy)
    assert TreeControls.from_dict(json.loads(codec.to_json(controls))) == controls


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"group": "0"}, "whole number"),
        ({"group": 1.5}, "whole number"),
        ({"group": True}, "whole number"),
        ({"unit": "per cent"}, "queries"),
        ({"policy": {"hit_right": "1"}}, "finite number"),
        ({"zoom": 3}, "keys among"),
        ([], "TreeControls object"),
        (None, "TreeControls object"),
    ],
)
def test_controls_that_do_not_fit_are_refused_with_the_place(data, says):
    with pytest.raises(ViewError, match=says):
        TreeControls.from_dict(data)


def test_nan_is_refused_where_json_is_written():
    with pytest.raises(ValueError, match="not JSON compliant"):
        codec.to_json(Estimate(value=float("nan"), lower=0, upper=0, text=""))


def test_text_that_is_not_json_is_refused():
    with pytest.raises(ViewError, match="not JSON"):
        TreeView.from_json("<html>")


def test_a_missing_key_is_named():
    with pytest.raises(ViewError, match="a key 'text'"):
        codec.from_dict(Note, {"level": "info"})


def test_a_number_that_no_float_holds_is_refused():
    with pytest.raises(ViewError, match="a finite number"):
        TreeControls.from_dict({"pins": {"retrieval_success": 10**400}})
