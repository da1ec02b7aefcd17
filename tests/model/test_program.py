"""The NumPyro program."""

import numpy as np
import pytest

from rat_widgets.labels.judges import Judge
from rat_widgets.model.likelihood import JudgeTable, log_likelihood
from rat_widgets.model.program import ProgramData, program, rates_by_group
from rat_widgets.model.worlds import PARAMETERS

JUDGES = (Judge("a", of="retrieval"), Judge("b", of="task"), Judge("c", of="retrieval"))
SHARED = (True, False, True)
N_GROUPS = 2


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    patterns = rng.integers(-1, 2, (30, 7)).astype(np.int32)
    patterns[patterns[:, 1] == 1, 2] = -1
    counts = rng.integers(0, 5, (N_GROUPS, 30)).astype(float)
    prior = 0.5 + 3 * rng.random((11, 2))
    return ProgramData(patterns, counts, prior[:5], prior[5:8], prior[8:], JudgeTable.of(JUDGES))


def point(rng):
    sites = {name: rng.random(N_GROUPS) for name in PARAMETERS}
    for rate in ("tpr", "fpr"):
        sites[rate] = rng.random(2)
        sites[f"{rate}_by_group"] = rng.random((N_GROUPS, 1))
    return sites


def test_sites_bear_the_names_of_the_parameters(data):
    from jax.random import PRNGKey
    from numpyro import handlers

    trace = handlers.trace(handlers.seed(program, PRNGKey(0))).get_trace(data, shared=SHARED)
    sampled = [name for name, site in trace.items() if site["type"] == "sample"]
    latent = [name for name in sampled if not trace[name]["is_observed"]]
    assert set(PARAMETERS) <= set(latent)
    assert set(latent) - set(PARAMETERS) == {"tpr", "fpr", "tpr_by_group", "fpr_by_group"}
    assert trace["retrieval_success"]["value"].shape == (N_GROUPS,)


def test_its_density_is_prior_times_likelihood(data):
    """Differences between points: the program leaves out the constants of the Betas."""
    from numpyro.infer.util import log_density
    from scipy.stats import beta

    rng = np.random.default_rng(1)
    differences = []
    for _ in range(3):
        sites = point(rng)
        there, _ = log_density(program, (data,), {"shared": SHARED}, sites)
        theta = np.stack([sites[name] for name in PARAMETERS], axis=-1)
        tpr, fpr = (
            rates_by_group(sites, rate, n_groups=N_GROUPS, shared=SHARED) for rate in ("tpr", "fpr")
        )
        here = log_likelihood(data.patterns, data.counts, theta, tpr, fpr, judges=JUDGES).sum()
        here += beta(*data.theta_prior.T).logpdf(theta).sum()
        for rate, prior in (("tpr", data.tpr_prior), ("fpr", data.fpr_prior)):
            here += beta(*prior[[0, 2]].T).logpdf(sites[rate]).sum()
            here += beta(*prior[1]).logpdf(sites[f"{rate}_by_group"]).sum()
        differences.append(float(there) - here)
    # jax computes in single precision here; the densities are a few hundred.
    assert np.ptp(differences) < 2e-3


def test_a_shared_judge_has_the_same_rate_in_every_group():
    sites = point(np.random.default_rng(2))
    tpr = rates_by_group(sites, "tpr", n_groups=N_GROUPS, shared=SHARED)
    np.testing.assert_array_equal(tpr[0, [0, 2]], sites["tpr"])
    np.testing.assert_array_equal(tpr[1, [0, 2]], sites["tpr"])
    np.testing.assert_array_equal(tpr[:, 1], sites["tpr_by_group"][:, 0])
