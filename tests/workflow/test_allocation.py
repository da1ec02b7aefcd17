"""`rat.allocate`: one view in trait, figure, text and page; controls; misuse."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import traitlets

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError, NoRowsError, ViewError
from rat_widgets.figures.allocation import allocation_scene
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.views.allocation import AllocationView
from rat_widgets.views.sentences import plain

QWEN = rat.Theta(
    retrieval_success=0.2078,
    abstain_given_miss=0.4632,
    abstain_given_hit=0.0360,
    correct_given_miss=0.4447,
    correct_given_hit=0.6809,
)


def _table(n: int = 600, labelled: int = 100) -> pd.DataFrame:
    df = rat.simulate(QWEN, n=n, seed=1)
    df.loc[labelled:, ["R", "T"]] = None
    df["query"] = [f"secret {i}" for i in range(n)]
    return df


TABLE = _table()
POST = rat.fit(TABLE, draws=800)


def _numbers(view: AllocationView) -> dict[str, tuple[Any, ...]]:
    from rat_widgets.views.allocation_words import half

    return {
        c.key: (c.width, c.width_lower, c.width_upper, half(c.width)) for c in view.answer.courses
    }


def _page_view(path: Path) -> AllocationView:
    found = re.search(r'class="rat-view">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return AllocationView.from_dict(json.loads(found[1]))


@pytest.mark.parametrize("x", [QWEN, POST])
def test_trait_figure_text_table_and_page_say_the_same_numbers(x: Any, tmp_path: Path) -> None:
    w = rat.allocate(x, budget=300)
    numbers = _numbers(w.view)
    assert numbers_of(w.figure()) == numbers
    assert _numbers(AllocationView.from_dict(dict(w._view))) == numbers
    assert _numbers(_page_view(w.save(tmp_path / "plan.html"))) == numbers
    svg = html.unescape(w.save(tmp_path / "plan.svg").read_text("utf-8"))
    table = html.unescape(w._repr_mimebundle_()[0]["text/html"])
    for _, _, _, text in numbers.values():
        assert text in svg
        assert text in table
        assert text in str(w)
    assert plain(w.view.headline()) in " ".join(str(w).split())
    assert json.loads(w.save(tmp_path / "plan.json").read_text("utf-8")) == w.view.to_dict()


def test_a_plan_says_what_the_optimal_design_says() -> None:
    view = rat.allocate(QWEN, already=100, budget=500).view
    design = rat.optimal_design(QWEN, already=100, budget=500)
    assert view.courses["optimal"].width == pytest.approx(design.width, rel=1e-5)
    assert view.courses["r_then_t"].width == pytest.approx(
        design.compared["r_then_t"].widths["policy_adherence"], rel=1e-5
    )
    assert view.answer.now == pytest.approx(design.widths_now["policy_adherence"], rel=1e-5)


def test_bits_are_those_of_information() -> None:
    table = rat.information(QWEN)
    for strategy in rat.allocate(QWEN).view.group.strategies:
        assert strategy.bits == pytest.approx(table.loc[strategy.key, "bits"])
        cost = strategy.n_r + strategy.n_t
        assert strategy.bits / cost == pytest.approx(table.loc[strategy.key, "bits_per_cost"])


def test_arguments_are_what_is_shown_first() -> None:
    w = rat.allocate(QWEN, budget=300, prices={"R": 3, "T": 1}, target="task_success")
    assert w.controls["budget"] == 300
    assert w.controls["prices"] == {"R": 3, "T": 1}
    assert w.view.target.key == "task_success"
    assert w.view.unit == "units"
    again = eval(w.view.python + ", controls=w.controls)", {"rat": rat, "w": w})
    assert again.view.answer == w.view.answer


def test_controls_that_are_set_move_the_view_and_are_followed() -> None:
    w = rat.allocate(QWEN)
    heard: list[Any] = []
    w.on_change(heard.append)
    before = w.view
    w.controls = {**w.controls, "budget": 900}
    assert heard[0]["budget"] == 900
    assert w.view.courses["all_joint"].width < before.courses["all_joint"].width
    assert w.view.answer.now == before.answer.now
    w.controls = {"n0": 400}
    assert w.view.answer.now == pytest.approx(before.answer.now / 2, rel=0.05)


@pytest.mark.parametrize(
    "wrong", [{"budget": -1}, {"prices": {"R": 0, "T": 1}}, {"target": "abstention"}, {"x": 1}]
)
def test_controls_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    w = rat.allocate(QWEN)
    with pytest.raises(traitlets.TraitError):
        w.controls = wrong
    assert w.controls["budget"] == 500


def test_more_labels_keep_what_the_reader_has_set() -> None:
    w = rat.allocate(TABLE)
    w.controls = {**w.controls, "budget": 250, "hidden": ["all_t"]}
    before = w.view
    w.update(_table(labelled=300))
    assert w.controls["budget"] == 250
    assert w.view.controls.hidden == ("all_t",)
    assert w.view.answer.now < before.answer.now
    w.update(rat.fit(_table(labelled=500), draws=400))
    assert w.view.answer.now < before.answer.now


def test_rows_are_those_that_may_be_labelled() -> None:
    w = rat.allocate(TABLE)
    rows = w.rows("answered")
    pool = {stratum.name: stratum.n_rows for stratum in w.view.group.strata}
    assert len(rows) == pool["answered"]
    assert (rows["A"] == 0).all()
    assert rows["R"].isna().all()
    assert len(w.rows("abstained")) == pool["abstained"]
    with pytest.raises(ArgumentError, match="hit_wrong"):
        w.rows("hit_wrong")
    for made in (rat.allocate(QWEN), rat.allocate(TABLE, pool="fresh")):
        with pytest.raises(NoRowsError):
            made.rows("answered")


def test_the_posterior_is_the_one_behind_the_plan() -> None:
    assert rat.allocate(POST).posterior() is not None
    with pytest.raises(ArgumentError, match="Theta"):
        rat.allocate(QWEN).posterior()


def test_systems_are_planned_one_by_one() -> None:
    df = pd.concat([_table().assign(system="a"), _table(300).assign(system="b")])
    w = rat.allocate(df, by=["system"], controls={"group": "b"})
    assert [group.label for group in w.view.groups] == ["a", "b"]
    assert w.view.group.label == "b"
    alone = rat.allocate(_table(300))
    assert w.view.answer.now == pytest.approx(alone.view.answer.now, rel=0.05)
    with pytest.raises(ArgumentError, match="'c'"):
        rat.allocate(df, by=["system"], controls={"group": "c"})


def test_a_page_holds_counts_and_no_rows(tmp_path: Path) -> None:
    w = rat.allocate(TABLE, item="query")
    path = w.save(tmp_path / "plan.html")
    assert "secret" not in path.read_text("utf-8")
    assert path.stat().st_size < 250_000
    with pytest.raises(ArgumentError, match="rows"):
        w.save(tmp_path / "plan.html", include_rows=True)
    with pytest.raises(ArgumentError):
        w.save(tmp_path / "plan.xlsx")


def test_a_name_that_is_markup_stays_text(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    df = pd.concat([_table(300).assign(system=evil), _table(300).assign(system="b")])
    w = rat.allocate(df, by=["system"])
    assert "<img" not in w._repr_mimebundle_()[0]["text/html"]
    page = w.save(tmp_path / "plan.html").read_text("utf-8")
    assert "<img" not in page.replace(json.dumps(evil), "")


@pytest.mark.parametrize(
    ("keywords", "error"),
    [
        ({"budget": -5}, ViewError),
        ({"prices": {"R": 1, "T": -1}}, ViewError),
        ({"target": "nothing"}, ArgumentError),
        ({"pool": -3}, ArgumentError),
        ({"draws": 100}, ArgumentTypeError),
        ({"ci_prob": 2}, ArgumentError),
    ],
)
def test_misuse_is_told(keywords: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        rat.allocate(QWEN, **keywords)


def test_a_wrong_column_is_an_error_that_lists_the_columns() -> None:
    with pytest.raises(Exception, match="R"):
        rat.allocate(TABLE.drop(columns=["R", "A", "T"]))


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"R": [1], "A": [0], "T": [1]}),
        pd.DataFrame({"R": [1] * 40, "A": [0] * 40, "T": [1] * 40}),
        pd.DataFrame({"R": [0] * 40, "A": [1] * 40, "T": [None] * 40}),
        pd.DataFrame({"R": [None] * 9, "A": [0, 1, 0] * 3, "T": [None] * 9}),
    ],
)
def test_tables_at_the_edge_give_a_wide_plan_and_no_crash(table: pd.DataFrame) -> None:
    view = rat.allocate(table).view
    assert 0 < view.courses["optimal"].width <= view.answer.now
    assert plain(view.headline()).endswith(".")


def test_graded_judged_and_scored_systems_are_planned() -> None:
    rates = {"j": {"of": "task", "tpr": 0.9, "fpr": 0.2}}
    df = rat.simulate(QWEN, n=400, judges=rates, seed=2)
    df.loc[100:, ["R", "T"]] = None
    w = rat.allocate(df, judges=[rat.Judge("j", of="task")], draws=800)
    assert {t.key for t in w.view.targets} >= {"tpr[j]", "fpr[j]"}
    assert len(w.view.to_json()) < 200_000
    utility = rat.allocate(QWEN, policy={"hit_right": 2, "miss_wrong": -1})
    assert not utility.view.target.is_rate
    assert "points" not in plain(utility.view.headline())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 600, 880, 1100, 1600])
def test_texts_of_the_picture_stay_inside_and_apart(width: int, theme: str) -> None:
    for x in (QWEN, POST):
        scene = allocation_scene(rat.allocate(x).view, theme=theme, width=width)
        boxes = [text.box for text in scene.texts if text.text.strip()]
        for box, text in zip(boxes, scene.texts, strict=False):
            assert box.left >= -1, text
            assert box.right <= width + 1, text
        clash = [
            (a.text, b.text)
            for i, a in enumerate(scene.texts)
            for b in scene.texts[:i]
            if a.box.overlaps(b.box)
        ]
        assert clash == []


def test_a_picture_cannot_be_narrower_than_a_phone() -> None:
    with pytest.raises(ArgumentError, match="320"):
        rat.allocate(QWEN).figure(width=200)
