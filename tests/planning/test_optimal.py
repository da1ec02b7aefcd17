"""Optimal designs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.planning.convex import Problem, solve
from rat_widgets.planning.purchases import simulate_counts
from rat_widgets.planning.rules import Rule
from rat_widgets.planning.situation import expected_width
from rat_widgets.planning.strategies import NAMED, Strategy

inside = st.floats(0.05, 0.95)
thetas = st.lists(inside, min_size=5, max_size=5).map(rat.Theta.from_array)
prices = st.fixed_dictionaries({"R": st.floats(0.2, 5), "T": st.floats(0.2, 5)})
pools = st.sampled_from([None, 3000, {"abstained": 40, "answered": 500}, 60])
targets = st.sampled_from(["policy_adherence", "task_success", "lucky_share"])
flags = st.booleans()
rules = st.builds(Rule, flags, st.sampled_from(["R", "T"]), st.tuples(flags, flags))
BOTH = ["policy_adherence", "task_success"]


@settings(max_examples=60)
@given(thetas, prices, pools, targets, st.lists(rules, min_size=1, max_size=3))
def test_no_strategy_is_narrower_at_equal_cost(theta, prices, pool, target, chosen):
    design = rat.optimal_design(
        theta, target=target, prices=prices, budget=200, already=60, pool=pool
    )
    mine = Strategy("mine", tuple((1 / len(chosen), rule) for rule in chosen))
    for strategy in (mine, *(s for s in NAMED.values() if not s.buys_nothing)):
        width = expected_width(theta, 60, strategy, 200, prices=prices, pool=pool, target=target)
        assert design.width <= width * (1 + 1e-6)
    assert design.efficiency > 1 - 1e-4
    assert design.spent <= 200 * (1 + 1e-9)
    if design.pool is not None:
        for kind, n in design.pool.items():
            used = sum(a.n_rows for a in design.allotments if a.rows == kind)
            assert used <= n * (1 + 1e-9)


@pytest.mark.parametrize("pool", [None, 250])
@pytest.mark.parametrize("name", ["qwen", "apertus"])
def test_another_optimizer_finds_nothing_better(points, name, pool, monkeypatch):
    """SLSQP on the same problem from three starts, without our derivatives."""
    from rat_widgets.planning import optimal

    seen = []
    monkeypatch.setattr(optimal, "solve", lambda problem: seen.append(problem) or solve(problem))
    optimal.best_design(points[name], already=100, pool=pool, prices={"R": 2, "T": 1})
    problem = seen[0]
    ours = solve(problem)
    n = len(problem.gains)
    bounds = [{"type": "ineq", "fun": lambda w: 1 - w.sum()}]
    bounds += [{"type": "ineq", "fun": lambda w, u=u: 1 - u @ w} for u in problem.use]
    now = problem.value(np.zeros(n))
    for seed in range(3):
        start = np.random.default_rng(seed).dirichlet(np.ones(n)) / 3
        found = minimize(
            lambda w: problem.value(w) / now, start, method="SLSQP", bounds=[(0, 1)] * n,
            constraints=bounds, options={"maxiter": 300, "ftol": 1e-12},
        )  # fmt: skip
        assert ours.value <= found.fun * now * (1 + 1e-6)
        assert ours.value == pytest.approx(found.fun * now, rel=1e-3)


@st.composite
def problems(draw):
    """Any convex problem of the kind, not only those of labels."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    p, n, k = draw(st.integers(2, 6)), draw(st.integers(1, 8)), draw(st.integers(1, 3))
    roots = rng.normal(size=(n, p, draw(st.integers(1, 2)))) * rng.gamma(1, 3, size=(n, 1, 1))
    owner = rng.integers(0, draw(st.integers(1, 3)), size=n)
    use = [np.where(owner == i, rng.gamma(1, 1, size=n) + 0.1, 0) for i in set(owner.tolist())]
    return Problem(
        base=np.eye(p) * rng.gamma(2, 1),
        gains=roots @ roots.transpose(0, 2, 1),
        gradients=rng.normal(size=(k, p)),
        is_minimax=draw(st.booleans()),
        use=np.array(use[: draw(st.integers(0, len(use)))]).reshape(-1, n),
    )


