"""The density of partially pooled systems, against densities written out and SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rat_widgets.inference import pooled
from rat_widgets.inference.pooled import roles_of
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.hierarchy import (
    hierarchy_log_density,
    parameters_of_groups,
    pooling_data,
)
from rat_widgets.model.likelihood import log_likelihood
from rat_widgets.model.priors import Priors

JUDGES = (
    Judge("jT", of="task", share="partial"),
    Judge("jR", of="retrieval"),
    Judge("own", of="task", share="group"),
)
# R, A, T, answerable, then the verdicts: complete rows, and rows that mix worlds.
PATTERNS = np.array(
    [
        (1, 0, 1, -1, 1, 1, 1),
        (1, 0, 0, -1, 0, 1, -1),
        (0, 1, -1, -1, -1, 0, -1),
        (0, 0, 0, -1, 1, 1, 0),
        (-1, 0, -1, -1, 1, -1, 1),
        (-1, -1, -1, -1, 0, 1, -1),
    ],
    dtype=np.int8,
)
COUNTS = PatternCounts(
    by=("system",),
    groups=(("a",), ("b",), ("c",)),
    judges=JUDGES,
    patterns=PATTERNS,
    counts=np.array([[9, 4, 3, 5, 20, 7], [2, 1, 0, 0, 40, 3], [30, 6, 8, 2, 0, 1]]),
)
PRIORS = Priors.from_spec({"correct_given_hit": (3, 2), "tpr": (4, 1)}, JUDGES)
ROLES = roles_of(COUNTS, PRIORS)
DATA = pooling_data(collapse(COUNTS), PRIORS.as_array(), ROLES)

numbers = st.integers(0, 2**32 - 1)


def point(seed):
    """mu, tau, logits of the pooled, and the other sites."""
    rng = np.random.default_rng(seed)
    n = len(ROLES.pooled)
    mu, tau = rng.normal(0, 1.5, n), rng.gamma(2, 0.3, n) + 0.01
    # Cauchy draws within the range that a normal's quantiles keep to full precision.
    z = np.clip(rng.standard_cauchy((3, n)), -50, 50)
    z[:, : ROLES.n_tree] = rng.standard_normal((3, ROLES.n_tree))
    logit = mu + tau * z
    common, own = rng.normal(0, 1.5, len(ROLES.common)), rng.normal(0, 1.5, (3, len(ROLES.own)))
    return mu, tau, logit, common, own


def sites_of(seed, centring):
    mu, tau, logit, common, own = point(seed)
    place = centring * mu + (logit - mu) * tau ** (centring - 1)
    heavy = slice(ROLES.n_tree, None)
    place[:, heavy] = stats.norm.ppf(stats.cauchy.cdf((logit - mu) / tau))[:, heavy]
    return {"mu": mu, "tau": tau, "place": place, "common": common, "own": own}


def density(seed, centring):
    """Of mu, tau and the logits: that of the sites without the change of variables."""
    data, sites = DATA._replace(centring=centring), sites_of(seed, centring)
    mu, tau, logit, _, _ = point(seed)
    change = (1 - centring) * np.log(tau)
    drawn = stats.norm.logpdf(sites["place"]) - stats.cauchy.logpdf((logit - mu) / tau)
    change[:, ROLES.n_tree :] += drawn[:, ROLES.n_tree :]
    return hierarchy_log_density(sites, data, ROLES) - change.sum()


def centred(w):
    """The same for every probability of the tree; rates are never centred."""
    centring = np.full(DATA.centring.shape, w)
    centring[:, ROLES.n_tree :] = 0
    return centring


def test_the_tree_and_the_partial_judge_are_pooled_the_others_are_not():
    names = np.array(PRIORS.names)
    assert list(names[list(ROLES.pooled)]) == [*PRIORS.names[:5], "tpr[jT]", "fpr[jT]"]
    assert list(names[list(ROLES.common)]) == ["tpr[jR]", "fpr[jR]"]
    assert list(names[list(ROLES.own)]) == ["tpr[own]", "fpr[own]"]


@given(numbers, st.floats(0, 1), st.floats(0, 1))
def test_centring_changes_the_walk_and_not_the_density(seed, first, second):
    assert density(seed, centred(first)) == pytest.approx(
        density(seed, centred(second)), rel=1e-9, abs=1e-8
    )


@given(numbers, st.floats(0, 1))
def test_the_sites_give_back_the_logits_that_they_were_made_from(seed, w):
    centring = centred(w)
    _, _, logit, common, own = point(seed)
    found = parameters_of_groups(sites_of(seed, centring), centring, ROLES, len(PRIORS.names))
    np.testing.assert_allclose(found[:, list(ROLES.pooled)], logit, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found[:, list(ROLES.own)], own)
    assert (found[:, list(ROLES.common)] == common).all()


def by_hand(seed):
    """Row likelihood, normal and Cauchy densities of logits, and Beta densities, written out."""
    mu, tau, logit, common, own = point(seed)
    p = np.zeros((3, len(PRIORS.names)))
    for at, value in ((ROLES.pooled, logit), (ROLES.common, common), (ROLES.own, own)):
        p[:, list(at)] = 1 / (1 + np.exp(-value))
    total = sum(
        log_likelihood(COUNTS.patterns, n, q[:5], q[5:8], q[8:], judges=JUDGES)
        for n, q in zip(COUNTS.counts, p, strict=True)
    )
    k = ROLES.n_tree
    total += stats.norm.logpdf(logit[:, :k], mu[:k], tau[:k]).sum()
    total += stats.cauchy.logpdf(logit[:, k:], mu[k:], tau[k:]).sum()
    prior = PRIORS.as_array()
    for at, value in ((ROLES.pooled, mu), (ROLES.common, common), (ROLES.own, own)):
        q = 1 / (1 + np.exp(-value))
        a, b = prior[list(at)].T
        total += (stats.beta.logpdf(q, a, b) + np.log(q) + np.log1p(-q)).sum()
    return total


@given(numbers, numbers)
def test_the_density_is_the_one_written_out(first, second):
    """Up to constants, which a difference of two points does not see."""
    ours = density(first, DATA.centring) - density(second, DATA.centring)
    assert ours == pytest.approx(by_hand(first) - by_hand(second), rel=1e-8, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_groups_and_patterns_that_pad_leave_the_density_as_it_is(seed, monkeypatch):
    """What pads has no labels; its own rates stand at 1/2 here, which costs their prior."""
    monkeypatch.setattr(pooled, "_GROUP_SIZES", (4,))
    monkeypatch.setattr(pooled, "_MIXED_SIZES", (7,))
    monkeypatch.setattr(pooled, "_TERM_SIZES", (9,))
    padded = pooled._padded(DATA)
    assert padded.rows.shape == (4, 7)
    assert padded.exponents.shape[:2] == (7, 9)
    sites = sites_of(seed, DATA.centring)
    more = {k: np.pad(sites[k], ((0, 1), (0, 0))) for k in ("place", "own")}
    at_half = PRIORS.as_array()[list(ROLES.own)].sum() * np.log(0.5)
    before = hierarchy_log_density(sites, DATA, ROLES)
    after = hierarchy_log_density(sites | more, padded, ROLES)
    assert after == pytest.approx(before + at_half, rel=1e-9)
