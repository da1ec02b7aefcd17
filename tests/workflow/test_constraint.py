"""A constraint on judges: what it is about, what takes its place, and that it stays."""

from __future__ import annotations

import numpy as np
import pytest

import rat_widgets as rat
from rat_widgets.errors import EngineError
from rat_widgets.inference.engine import sample
from rat_widgets.model.priors import Priors
from rat_widgets.views import judge_finding
from rat_widgets.views.sentences import plain

THETA = rat.Theta(
    retrieval_success=0.6,
    abstain_given_miss=0.5,
    abstain_given_hit=0.05,
    correct_given_miss=0.3,
    correct_given_hit=0.9,
)
JUDGES = [rat.Judge("a", of="retrieval"), rat.Judge("b", of="retrieval")]
APART = [rat.Judge("a", of="retrieval"), rat.Judge("c", of="task")]


def table(seed: int, judges=JUDGES):
    rates = [(judges[0], 0.9, 0.2), (judges[1], 0.8, 0.1)]
    return rat.simulate(THETA, 400, "judge_only", judges=rates, seed=seed).assign(R=None, T=None)


def test_an_update_of_a_constrained_posterior_is_constrained() -> None:
    post = rat.fit(table(1), judges=JUDGES, constraint="tpr>fpr", draws=400)
    for widget in (rat.tree(post), rat.judges(post)):
        widget.update(table(2))
        draws = widget.posterior().draws
        assert (draws.tpr > draws.fpr).all()


def test_a_rate_that_is_held_takes_the_place_of_the_constraint() -> None:
    """The judge of T stays bound; that of R is where it was put, on the other side."""
    held = Priors.flat(APART).holding({"fpr[a]": 0.9})
    post = rat.fit(
        table(1, APART), judges=APART, priors=held, constraint="tpr>fpr", draws=800, seed=1
    )
    assert (post["fpr[a]"] == 0.9).all()
    assert (post["tpr[a]"] < 0.9).mean() > 0.99
    assert (post["tpr[c]"] > post["fpr[c]"]).all()
    (said,) = [m.text for m in post.diagnosis.messages if m.code == "constraint"]
    assert said.startswith("TPR of 'c' is above FPR")


def test_draws_under_a_constraint_on_some_are_those_where_it_holds_for_these() -> None:
    """Against the draws without a constraint, of which those that break it are left out here."""
    counts = rat.Labels.from_frame(table(3, APART), judges=APART).counts
    (free,) = sample(counts, draws=6000, seed=2)
    (told,) = sample(counts, draws=1600, seed=3, constraint="tpr>fpr", exempt=["a"])
    kept = free.tpr[..., 1] > free.fpr[..., 1]
    names = free.priors.names
    error = np.array([1 / np.sqrt(min(told.diagnosis.ess_bulk[n], 400)) for n in names])
    mine = np.concatenate([told.theta, told.rates], axis=-1).reshape(-1, len(names))
    theirs = np.concatenate([free.theta, free.rates], axis=-1)[kept]
    # both are averages of correlated draws: four standard errors of the one with fewer
    assert (np.abs(mine.mean(0) - theirs.mean(0)) < 4 * error * theirs.std(0)).all()
    codes = [m.text for m in told.diagnosis.messages if m.code == "not_anchored"]
    (open_truth,) = codes  # of T the constraint says which
    assert "label of R" in open_truth


def test_a_constraint_that_is_about_no_judge_changes_nothing() -> None:
    held = Priors.flat(JUDGES).holding({"tpr[a]": 0.9, "fpr[b]": 0.1})
    how = {"judges": JUDGES, "priors": held, "draws": 400}
    free, told = rat.fit(table(1), **how), rat.fit(table(1), **how, constraint="tpr>fpr")
    np.testing.assert_array_equal(free.theta, told.theta)
    assert "constraint" not in told.diagnosis.codes


@pytest.mark.parametrize("moved", [{"pins": {"fpr[a]": 0.9}}, {"priors": {"fpr[a]": (0.9, 80)}}])
def test_what_the_reader_sets_takes_the_place_of_the_constraint(moved) -> None:
    widget = rat.judges(table(1, APART), judges=APART, constraint="tpr>fpr", draws=400)
    widget.controls = moved
    assert widget.view.group.rates["fpr[a]"].value > 0.8
    draws = widget.posterior()
    assert (draws["tpr[a]"] < draws["fpr[a]"]).mean() > 0.9
    assert (draws["tpr[c]"] > draws["fpr[c]"]).all()
    assert widget.view.constraint == "tpr>fpr"  # as the fit was told, which a reset returns to