@settings(max_examples=150)
@given(problems(), st.integers(0, 1000))
def test_the_bound_holds_and_is_close_for_any_problem(problem, seed):
    solution = solve(problem)
    assert (solution.shares >= 0).all()
    assert solution.shares.sum() <= 1 + 1e-9
    assert (problem.use @ solution.shares <= 1 + 1e-9).all()
    assert solution.gap <= 2e-3 * solution.value
    rng = np.random.default_rng(seed)
    for shares in rng.dirichlet(np.full(len(problem.gains), 0.5), size=20):
        load = max(1.0, (problem.use @ shares).max(initial=0))
        assert problem.value(shares / load) >= solution.value - solution.gap - 1e-9


def test_schemes_that_are_used_gain_alike_and_no_other_gains_more(qwen, monkeypatch):
    """The equivalence theorem, where nothing but the budget binds."""
    from rat_widgets.planning import optimal

    kept = []
    monkeypatch.setattr(optimal, "solve", lambda p: kept.append(solve(p)) or kept[-1])
    optimal.best_design(qwen, already=100, prices={"R": 1, "T": 3})
    found = kept[0]
    used = found.shares > 0
    assert used.sum() > 1
    best = found.gains_per_share.max()
    assert found.gains_per_share[used] == pytest.approx(best, rel=1e-5)


@settings(max_examples=30)
@given(thetas, targets, st.floats(0.1, 50))
def test_only_the_ratio_of_budget_and_prices_counts(theta, target, unit):
    one = rat.optimal_design(theta, target=target, budget=100, already=40)
    other = rat.optimal_design(
        theta, target=target, budget=100 * unit, prices={"R": unit, "T": unit}, already=40
    )
    assert other.width == pytest.approx(one.width, rel=1e-6)


@settings(max_examples=30)
@given(thetas, targets)
def test_more_to_spend_is_never_wider_and_dearer_labels_never_narrower(theta, target):
    widths = [
        rat.optimal_design(theta, target=target, budget=b, already=40, pool=400).width
        for b in (20, 100, 500)
    ]
    assert (np.diff(widths) <= 1e-5 * widths[0]).all()
    dear = rat.optimal_design(
        theta, target=target, budget=100, already=40, pool=400, prices={"R": 2, "T": 1}
    )
    assert dear.width >= widths[1] * (1 - 1e-6)


def test_savings_are_budgets_at_equal_width(qwen):
    design = rat.optimal_design(qwen, already=100, budget=500)
    for name in ("all_joint", "r_then_t", "t_then_r"):
        budget = design.compared[name].budget
        assert expected_width(qwen, 100, name, budget) == pytest.approx(design.width, rel=1e-5)
        assert design.savings[name] == pytest.approx(1 - 500 / budget)
    assert design.savings["all_r"] is None  # with R alone P(G) stays as open as P(T | A=0, R=1)
    assert expected_width(qwen, 100, "all_r", 1e9) > design.width
    ratio = design.compared["all_joint"].ratio
    assert ratio == pytest.approx(design.width / expected_width(qwen, 100, "all_joint", 500))


def test_the_design_is_a_strategy_for_fresh_rows(qwen):
    """Bought in simulation it costs what it should and is as narrow as it says.

    A mean width of 16 purchases has a standard error of 1%; of 40 it was off by 0.4%.
    """
    design = rat.optimal_design(qwen, already=100, budget=500)
    assert expected_width(qwen, 100, design.mixture, 500) == pytest.approx(design.width, rel=1e-6)
    rng = np.random.default_rng(5)
    start = simulate_counts(qwen, "all_joint", n_rows=100, rng=rng, size=16)
    widths = {"mixture": [], "all_joint": []}
    for name, strategy in (("mixture", design.mixture), ("all_joint", "all_joint")):
        more = simulate_counts(qwen, strategy, budget=500, rng=rng, size=16)
        for i in range(16):
            row = rat.fit(start.pattern_counts(i) + more.pattern_counts(i)).summary()
            lower, upper = row.loc["policy_adherence", ["lower", "upper"]]
            widths[name].append(upper - lower)
    assert np.mean(widths["mixture"]) == pytest.approx(design.width, rel=0.05)
    assert np.mean(widths["mixture"]) < 0.9 * np.mean(widths["all_joint"])
    labels = simulate_counts(qwen, design.mixture, budget=500, rng=rng, size=200)
    assert labels.n_r.mean() == pytest.approx(design.labels["R"], rel=0.02)
    assert labels.n_t.mean() == pytest.approx(design.labels["T"], rel=0.05)
    assert labels.n_rows.mean() == pytest.approx(design.n_drawn, rel=0.02)


