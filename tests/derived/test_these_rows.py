"""The rows in hand as the estimand: laws, and all labels that nobody saw, one by one."""

from __future__ import annotations

import base64
import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

import rat_widgets as rat
from rat_widgets.derived.these_rows import row_theta, row_worlds
from rat_widgets.model.worlds import world_probabilities, worlds_of
from rat_widgets.present.tree import tree_view

THETA = rat.Theta(
    retrieval_success=0.6,
    abstain_given_miss=0.5,
    abstain_given_hit=0.1,
    correct_given_miss=0.3,
    correct_given_hit=0.8,
)
RATES = {
    "jr": {"of": "retrieval", "tpr": 0.9, "fpr": 0.3},
    "jt": {"of": "task", "tpr": 0.9, "fpr": 0.2},
}
JUDGES = [rat.Judge("jr", of="retrieval"), rat.Judge("jt", of="task")]
ROW = st.tuples(st.booleans(), st.booleans(), st.booleans())


def hidden(n=300, n_seen=80, seed=0, **keywords):
    frame = rat.simulate(THETA, n=n, seed=seed, **keywords)
    frame.loc[n_seen:, ["R", "T"]] = None
    return frame


def widths(posterior):
    table = posterior.summary()
    return table["upper"] - table["lower"]


@given(st.lists(ROW, min_size=1, max_size=30))
@settings(max_examples=30)
def test_complete_labels_give_the_observed_rates_and_no_width(rows):
    r, a, t = np.array(rows).T
    frame = pd.DataFrame({"R": r, "A": a, "T": t & ~a}).astype(int)
    table = rat.fit(frame, estimand="these_rows", draws=40).summary()
    assert (table["upper"] == table["lower"]).loc[["retrieval_success", "abstention"]].all()
    observed = {
        "retrieval_success": r.mean(),
        "abstention": a.mean(),
        "task_success": (t & ~a).mean(),
        "policy_adherence": np.where(r, t & ~a, a).mean(),
        "abstain_given_hit": a[r].mean() if r.any() else np.nan,
        "selective_accuracy": t[~a].mean() if (~a).any() else np.nan,
    }
    for key, rate in observed.items():
        assert table["lower"][key] == table["upper"][key] or np.isnan(rate)
        assert table["mean"][key] == pytest.approx(rate, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("judges", [(), JUDGES])
def test_no_interval_is_wider_than_that_of_the_population(judges):
    frame = hidden(judges=RATES if judges else ())
    population = rat.fit(frame, judges=judges)
    of_rows = population.for_these_rows()
    of_all = ["retrieval_success", "abstention", "task_success", "policy_adherence"]
    # Ends of an interval from 4,000 draws are off by about a twentieth of its half width.
    assert (widths(of_rows)[of_all] <= 1.05 * widths(population)[of_all]).all()
    assert widths(of_rows)["abstention"] < 1e-12


def test_known_labels_bound_every_draw():
    frame = hidden(n=100, n_seen=50)
    task = rat.fit(frame, estimand="these_rows")["task_success"] * 100
    seen = (frame["T"] == 1).sum()
    open_ = (frame["T"].isna() & (frame["A"] == 0)).sum()
    assert task.min() >= seen - 1e-9
    assert task.max() <= seen + open_ + 1e-9
    assert np.allclose(task, np.round(task))


def test_two_halves_of_which_one_is_known():
    """The known half adds no spread: half of the rate of the other half, plus a constant."""
    frame = hidden(n=400, n_seen=200, seed=4)
    whole = rat.fit(frame, seed=1)
    of_rows = whole.for_these_rows()["task_success"]
    other = frame.iloc[200:]
    counts = rat.Labels.from_frame(other).counts
    drawn = row_worlds(replace(whole.draws, counts=counts), seed=9)
    right = worlds_of().right == 1
    half = drawn[..., right].sum(axis=-1)
    known = (frame["T"][:200] == 1).sum() / 200
    assert of_rows.mean() == pytest.approx((known + half.mean()) / 2, abs=0.002)
    assert of_rows.std() == pytest.approx(half.std() / 2, rel=0.06)


def test_agrees_with_every_labelling_of_a_tiny_table():
    """P(labels that nobody saw | those seen), by Beta integrals over all labellings."""
    frame = pd.DataFrame(
        {
            "R": [1, 1, 0, None, None, 1, None, 0],
            "A": [0, 0, 1, 0, 1, 0, 0, 0],
            "T": [1, 0, None, None, None, None, 1, None],
        },
        dtype="Int8",
    )
    found: dict[int, float] = {}
    good: dict[int, float] = {}
    options = [_labellings(*row) for row in frame.itertuples(index=False)]
    for rows in itertools.product(*options):
        weight = np.exp(_log_marginal(np.array(rows)))
        n_right = sum(t for _, _, t in rows)
        n_good = sum(t if r else a for r, a, t in rows)
        found[n_right] = found.get(n_right, 0.0) + weight
        good[n_good] = good.get(n_good, 0.0) + weight
    post = rat.fit(frame, estimand="these_rows", draws=40_000)
    for key, exact in (("task_success", found), ("policy_adherence", good)):
        total = sum(exact.values())
        counted = np.round(post[key] * len(frame)).astype(int)
        for n, weight in exact.items():
            p = weight / total
            # Independent draws: five standard errors.
            assert (counted == n).mean() == pytest.approx(p, abs=5 * np.sqrt(p / 40_000))


def _labellings(r, a, t):
    for level in (0, 1) if pd.isna(r) else (int(r),):
        rights = (0,) if a == 1 else (0, 1) if pd.isna(t) else (int(t),)
        yield from ((level, int(a), right) for right in rights)


def _log_marginal(rows):
    r, a, t = rows.T
    parts = [(r, r >= 0)]
    for level in (0, 1):
        parts += [(a, r == level), (t, (r == level) & (a == 0))]
    return sum(betaln(1 + x[on].sum(), 1 + (1 - x[on]).sum()) for x, on in parts)


def test_one_seed_gives_one_answer_whatever_other_groups_there_are():
    frame = hidden(n=120, n_seen=40)
    frame["s"] = np.where(np.arange(120) % 3 == 0, "a", "b")
    posts = rat.fit(frame, by="s", estimand="these_rows", seed=3)
    alone = rat.fit(frame[frame["s"] == "a"], by="s", estimand="these_rows", seed=3).members[0]
    assert np.array_equal(posts.sel(s="a").worlds, alone.worlds)
    again = posts.for_population().for_these_rows()
    assert np.array_equal(again["task_success"], posts["task_success"])
    other = posts.for_these_rows(seed=4)
    assert not np.array_equal(other["task_success"], posts["task_success"])
    assert other["task_success"].mean() == pytest.approx(posts["task_success"].mean(), abs=0.01)


def test_rates_of_judges_stay_those_of_the_population():
    frame = hidden(judges=RATES)
    population = rat.fit(frame, judges=JUDGES)
    of_rows = population.for_these_rows()
    assert np.array_equal(of_rows["tpr[jt]"], population["tpr[jt]"])
    assert of_rows.judges.equals(population.judges)


def test_graded_shares_and_their_probabilities_are_the_same_worlds():
    tree = worlds_of(("none", "partial", "all"))
    rng = np.random.default_rng(0)
    shares = rng.multinomial(7, np.full(9, 1 / 9), size=(1, 200)) / 7
    theta = row_theta(shares, np.full((1, 200, 8), 0.5), tree)
    assert ((theta >= 0) & (theta <= 1)).all()
    assert world_probabilities(theta) == pytest.approx(shares, abs=1e-12)


def test_a_what_if_keeps_the_other_shares():
    post = rat.fit(hidden(n=100, n_seen=100), estimand="these_rows")
    moved = post.pin(retrieval_success=0.5)
    assert moved["correct_given_hit"] == pytest.approx(post["correct_given_hit"])
    expected = post["abstain_given_hit"] / 2 + post["abstain_given_miss"] / 2
    assert moved["abstention"] == pytest.approx(expected)
    assert np.array_equal(moved.unpin().worlds, post.worlds)


def test_errored_rows_are_in_or_out_as_the_labels_say():
    frame = hidden(n=50, n_seen=50)
    frame["broke"] = np.arange(50) < 10
    right = ((frame["T"] == 1) & (frame["A"] == 0)).to_numpy(bool)
    out = rat.fit(frame, errored="broke", estimand="these_rows")
    failed = rat.fit(frame, errored="broke", errored_as="failures", estimand="these_rows")
    assert out["task_success"] == pytest.approx(right[10:].mean())
    assert failed["task_success"] == pytest.approx(right[10:].sum() / 50)


def test_no_rows_have_no_rates():
    empty = pd.DataFrame({"R": [], "A": [], "T": []}, dtype="Int8")
    post = rat.fit(empty, estimand="these_rows", draws=40)
    assert np.isnan(post["task_success"]).all()
    assert np.isnan(post["retrieval_success"]).all()


def test_what_is_answered_for_the_population_only_says_so():
    frame = hidden(judges=RATES)
    with pytest.raises(rat.errors.ArgumentError, match="estimand"):
        rat.fit(frame, estimand="sample")
    with pytest.raises(rat.errors.ArgumentError, match="population"):
        rat.allocate(frame, estimand="these_rows")
    with pytest.raises(rat.errors.ArgumentError, match="for_population"):
        rat.optimal_design(rat.fit(frame, estimand="these_rows"), budget=100)
    with pytest.raises(rat.errors.ArgumentTypeError, match="seed"):
        rat.fit(frame).for_these_rows(seed=0.5)
    shown = rat.judges(frame, judges=JUDGES, estimand="these_rows").view.groups[0]
    assert any("Of exactly these 300 rows P(T) is" in note.text for note in shown.notes)
    population = rat.judges(frame, judges=JUDGES).view.groups[0]
    assert shown.beliefs == population.beliefs
    assert not any("exactly these" in note.text for note in population.notes)


def test_the_tree_says_which_rows_it_is_about_and_brings_their_draws():
    frame = hidden(n=200, n_seen=120)
    w = rat.tree(frame, estimand="these_rows")
    view = w.view
    assert view.estimand == "these_rows"
    assert "".join(text for text, _ in view.headline()).startswith("Per 100 of these 200 queries")
    assert "exactly these rows" in view.groups[0].rows
    post = rat.fit(frame, estimand="these_rows")
    packed = tree_view([post]).groups[0].draws
    raw = base64.b64decode(packed.theta)
    theta = np.frombuffer(raw, dtype="<u2").reshape(packed.n, 5) / 65_535
    right = world_probabilities(theta)[:, worlds_of().right == 1].sum(axis=1)
    assert right.mean() == pytest.approx(post["task_success"].mean(), abs=0.002)
    assert right.std() == pytest.approx(post["task_success"].std(), rel=0.1)
