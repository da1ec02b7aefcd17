"""The names that users were promised."""

from __future__ import annotations

import importlib
import inspect

import pytest

import rat_widgets as rat

PROMISED = ("Judge", "Labels", "Theta", "datasets", "fit", "report", "simulate", "tree")


@pytest.mark.parametrize("name", PROMISED)
def test_promised_names_are_there(name: str) -> None:
    assert getattr(rat, name) is not None
    assert name in rat.__all__


def test_every_public_name_loads_and_completion_offers_the_same() -> None:
    assert all(getattr(rat, name) is not None for name in rat.__all__)
    assert {n for n in dir(rat) if not n.startswith("__")} == set(rat.__all__)


def test_every_public_function_and_class_is_documented() -> None:
    undocumented = [
        name for name in rat.__all__ if not (inspect.getdoc(getattr(rat, name)) or "").strip()
    ]
    assert undocumented == []


@pytest.mark.parametrize(
    ("owner", "names"),
    [
        (
            lambda: rat.Labels.from_frame,
            "retrieval abstention task judges by item values retrieval_levels errored answerable "
            "stratum cluster trial weight on_contradiction",
        ),
        (lambda: rat.fit, "engine priors policy draws seed"),
        (lambda: rat.simulate, "n strategy judges seed"),
        (
            lambda: rat.Theta,
            "retrieval_success abstain_given_miss abstain_given_hit correct_given_miss "
            "correct_given_hit",
        ),
    ],
)
def test_promised_keywords_are_there(owner: object, names: str) -> None:
    assert set(names.split()) <= set(inspect.signature(owner()).parameters)  # type: ignore[operator]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'trees'"):
        rat.trees  # noqa: B018


def test_saving_a_page_does_not_hide_the_function_report_behind_its_package() -> None:
    importlib.import_module("rat_widgets.report.page")
    assert inspect.isfunction(rat.report)
