"""The golden tables of judges, which the browser's engine is held to as well."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from rat_widgets.inference import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.memberships import memberships
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import world_probabilities, worlds_of

GOLDEN = Path(__file__).parent.parent / "golden"
PLAIN, EMITTED = (
    {case["name"]: case for case in json.loads((GOLDEN / name).read_text("utf-8"))["cases"]}
    for name in ("judges.json", "emissions.json")
)
CASES = PLAIN | EMITTED
N_DRAWS, N_BATCHES = 20_000, 10
# Standard errors of the statistics of N_DRAWS independent draws of a normal of sd 1.
LEAST_ERROR = np.array([1, math.sqrt(0.5), 2.671, 1.253, 2.671]) / math.sqrt(N_DRAWS)
# Its answer is by nuts: a reference of another engine, for a ridge that is hard to walk along.
HIDDEN = "R never seen, a judge of T"
# Labels behind a pin: as if the rate were known.
FIRM = 1e7


def table_of(case):
    judges = tuple(
        Judge(
            judge["key"],
            of=judge["of"],
            share="all" if judge["is_shared"] else "group",
            abstained_rate=judge["abstained_rate"],
            unknown="unsure" if judge["has_unknown"] else None,
            levels=judge.get("levels") or None,
            depends_on=judge.get("depends_on"),
            dependence=judge.get("dependence", "independent"),
        )
        for judge in case["judges"]
    )
    several = len(case["counts"]) > 1
    return PatternCounts(
        by=("system",) if several else (),
        groups=tuple((f"s{g}",) for g in range(len(case["counts"]))) if several else ((),),
        judges=judges,
        retrieval_levels=tuple(case["levels"]),
        patterns=np.insert(np.array(case["patterns"]), 3, -1, axis=1),
        counts=np.array(case["counts"]),
    )


def draws_by_key(draws):
    """Name -> draws in one row: every probability, P(R at the top), P(T=1), P(G=1)."""
    worlds = worlds_of(draws.counts.retrieval_levels)
    good = np.where(worlds.hit == 1, worlds.right, worlds.abstained)
    masses = world_probabilities(draws.theta) @ np.stack([worlds.hit, worlds.right, good]).T
    every = np.concatenate([draws.theta, draws.rates, masses], axis=-1)
    keys = (*draws.priors.names, "top_level", "task_success", "policy_adherence")
    return dict(zip(keys, every.reshape(-1, len(keys)).T, strict=True))


def statistics(x):
    return np.array([x.mean(), x.std(), *np.quantile(x, (0.025, 0.5, 0.975))])


@pytest.mark.parametrize(
    ("name", "engine"),
    [*((name, "hmc") for name in CASES), ("two judges", "nuts"), (HIDDEN, "nuts")],
)
def test_draws_are_those_of_the_long_runs(name, engine):
    case = CASES[name]
    table = table_of(case)
    pins = {key: [FIRM * p, FIRM * (1 - p)] for key, p in case["pins"].items()}
    priors = Priors.from_dict({**case["priors"], **pins}, table.retrieval_levels)
    fitted = sample(table, priors, engine=engine, draws=N_DRAWS, seed=4)
    for draws, known in zip(fitted, case["statistics_and_errors"], strict=True):
        found = draws_by_key(draws)
        assert set(found) == set(known)
        for key, (wanted, error) in known.items():
            if key in case["pins"]:
                assert math.isclose(found[key].mean(), case["pins"][key], abs_tol=1e-4)
                continue
            batches = [statistics(part) for part in np.split(found[key], N_BATCHES)]
            own = np.std(batches, axis=0, ddof=1) / math.sqrt(N_BATCHES)
            # Five standard errors; ten batches may understate one, which is no smaller than that
            # of as many independent normal draws.
            both = np.hypot(error, np.maximum(own, LEAST_ERROR * wanted[1]))
            gap = np.abs(statistics(found[key]) - wanted)
            assert (gap < 5 * both).all(), (key, gap / both)


@pytest.mark.parametrize("name", EMITTED)
def test_rows_are_as_probable_as_a_walk_down_the_tree_says(name):
    """Stored by code that knows rates by their names, and not how the library lists splits."""
    case = EMITTED[name]
    table = table_of(case)
    levels = table.retrieval_levels
    names = Priors.flat(table.judges, levels).names
    at = np.array([case["point"][key] for key in names])
    theta, rates = np.split(at, [len(worlds_of(levels).parameters)])
    shown = memberships(table.patterns, theta, rates, table.judges, levels).sum(axis=-1)
    # Stored with twelve decimals.
    np.testing.assert_allclose(np.log(shown), case["log_likelihood"], rtol=0, atol=2e-12)


@pytest.mark.parametrize("name", EMITTED)
def test_the_browser_is_given_the_splits_that_the_library_lists(name):
    """Of judges that a page is made of; the browser's own tests read the same file."""
    case = EMITTED[name]
    table = table_of(case)
    emissions = emissions_of(table.judges, table.retrieval_levels)
    for judge, emission in zip(case["judges"], emissions.judges, strict=True):
        for key, stored in judge["emission"].items():
            listed = json.loads(json.dumps(getattr(emission, key)))
            assert listed == (pytest.approx(stored) if key == "start" else stored), key


def test_short_walks_reach_the_ends_of_an_open_ridge():
    """Spreads of what no label of R pins down, which came out 4 to 11% too narrow once."""
    case = CASES[HIDDEN]
    (draws,) = sample(table_of(case), engine="hmc", draws=N_DRAWS, seed=4)
    found, known = draws_by_key(draws), case["statistics_and_errors"][0]
    for key in ("retrieval_success", "abstain_given_miss", "abstain_given_hit"):
        # 20,000 draws of which a third are effective: 0.9% of an sd; five of these.
        assert found[key].std() == pytest.approx(known[key][0][1], rel=0.045), key
    assert min(draws.diagnosis.ess_bulk.values()) > N_DRAWS / 4
