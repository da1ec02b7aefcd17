"""A study as it is shown: view, picture, text."""

from __future__ import annotations

import pytest

import rat_widgets as rat
from rat_widgets.errors import ViewError
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.figures.study import study_scene
from rat_widgets.views.study import Measure, StudyPoint, StudyView

QWEN = rat.Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])


@pytest.fixture(scope="module")
def made():
    return rat.study_allocation(
        QWEN,
        budgets=(50, 1000),
        strategies={
            "all_t": "all_t",
            "r_then_t": "r_then_t",
            "all_joint": "all_joint",
            "<b>$mine$": {"all_r": 0.7, "all_joint": 0.3},
        },
        replications=50,
        progress=False,
    )


def test_the_figure_shows_the_numbers_of_the_table(made):
    shown = numbers_of(made.figure(), "study")
    table = made.table()
    assert len(shown) == 3 * len(table)
    for row in table.itertuples():
        for name in ("width", "mae", "coverage"):
            value, lower, upper, text = shown[f"{name} {row.strategy} {row.target} {row.budget:g}"]
            assert value == getattr(row, name)
            mcse = getattr(row, f"{name}_mcse")
            assert upper - value == pytest.approx(1.96 * mcse)
            assert lower == pytest.approx(max(0, value - 1.96 * mcse))
            assert text


def test_a_view_survives_json(made):
    assert StudyView.from_json(made.view.to_json()) == made.view


def test_the_headline_names_the_cheapest_of_the_narrowest(made):
    """all_joint and r_then_t resolve G on every row, so widths agree; r_then_t buys fewer T."""
    assert made.view.best("policy_adherence").strategy == "r_then_t"
    assert made.view.best("task_success").strategy == "all_t"
    assert "With 1,000 rows on top of 100 joint rows, r_then_t" in made.text()


@pytest.mark.parametrize("width", [320, 619, 1100, 2000])
def test_every_mark_is_inside_the_picture(made, width):
    scene = study_scene(made.view, width=width)
    assert all(0 <= datum.x <= width and 0 <= datum.y <= scene.height for datum in scene.data)
    for text in scene.texts:
        assert text.box.left >= -1
        assert text.box.right <= width + 1


def test_strategies_differ_by_more_than_colour(made):
    scene = study_scene(made.view)
    names = [text.text for text in scene.texts]
    assert all(name in names for name in made.strategies)
    assert all(datum.hover.startswith(made.strategies) for datum in scene.data)


def test_names_are_data_and_not_markup(made):
    assert "<b>$mine$" not in made.svg()
    assert "&lt;b&gt;" in made.svg()
    assert not any("<b>$" in str(a.text) for a in made.figure().layout.annotations)


def test_a_notebook_shows_the_picture_without_a_script(made):
    html = made._repr_html_()
    assert html.startswith("<svg")
    assert "<script" not in html


def test_a_study_of_which_nothing_is_done_says_so(made):
    empty = type(made)(plan=made.plan)
    assert "Nothing is simulated yet" in empty.text()
    assert empty.table().empty
    assert list(empty.table().columns) == list(made.table().columns)
    assert empty.figure() is not None


def test_points_of_unknown_strategies_are_refused():
    one = Measure(value=0.1, mcse=None, text="0.100")
    point = StudyPoint(
        strategy="x", target="t", budget=1, width=one, mae=one, coverage=one, cost=one,
        replications=1,
    )  # fmt: skip
    with pytest.raises(ViewError, match="not known"):
        StudyView(
            generator="", unit="rows", ci_prob=0.95, begins="", strategies=(), targets={"t": "T"},
            points=(point,), check="",
        )  # fmt: skip