@pytest.mark.parametrize("moved", [{"pins": {"fpr[a]": 0.9}}, {"priors": {"fpr[a]": (0.9, 80)}}])
def test_an_update_of_what_a_reader_had_set_is_bound_to_no_more_than_that(moved) -> None:
    """A judge that was set on the other side of a coin stays there, however it is refitted."""
    widget = rat.judges(table(1, APART), judges=APART, constraint="tpr>fpr", draws=400)
    widget.controls = moved
    post = widget.posterior()
    assert post.draws.exempt == ("a",)
    for again in (rat.judges(post), rat.tree(post)):
        again.update(table(2, APART))
        draws = again.posterior().draws
        assert (draws.tpr[..., 0] < draws.fpr[..., 0]).mean() > 0.9
        assert (draws.tpr[..., 1] > draws.fpr[..., 1]).all()
        assert draws.exempt == ("a",)
    view = rat.judges(post).view
    assert (view.constraint, view.exempt) == ("tpr>fpr", ("a",))


@pytest.mark.parametrize("moved", [{"pins": {"fpr[a]": 0.9}}, {"priors": {"fpr[a]": (0.9, 80)}}])
def test_a_judge_that_a_reader_has_set_is_not_said_to_beat_a_coin(moved) -> None:
    widget = rat.judges(table(1, APART), judges=APART, constraint="tpr>fpr", draws=400)
    told = {j.key: judge_finding.warnings(widget.view, j) for j in widget.view.judges}
    assert "on your word that it beats a coin" in told["a"][0]
    widget.controls = moved
    view = widget.view
    told = {j.key: judge_finding.warnings(view, j) for j in view.judges}
    assert "on your word" not in told["a"][0]
    assert "on your word that it beats a coin" in told["c"][0]
    headline = plain(view.headline())
    assert "as you said" not in headline
    assert "nothing here shows how often it is right" in headline  # and no corrected number


def test_a_judge_that_beats_a_coin_speaks_for_others_of_its_truth() -> None:
    """Its verdicts say which way round the truth is, for all of them."""
    widget = rat.judges(table(1), judges=JUDGES, constraint="tpr>fpr", draws=400)
    widget.controls = {"priors": {"fpr[a]": (0.3, 8)}}
    assert "as you said" in plain(widget.view.headline())
    widget.controls = {"priors": {"fpr[a]": (0.3, 8), "tpr[b]": (0.7, 8)}}
    assert "as you said" not in plain(widget.view.headline())


def test_a_view_that_cannot_be_had_is_the_fit_with_a_note(tmp_path) -> None:
    """Judge a is turned round by hand, and b, which agrees with it, must not turn."""
    widget = rat.judges(table(1), judges=JUDGES, constraint="tpr>fpr", draws=400)
    fitted = widget.view
    widget.controls = {"pins": {"fpr[a]": 0.95, "tpr[a]": 0.05}}
    with pytest.raises(EngineError, match="TPR is above FPR in"):
        widget.posterior()
    shown = widget.view
    assert shown.group.rates == fitted.group.rates
    assert shown.controls.pins == {"fpr[a]": 0.95, "tpr[a]": 0.05}
    note = shown.group.notes[0]
    assert note.level == "problem"
    assert "cannot be answered" in note.text
    assert "TPR is above FPR in" in note.text
    assert "cannot be answered" in str(widget)
    assert "cannot be answered" in widget._repr_mimebundle_()[0]["text/html"]
    assert "cannot be answered" in widget.save(tmp_path / "judges.html").read_text("utf-8")
    widget.controls = {}
    assert widget.view == fitted


def test_what_is_set_of_a_judge_that_is_left_out_is_dropped() -> None:
    widget = rat.judges(table(1, APART), judges=APART, draws=400)
    both = {"pins": {"tpr[a]": 0.5, "tpr[c]": 0.7}, "priors": {"fpr[a]": (0.5, 4)}}
    widget.controls = {"left_out": ["a"], **both}
    assert widget.controls["pins"] == {"tpr[c]": 0.7}
    assert widget.controls["priors"] is None
    widget.controls = {"left_out": ["a", "c"], **both}
    assert widget.controls["pins"] is None
    assert "You left out 2 judges." in " ".join(str(widget).split())