def test_minimax_makes_the_wider_interval_narrow(qwen):
    sums = rat.optimal_design(qwen, target=BOTH, already=100)
    worst = rat.optimal_design(qwen, target=BOTH, already=100, criterion="minimax")
    assert max(worst.widths.values()) < max(sums.widths.values())
    assert np.diff(list(worst.widths.values())) == pytest.approx(0, abs=1e-4)
    assert worst.efficiency > 1 - 1e-4

    def total(design):
        return sum(w**2 for w in design.widths.values())

    assert total(sums) < total(worst)
    one = rat.optimal_design(
        qwen, target={"task_success": 1, "policy_adherence": 1e-6}, already=100
    )
    alone = rat.optimal_design(qwen, target="task_success", already=100)
    assert one.widths["task_success"] == pytest.approx(alone.width, rel=1e-3)


def test_for_task_success_labels_of_t_alone_are_best(qwen):
    design = rat.optimal_design(qwen, target="task_success", already=100)
    assert design.shares == {("answered", "T"): pytest.approx(1)}
    assert design.width == pytest.approx(
        expected_width(qwen, 100, "all_t", 500, target="task_success")
    )
    assert design.savings["all_t"] == pytest.approx(0, abs=1e-6)


def test_among_equals_the_cheapest_is_bought(qwen):
    """The pool runs out: joint labels on every row tell no more of P(G) than r_then_t."""
    design = rat.optimal_design(qwen, already=100, pool=200, budget=500)
    # sequential labels resolve G on all 200 rows for 1.63 x (1 - 26%) units each
    assert design.spent == pytest.approx(200 * 1.63 * 0.74, rel=0.01)
    assert "the pool runs out after" in design.advice
    assert design.width == pytest.approx(
        expected_width(qwen, 100, "r_then_t", 500, pool=200), rel=1e-4
    )


def test_a_table_is_planned_from_its_own_rows(qwen):
    frame = rat.simulate(qwen, 900, "judge_only", n0=100, seed=1)
    design = rat.optimal_design(frame)
    away = int((frame["A"].iloc[100:] == 1).sum())
    assert design.pool == {"abstained": away, "answered": 900 - away}
    post = rat.fit(frame)
    assert rat.optimal_design(post) == design
    assert rat.optimal_design(rat.Labels.from_frame(frame)) == design
    assert list(design.theta.values()) == pytest.approx(post.theta.mean(axis=(0, 1)).tolist())
    assert rat.optimal_design(post, pool="fresh").pool is None
    joint = rat.optimal_design(frame.iloc[:100])  # nothing left to label there
    assert joint.pool is None
    assert joint.n_drawn > 0


def test_rows_that_show_one_label_are_a_kind_of_their_own(qwen):
    """R on every row, T on none: T is bought where R=1, and nothing else tells of P(G)."""
    frame = rat.simulate(qwen, 1000, "all_r", n0=50, seed=2)
    design = rat.optimal_design(frame, budget=60)
    assert design.shares == {("answered, R=1", "T"): pytest.approx(1)}
    assert "show R=1" in design.advice


