"""Choice of an engine, arguments, seeds."""

import subprocess
import sys

import numpy as np
import pytest

from rat_widgets.errors import ArgumentError, ArgumentTypeError, EngineError
from rat_widgets.inference import sample
from rat_widgets.labels.judges import Judge
from rat_widgets.model.simulated_tables import simulate


@pytest.fixture(scope="module")
def counts(counts_of_tables, qwen):
    return counts_of_tables([simulate(qwen, 120, "half_joint_t", seed=1)])


def test_auto_takes_the_exact_engine_and_says_why(counts):
    (draws,) = sample(counts)
    assert draws.engine == draws.diagnosis.engine == "exact"
    assert "closed form" in draws.reason
    assert set(draws.versions) == {"rat_widgets", "numpy"}


def test_draws_come_in_chains(counts):
    (draws,) = sample(counts, draws=1001, chains=2)
    assert draws.theta.shape == (2, 501, 5)
    assert draws.tpr.shape == draws.fpr.shape == (2, 501, 0)
    assert draws.theta.dtype == np.float64
    assert ((draws.theta >= 0) & (draws.theta <= 1)).all()


def test_draws_cannot_be_changed(counts):
    (draws,) = sample(counts)
    with pytest.raises(ValueError, match="read-only"):
        draws.theta[0, 0, 0] = 1


def test_the_same_seed_gives_the_same_draws(counts):
    first, again, other = (sample(counts, seed=s)[0].theta for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_groups_draws_do_not_depend_on_the_other_groups(counts_of_tables, in_groups, qwen):
    parts = {
        k: counts_of_tables([simulate(qwen, 60, "all_t", n0=9, seed=i)])
        for i, k in enumerate("abc")
    }
    every = in_groups(parts)
    together = sample(every, seed=4)
    assert [d.counts.groups for d in together] == [(("a",),), (("b",),), (("c",),)]
    for i in range(3):
        assert np.array_equal(together[i].theta, sample(every.group(i), seed=4)[0].theta)
    assert np.array_equal(together[2].theta, sample(every.select([0, 2]), seed=4)[1].theta)


def test_groups_with_the_same_counts_have_their_own_draws(counts, in_groups):
    first, second = sample(in_groups({"a": counts, "b": counts}))
    assert not np.array_equal(first.theta, second.theta)


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"engine": "stan"}, EngineError, "'auto', 'exact', 'laplace', 'hmc', 'nuts'"),
        ({"draws": 0}, ArgumentError, "`draws` is 0"),
        ({"draws": 3}, ArgumentError, "At least 4 per chain"),
        ({"draws": 1.5}, ArgumentTypeError, "`draws`"),
        ({"chains": 0}, ArgumentError, "`chains`"),
        ({"chains": True}, ArgumentTypeError, "`chains`"),
        ({"seed": -1}, ArgumentError, "`seed`"),
        ({"seed": None}, ArgumentTypeError, "`seed`"),
        ({"priors": {"tpr": (1, 1)}}, ArgumentError, "not a parameter"),
    ],
)
def test_arguments_that_are_not_accepted_are_errors(counts, arguments, error, match):
    with pytest.raises(error, match=match):
        sample(counts, **arguments)


def test_named_draws_are_all_parameters(counts):
    (draws,) = sample(counts)
    named = draws.by_name()
    assert list(named) == list(draws.priors.names)
    assert np.array_equal(named["correct_given_hit"], draws.theta[..., 4])
    assert list(draws.diagnosis.r_hat) == list(named)


def test_auto_takes_hmc_where_verdicts_stand_on_rows_without_labels(counts_of):
    rows = [(1, 0, 1, 1), (0, 0, 0, 0), (-1, 0, -1, 1), (-1, 1, -1, 0)]
    (draws,) = sample(counts_of(rows, [Judge("jR", of="retrieval")]))
    assert draws.engine == draws.diagnosis.engine == "hmc"
    assert draws.reason == ("Not 'exact': judge 'jR' has verdicts on rows that do not show R.")


def test_auto_falls_to_nuts_where_the_logits_cannot_be_walked(counts_of):
    from rat_widgets.inference import exact, hmc
    from rat_widgets.model.priors import Priors

    judges = [Judge("jR", of="retrieval")]
    counts = counts_of([(-1, 0, -1, 1)], judges)
    priors = Priors.from_spec({"retrieval_success": (0.01, 1)}, judges)
    assert exact.refusal(counts, priors) is not None
    assert "below 0.05" in hmc.refusal(counts, priors)
    (draws,) = sample(counts, priors)
    assert draws.engine == "nuts"
    assert "Not 'exact'" in draws.reason
    assert "Not 'hmc': a prior has alpha or beta below 0.05" in draws.reason


def test_groups_may_get_different_engines_and_keep_their_order(counts_of, in_groups):
    judges = [Judge("jR", of="retrieval", share="group")]
    labelled = counts_of([(1, 0, 1, 1), (0, 0, 0, 0)], judges)
    judged = counts_of([(1, 0, 1, 1), (-1, 0, -1, 1)], judges)
    every = in_groups({"a": judged, "b": labelled, "c": judged})
    drawn = sample(every, seed=3)
    assert [draws.engine for draws in drawn] == ["hmc", "exact", "hmc"]
    assert [draws.counts.groups for draws in drawn] == [((key,),) for key in "abc"]
    for i in range(3):
        assert np.array_equal(drawn[i].theta, sample(every.group(i), seed=3)[0].theta)


def test_no_engine_but_the_reference_needs_jax_or_scipy():
    code = """
import sys
import numpy as np
from rat_widgets.inference import sample
from rat_widgets.labels.counts import PatternCounts
patterns = np.array([[-1, 0, 1, -1], [1, 0, 1, -1], [-1, 1, -1, -1]], dtype=np.int8)
for engine in ("exact", "laplace", "hmc"):
    sample(PatternCounts(patterns=patterns, counts=np.array([[30, 4, 5]])), engine=engine)
heavy = {"jax", "numpyro", "scipy", "plotly", "anywidget"} & set(sys.modules)
sys.exit(f"imported {heavy}" if heavy else 0)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
