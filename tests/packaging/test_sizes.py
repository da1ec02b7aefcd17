"""How much a page and a view weigh."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rat_widgets as rat

ITEMS = {"item": "item", "on_contradiction": "trust_abstention"}


def test_a_saved_page_of_one_system_weighs_less_than_400_kb(tmp_path: Path) -> None:
    ray = rat.datasets.load("ray_docs")
    one = rat.tree(ray[ray["system"] == "gpt-4"], **ITEMS)
    assert one.save(tmp_path / "tree.html").stat().st_size < 400_000


def test_a_saved_page_of_48_systems_weighs_less_than_400_kb(tmp_path: Path) -> None:
    all_systems = rat.tree(rat.datasets.load("ray_docs"), by=["system"], **ITEMS)
    assert all_systems.save(tmp_path / "tree.html").stat().st_size < 400_000


def test_a_view_of_48_systems_weighs_less_than_200_kb() -> None:
    w = rat.tree(rat.datasets.load("ray_docs"), by=["system"], **ITEMS)
    assert len(w.view.groups) == 48
    assert len(w.view.to_json().encode()) < 200_000


@pytest.mark.parametrize("missing", ["R", "A"])
def test_a_view_of_48_systems_with_labels_missing_weighs_less_than_200_kb(missing: str) -> None:
    ray = rat.datasets.load("ray_docs")
    hidden = np.random.default_rng(0).random(len(ray)) < 0.4
    ray[missing] = ray[missing].astype(float).mask(hidden)
    w = rat.tree(ray, by=["system"], **ITEMS)
    # Where R alone is missing the browser draws by itself.
    assert any(g.draws is not None for g in w.view.groups) == (missing == "A")
    assert len(w.view.to_json().encode()) < 200_000