def test_rows_are_told_apart_by_their_verdicts(apertus):
    judges = {"jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.5}}
    frame = rat.simulate(apertus, 2000, "judge_only", n0=150, judges=judges, seed=1)
    design = rat.optimal_design(frame, judges=[rat.Judge("jR", of="retrieval")])
    assert set(design.pool) == {f"{a}, jR={j}" for a in ("abstained", "answered") for j in "01"}
    # a lenient judge that says miss is hardly ever wrong
    assert sum(a.share for a in design.allotments if a.rows.endswith("jR=1")) > 0.95
    blind = rat.optimal_design(frame.drop(columns="jR"))
    assert design.width < blind.width
    rates = rat.optimal_design(frame, judges=[rat.Judge("jR", of="retrieval")], target="tpr[jR]")
    assert rates.labels["R"] > 0.99 * 500


def test_graded_retrieval_is_planned_too(graded):
    design = rat.optimal_design(graded, already=100, budget=300)
    assert design.efficiency > 1 - 1e-4
    assert design.width < design.compared["all_joint"].widths["policy_adherence"]
    assert design.policy["all_right"] == 1


def test_another_policy_is_another_design(qwen):
    own = rat.optimal_design(qwen, already=100, policy="task_success")
    same = rat.optimal_design(qwen, already=100, target="task_success")
    assert own.width == pytest.approx(same.width, rel=1e-6)
    harsh = {"hit_right": 1, "miss_abstained": 0.5, "miss_wrong": -1, "hit_wrong": -1}
    assert rat.optimal_design(qwen, already=100, policy=harsh).policy["miss_wrong"] == -1


@pytest.mark.parametrize("pool", [None, 300])
def test_json_keeps_a_design_as_an_equal_value(qwen, pool):
    design = rat.optimal_design(qwen, target=BOTH, pool=pool, already=20)
    again = rat.Design.from_json(design.to_json())
    assert again == design
    assert hash(again) == hash(design)
    with pytest.raises(ArgumentTypeError, match="expected"):
        rat.Design.from_json("{}")
    with pytest.raises(ArgumentTypeError, match="cannot be read"):
        rat.Design.from_json('{"kind": "design", "version": 1, "allotments": [], "compared": {}}')
    with pytest.raises(ArgumentError, match="not JSON"):
        rat.Design.from_json("{")


def test_a_design_reads_well(qwen):
    design = rat.optimal_design(qwen, already=100)
    assert design.advice == (
        "Label R, then T where R=1, on 296 rows that were answered; and R on 109 rows that "
        "abstained: that should bring the width of the 95% interval of policy_adherence from "
        "0.192 to 0.074, for which all_joint needs 962 units (48% saved)."
    )
    assert design.advice in repr(design)
    assert design.advice in design._repr_html_()
    assert "never as narrow" in str(design)
    assert design.table()["share"].sum() == pytest.approx(1)
    assert design.table()["cost"].sum() == pytest.approx(500)
    assert design.comparison().loc["all_joint", "saving"] == design.savings["all_joint"]


def test_names_from_data_are_escaped(apertus):
    judges = {"<b>": {"of": "retrieval", "tpr": 0.9, "fpr": 0.3}}
    frame = rat.simulate(apertus, 400, "judge_only", n0=100, judges=judges, seed=1)
    page = rat.optimal_design(frame, judges=[rat.Judge("<b>", of="retrieval")])._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"prices": {"R": 0, "T": 1}}, "price of R"),
        ({"prices": {"R": 1, "T": -1}}, "price of T"),
        ({"budget": 0.5}, "price of one label, 1"),
        ({"budget": 0}, "price of one label"),
        ({"budget": float("nan")}, "price of one label"),
        ({"target": "accuracy"}, "Targets are retrieval_success"),
        ({"target": {"task_success": -1}}, "positive number"),
        ({"criterion": "worst"}, "minimax"),
        ({"pool": {"abstained": 100}, "target": "correct_given_hit"}, "nothing is identified"),
        ({"pool": 0}, "nothing to buy"),
        ({"ci_prob": 1.0}, "between 0 and 1"),
        ({"seed": 1}, "no keyword 'seed'"),
    ],
    ids=str,
)
def test_what_cannot_be_designed_is_refused(qwen, keywords, words):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        rat.optimal_design(qwen, already=20, **keywords)


def test_a_plan_is_made_for_one_system(qwen):
    frame = rat.simulate(qwen, 60, seed=1).assign(system=["a", "b"] * 30)
    with pytest.raises(ArgumentError, match="2 systems"):
        rat.optimal_design(frame, by="system")
    one = rat.fit(frame, by="system").sel(system="a")
    assert rat.optimal_design(one).width > 0


@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_probabilities_of_0_and_1_give_a_plan(edge):
    theta = rat.Theta.from_array([0.5, 0.3, edge, 0.4, edge])
    design = rat.optimal_design(theta, already=50)
    assert np.isfinite(design.width)
    assert design.efficiency > 0.999
