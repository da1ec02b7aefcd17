"""`rat.judges`: one view in trait, figure, text and page; refits under controls; misuse."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import traitlets

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError, LabelValueError, NoRowsError
from rat_widgets.figures.judge_text import judge_text
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.views.judge import JudgeView
from rat_widgets.views.sentences import plain

from .judge_tables import JUDGES, OF_R, OF_T, judged_table

TABLE = judged_table()
POST = rat.fit(TABLE, judges=JUDGES, draws=4000)


def widget(**controls: Any) -> Any:
    return rat.judges(POST, controls=controls)


def _numbers(view: JudgeView) -> dict[str, tuple[Any, ...]]:
    """Every number that the picture shows, as the view has it."""
    group = view.group
    shown: dict[str, Any] = dict(group.rates)
    for way in ("naive", "humans", "joint"):
        shown |= {f"{way}: {k}": s for k, s in getattr(group.beliefs, way).items()}
    shown |= {row.key: row.youden for row in group.report}
    return {k: (e.value, e.lower, e.upper, e.text) for k, e in shown.items()}


def _page_view(path: Path) -> JudgeView:
    found = re.search(r'class="rat-view">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return JudgeView.from_dict(json.loads(found[1]))


@pytest.mark.parametrize("controls", [{}, {"pins": {"fpr[lenient]": 0.4}}])
def test_trait_figure_text_table_and_page_say_the_same_numbers(
    controls: dict[str, Any], tmp_path: Path
) -> None:
    w = widget(**controls)
    numbers = _numbers(w.view)
    assert numbers_of(w.figure()) == numbers
    if not controls:
        assert _numbers(JudgeView.from_dict(dict(w._view))) == numbers
        assert _numbers(_page_view(w.save(tmp_path / "judges.html"))) == numbers
    svg = w.save(tmp_path / "judges.svg").read_text("utf-8")
    table = w._repr_mimebundle_()[0]["text/html"]
    for key, (_, _, _, text) in numbers.items():
        if ":" in key:  # beliefs; rates stand in the picture in data terms
            assert html.escape(text) in table
            assert text in str(w) or "pinned" in text
    assert plain(w.view.headline()).split(";")[0] in html.unescape(svg)
    assert json.loads(w.save(tmp_path / "judges.json").read_text("utf-8")) == w.view.to_dict()


def test_without_controls_the_view_is_that_of_the_posterior_given() -> None:
    view = widget().view
    summary = POST.summary()
    for key, spread in view.group.rates.items():
        assert spread.value == pytest.approx(summary.loc[key, "mean"], abs=1e-5)
        assert spread.upper == pytest.approx(summary.loc[key, "upper"], abs=1e-5)
    joint = view.group.beliefs.joint
    for key in ("retrieval_success", "task_success", "policy_adherence"):
        assert joint[key].lower == pytest.approx(summary.loc[key, "lower"], abs=1e-5)
    for row in view.group.report:
        frame = POST.judges.loc[row.key]
        assert row.kappa.value == pytest.approx(frame["kappa"], abs=1e-5)
        assert (row.n_human, row.n_only) == (frame["n_human"], frame["n_only"])


def test_human_labels_alone_are_the_fit_without_judges() -> None:
    labelled = TABLE[TABLE[["R", "T"]].notna().any(axis=1)]
    alone = rat.fit(labelled[["R", "A", "T"]], draws=4000).summary()
    humans = widget().view.group.beliefs.humans
    for key, spread in humans.items():
        assert spread.value == pytest.approx(alone.loc[key, "mean"], abs=1e-5)


def test_verdicts_as_truth_are_the_fit_of_the_filled_table() -> None:
    filled = TABLE.assign(R=TABLE["R"].fillna(TABLE["jR"]), T=TABLE["T"].fillna(TABLE["jT"]))
    naive = widget().view.group.beliefs.naive
    summary = rat.fit(filled[["R", "A", "T"]], draws=4000).summary()
    for key, spread in naive.items():
        assert spread.value == pytest.approx(summary.loc[key, "mean"], abs=1e-5)


def test_a_judge_left_out_is_a_fit_without_it() -> None:
    w = widget(left_out=["lenient"])
    without = rat.fit(TABLE, judges=[OF_T], draws=4000)
    np.testing.assert_array_equal(w.posterior().draws.theta, without.draws.theta)
    assert [row.key for row in w.view.group.report] == ["strict"]


def test_with_every_judge_left_out_human_labels_and_a_are_left() -> None:
    view = widget(left_out=["lenient", "strict"]).view
    alone = rat.fit(TABLE[["R", "A", "T"]], draws=4000).summary()
    for key, spread in view.group.beliefs.joint.items():
        assert spread.value == pytest.approx(alone.loc[key, "mean"], abs=1e-5)
    assert plain(view.headline()).startswith("Every judge is left out")
    assert "left out" in judge_text(view)


def test_edited_priors_are_those_of_a_new_fit() -> None:
    w = widget(priors={"fpr[lenient]": [0.3, 40], "tpr[strict]": [0.9, 20]})
    again = rat.fit(TABLE, judges=JUDGES, draws=4000, priors=w.priors())
    np.testing.assert_array_equal(w.posterior().draws.theta, again.draws.theta)
    assert w.priors()["fpr[lenient]"] == pytest.approx((12, 28))


def test_priors_of_graded_retrieval_are_the_dirichlet_that_was_given() -> None:
    table = TABLE.assign(R=TABLE["R"] * 2)
    levels = ("none", "partial", "all")
    post = rat.fit(
        table,
        judges=[OF_T],
        retrieval_levels=levels,
        priors={"retrieval": (2, 3, 4), "abstain_given[none]": (1, 5)},
        draws=400,
    )
    w = rat.judges(post, controls={"pins": {"fpr[strict]": 0.2}})
    assert w.priors()["retrieval"] == pytest.approx([2, 3, 4])
    again = rat.fit(table, judges=[OF_T], retrieval_levels=levels, priors=w.priors(), draws=400)
    np.testing.assert_allclose(again.draws.priors.as_array(), post.draws.priors.as_array())
    assert w.view.group.beliefs.joint["retrieval_success"].value is not None


def test_a_pinned_rate_is_constant_and_everything_else_follows() -> None:
    w = widget(pins={"fpr[lenient]": 0.4})
    post = w.posterior()
    assert (post["fpr[lenient]"] == 0.4).all()
    assert post["retrieval_success"].mean() < POST["retrieval_success"].mean() - 0.01
    view = w.view
    assert view.group.rates["fpr[lenient]"].text == "40% (pinned)"
    assert plain(view.headline()).startswith("What if: ")
    assert "40% instead of" in plain(view.deck())
    fitted = view.group.fitted
    assert fitted is not None
    assert fitted["fpr[lenient]"].value == pytest.approx(POST["fpr[lenient]"].mean(), abs=1e-5)
    warned = [line for line in str(w).split("Warning: ") if "the labels put it at" in line]
    assert warned


def test_groups_share_a_judge_and_can_be_chosen_by_name() -> None:
    table = pd.concat([TABLE.assign(s="<b>a</b>"), judged_table(seed=5).assign(s="b")])
    posts = rat.fit(table, by="s", judges=[OF_R], draws=800)
    w = rat.judges(posts, controls={"group": "b", "pins": {"tpr[lenient]": 0.8}})
    assert w.controls["group"] == 1
    both = [p["fpr[lenient]"] for p in posts]
    np.testing.assert_array_equal(both[0], both[1])
    assert (w.posterior()["tpr[lenient]"] == 0.8).all()
    assert w.posterior().group == {"s": "b"}
    assert "<b>a</b>" not in rat.judges(posts)._repr_mimebundle_()[0]["text/html"]


def test_no_human_labels_are_never_passed_over() -> None:
    table = judged_table(n_human=0, n=300)
    w = rat.judges(table, judges=[OF_R], draws=800)
    said = plain(w.view.headline())
    assert said.startswith("No human labels of R")
    assert "nobody can say what the verdicts are worth" in plain(w.view.worth_line())
    told = rat.judges(table, judges=[OF_R], draws=800, constraint="tpr>fpr")
    assert told.view.constraint == "tpr>fpr"
    assert "if it beats a coin, as you said" in plain(told.view.headline())


def test_passes_that_nobody_checked_and_a_copied_column_are_told() -> None:
    table = TABLE.copy()
    table.loc[(table["jR"] == 1), "R"] = np.nan
    unchecked = rat.fit(table, judges=[OF_R], draws=400)
    assert "passed_unchecked" in unchecked.diagnosis.codes
    assert "passed_unchecked" not in POST.diagnosis.codes
    copied = rat.fit(TABLE.assign(jR=TABLE["R"]), judges=[OF_R], draws=400)
    assert "judge_is_label" in copied.diagnosis.codes
    assert "judge_is_label" not in POST.diagnosis.codes
    assert any("leave it out" in note.text for note in rat.judges(copied).view.group.notes)


@pytest.mark.parametrize("verdict", [0.0, 1.0])
def test_a_constant_judge_says_nothing_and_is_told_of(verdict: float) -> None:
    w = rat.judges(TABLE.assign(jR=verdict), judges=[OF_R], draws=800)
    assert "nearly the same" in str(w)
    alone = rat.fit(TABLE[["R", "A", "T"]], draws=800).summary()
    for key, joint in w.view.group.beliefs.joint.items():
        assert joint.value == pytest.approx(alone.loc[key, "mean"], abs=0.02)


def test_verdicts_on_abstained_rows_alone_say_nothing() -> None:
    table = TABLE.assign(jT=np.where(TABLE["A"] == 1, 1.0, np.nan))
    w = rat.judges(table, judges=[OF_T], draws=800)
    assert plain(w.view.headline()).startswith("No verdicts yet")
    assert plain(w.view.worth_line()[1:]) == "There are no verdicts to weigh."


def test_an_empty_table_and_missing_verdicts_give_a_picture() -> None:
    for table in (TABLE.iloc[:0], TABLE.assign(jR=np.nan)):
        w = rat.judges(table, judges=[OF_R], draws=400)
        assert plain(w.view.headline()).startswith("No ")
        assert w.figure(width=320) is not None


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: rat.judges(TABLE.assign(jR="yes"), judges=[OF_R]), LabelValueError),
        (lambda: rat.judges(TABLE.assign(jR=0.7), judges=[OF_R]), LabelValueError),
        (lambda: rat.judges(TABLE[["R", "A", "T"]]), ArgumentError),
        (lambda: rat.judges(rat.fit(TABLE[["R", "A", "T"]])), ArgumentError),
        (lambda: rat.judges(POST, draws=100), ArgumentTypeError),
        (lambda: rat.judges(TABLE, judges=[OF_R], nonsense=1), ArgumentTypeError),
        (
            lambda: rat.judges(TABLE, judges=[OF_R, rat.Judge("jT", of="task", name="lenient")]),
            ArgumentError,
        ),
        (lambda: rat.judges(TABLE, judges=[rat.Judge("R", of="retrieval")]), ArgumentError),
        (lambda: rat.Judge("jR", of="retrieval", prior={"tpr": (0, 1)}), ArgumentError),
        (lambda: rat.judges(POST, ci_prob=95), ArgumentError),
        (lambda: widget(group="nobody"), ArgumentError),
        (lambda: widget().rows("hit_wrong"), ArgumentError),
        (lambda: widget().rows(("passed", "nobody")), ArgumentError),
        (lambda: widget().figure(theme="blue"), ArgumentError),
        (lambda: widget().figure(width=100), ArgumentError),
        (lambda: widget().save("judges.txt"), ArgumentError),
    ],
)
def test_misuse_is_refused_with_what_is_accepted(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as refused:
        make()
    assert len(str(refused.value).splitlines()) >= 2


@pytest.mark.parametrize(
    "controls",
    [
        {"pins": {"fpr[nobody]": 0.4}},
        {"pins": {"fpr[lenient]": 40}},
        {"priors": {"fpr[lenient]": [1, 10]}},
        {"left_out": ["nobody"]},
        {"group": 3},
        {"pinned": {}},
        [],
    ],
)
def test_a_trait_set_to_controls_that_do_not_fit_keeps_the_old(controls: Any) -> None:
    w = widget()
    before = dict(w.controls)
    with pytest.raises(traitlets.TraitError):
        w.controls = controls
    assert dict(w.controls) == before


def test_rows_of_a_judge_are_those_of_the_table() -> None:
    w = rat.judges(TABLE, judges=JUDGES, draws=400)
    passed = w.rows(("passed", "lenient"))
    assert list(passed["question"]) == list(TABLE[TABLE["jR"] == 1]["question"])
    wrong = w.rows(("disagrees", "strict"))
    both = TABLE["T"].notna() & TABLE["jT"].notna() & (TABLE["T"] != TABLE["jT"])
    assert list(wrong["question"]) == list(TABLE[both]["question"])
    with pytest.raises(NoRowsError):
        rat.judges(rat.fit(w.posterior().labels.counts, draws=400)).rows(("passed", "lenient"))


def test_rows_get_into_a_page_only_when_asked_for(tmp_path: Path) -> None:
    w = rat.judges(TABLE, judges=JUDGES, draws=400)
    for name in ("a.html", "a.svg", "a.json"):
        assert "secret question" not in w.save(tmp_path / name).read_text("utf-8")
    assert "secret question" not in str(w._view)
    page = w.save(tmp_path / "b.html", include_rows=True)
    assert page.read_text("utf-8").count("secret question") == len(TABLE)


def test_a_page_asks_nothing_of_the_network_and_keeps_what_was_set(tmp_path: Path) -> None:
    w = widget(pins={"fpr[lenient]": 0.4}, left_out=["strict"])
    page = w.save(tmp_path / "judges.html")
    view = _page_view(page)
    assert view.moves is None
    assert view.controls.pins == {"fpr[lenient]": 0.4}
    assert "default-src 'none'" in page.read_text("utf-8")


def test_update_keeps_the_controls_and_takes_the_new_rows() -> None:
    w = rat.judges(TABLE, judges=JUDGES, draws=400, controls={"pins": {"fpr[lenient]": 0.4}})
    w.update(judged_table(n=900, n_human=300))
    assert w.controls["pins"] == {"fpr[lenient]": 0.4}
    assert w.view.group.n_rows == 900
    with pytest.raises(ArgumentError):
        w.update(TABLE[["R", "A", "T"]].pipe(rat.fit, draws=400))


def test_a_report_holds_the_judges_where_there_are_some(tmp_path: Path) -> None:
    text = rat.report(POST, tmp_path / "r.html").read_text("utf-8")
    kinds = re.findall(r'class="rat-view">\{"kind":"(\w+)"', text)
    assert kinds == ["tree", "judge"]
    alone = rat.fit(TABLE[["R", "A", "T"]], draws=400)
    text = rat.report(alone, tmp_path / "s.html").read_text("utf-8")
    assert re.findall(r'class="rat-view">\{"kind":"(\w+)"', text) == ["tree"]


def test_the_python_call_makes_the_view_again() -> None:
    w = rat.judges(TABLE, judges=[OF_R], draws=400, ci_prob=0.8)
    call = w.view.python + ")"
    again = eval(call, {"rat": rat, "df": TABLE})
    assert again.view.group == w.view.group


def test_the_first_picture_needs_neither_jax_nor_plotly() -> None:
    code = (
        "import sys\n"
        "from judge_tables import JUDGES, judged_table\n"
        "import rat_widgets as rat\n"
        "w = rat.judges(judged_table(), judges=JUDGES)\n"
        "w._repr_mimebundle_()\n"
        "w.controls = {'pins': {'fpr[lenient]': 0.4}}\n"
        "w.view\n"
        "print([m for m in ('jax', 'numpyro', 'plotly') if m in sys.modules])\n"
    )
    root = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_worth_of_each_judge_is_that_of_the_frame() -> None:
    table = pd.concat([TABLE.assign(s="a"), judged_table(seed=5).assign(s="b")])
    posts = rat.fit(table, by="s", judges=JUDGES, draws=800)
    frame = posts.judges
    for group in rat.judges(posts).view.groups:
        for row in group.report:
            told = frame.loc[(group.label, row.key)]
            for key, column in (
                ("policy_adherence", "worth"),
                ("task_success", "worth_task_success"),
            ):
                worth = row.worth[key]
                assert worth.worth == pytest.approx(told[column], rel=1e-4)
                assert worth.worth_verdicts == pytest.approx(told[f"{column}_verdicts"], rel=1e-4)
        both = group.worth["policy_adherence"].worth_verdicts
        assert both is not None
        assert both > max(row.worth["policy_adherence"].worth_verdicts or 0 for row in group.report)
