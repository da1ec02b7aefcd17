"""What patterns have in common, against one row of exponents for each of their products."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.inference import families, surface
from rat_widgets.inference.blocks import blocks
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.emissions import emissions_of

SHARED, OWN = {"share": "all"}, {"share": "group"}


def judges_of(kind, share):
    """Judges of a kind, some of R and some of T."""
    both = [("retrieval", "a"), ("task", "b"), ("task", "c"), ("task", "d")]
    more = {
        "plain": {},
        "graded": {"levels": ("low", "some", "high")},
        "cannot tell": {"unknown": "?"},
        "depends": {"depends_on": "retrieval"},
        "saturated": {"dependence": "saturated"},
        "what abstained": {"abstained_rate": 0.2},
        "never on what abstained": {"abstained_rate": 0.0},
    }[kind]
    judges = [Judge("first", of="task", **share)]
    for i, (of, name) in enumerate(both):
        truth = of
        if "abstained" in kind or kind == "depends":
            truth = "task"
        judges.append(Judge(name, of=truth, **share, **(more if i < 3 else {})))
    return tuple(judges)


KINDS = (
    "plain",
    "graded",
    "cannot tell",
    "depends",
    "saturated",
    "what abstained",
    "never on what abstained",
)


@st.composite
def tables(draw):
    """Counts of one to three groups, with labels and verdicts missing here and there."""
    share = draw(st.sampled_from([SHARED, OWN]))
    judges = judges_of(draw(st.sampled_from(KINDS)), share)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 120))
    rows = np.full((n, 4 + len(judges)), -1, dtype=np.int8)
    rows[:, :3] = rng.integers(0, 2, (n, 3))
    rows[rows[:, 1] == 1, 2] = -1
    for j, judge in enumerate(emissions_of(judges).judges):
        rows[:, 4 + j] = rng.integers(0, judge.n_answers, n)
    for k, missing in enumerate(draw(st.lists(st.sampled_from([0, 0.3, 0.9]), min_size=3))):
        rows[rng.random(n) < missing, k % rows.shape[1]] = -1
    missing = draw(st.sampled_from([0, 0.2, 0.6]))
    rows[:, 4:][rng.random((n, len(judges))) < missing] = -1
    n_groups = draw(st.integers(1, 3))
    counts = rng.integers(0, draw(st.sampled_from([2, 40])), (n_groups, n))
    return PatternCounts(
        by=("system",),
        groups=tuple((f"{g}",) for g in range(n_groups)),
        judges=judges,
        patterns=rows,
        counts=counts,
    )


def pairs(counts):
    """Every surface of a table, plain and factored."""
    emissions = emissions_of(counts.judges)
    n = 5 + len(emissions.names)
    is_common = counts.n_groups > 1 and counts.judges[0].share == "all"
    shared = np.array([False] * 5 + [is_common] * len(emissions.names))
    prior = np.random.default_rng(0).uniform(0.3, 3, (n, 2))
    for block in blocks(collapse(counts), prior, shared):
        plain = replace(block.surface, factored=None)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(surface, "_MUCH_WORK", 0)
            yield plain, plain.factorised()


def agree(one, other):
    """To 1e-10 of the largest number, of which all others are sums and differences."""
    assert np.abs(one - other).max(initial=0) <= 1e-10 * (1 + np.abs(one).max(initial=0))


@settings(deadline=None, max_examples=60)
@given(tables(), st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.5, 8.0]))
def test_value_labels_and_curvature_are_those_of_every_product(counts, seed, width):
    for plain, factored in pairs(counts):
        assert plain.factored is None
        assert factored.factored is not None
        rng = np.random.default_rng(seed)
        logits = width * rng.standard_normal((*plain.alpha.shape[:2], 5))
        for one, other in zip(plain(logits), factored(logits), strict=True):
            agree(one, other)
        for one, other in zip(plain.labels(logits), factored.labels(logits), strict=True):
            agree(one, other)
            assert (other >= 0).all()
        for one, other in zip(plain.curvature(logits), factored.curvature(logits), strict=True):
            agree(one, other)
        angle = rng.uniform(-0.05, 0.5 * np.pi + 0.05, logits.shape)
        for one, other in zip(plain.of_angles(angle), factored.of_angles(angle), strict=True):
            is_finite = np.isfinite(one)
            assert np.array_equal(is_finite, np.isfinite(other))
            agree(one[is_finite], other[is_finite])


@settings(deadline=None, max_examples=30)
@given(tables(), st.integers(0, 2**32 - 1))
def test_a_group_does_not_depend_on_the_groups_beside_it(counts, seed):
    for _, factored in pairs(counts):
        logits = np.random.default_rng(seed).standard_normal((*factored.alpha.shape[:2], 70))
        together = factored(logits)
        for g in range(len(logits)):
            alone = factored.take(np.array([g]))(logits[g : g + 1])
            for one, other in zip(alone, together, strict=True):
                assert np.array_equal(one[0], other[g])


@settings(deadline=None, max_examples=60)
@given(tables())
def test_families_give_back_the_exponents_of_every_pattern(counts):
    """Term by term: none is lost, and each differs from the first by what is said of it."""
    collapsed = collapse(counts)
    n = collapsed.ones.shape[1]
    for rows in collapsed.rows:
        found = list(families.families(collapsed.exponents, collapsed.log_factor, rows))
        given_back = []
        for family in found:
            n_kinds, n_columns, n_powers = family.taken.shape
            every = np.concatenate([np.zeros((1, n_columns, n_powers)), family.taken])
            away = family.constant + np.einsum("iu,tuc->itc", family.distinct, every[family.kind])
            given_back += [x.tobytes() for x in away + 0.0]
            covered = [u for part in family.parts for u in range(n_columns)[part.columns]]
            assert covered == list(range(n_columns))
            assert n_kinds == family.kind.max()
        wanted = []
        for powers, factor in zip(
            collapsed.exponents[rows > 0], collapsed.log_factor[rows > 0], strict=True
        ):
            real = np.isfinite(factor)
            odds, every = powers[real, :n], powers[real, :n] + powers[real, n:]
            x = np.concatenate([odds, every, factor[real, None]], axis=1)
            wanted.append((x - x[0] + 0.0).tobytes())
        assert sorted(given_back) == sorted(wanted)
        assert sum(family.rows.sum() for family in found) == rows.sum()


def test_tens_of_judges_are_one_matrix_of_verdicts():
    """Where nobody knows R and T: a column for each judge, whatever the number of worlds."""
    judges = [Judge(f"j{i}", of="task") for i in range(20)]
    rng = np.random.default_rng(1)
    rows = np.insert(rng.integers(0, 2, (300, 20)), 0, [[-1], [0], [-1], [-1]], axis=1)
    counts = PatternCounts(
        judges=tuple(judges), patterns=rows.astype(np.int8), counts=np.ones((1, 300), np.int64)
    )
    collapsed = collapse(counts)
    (family,) = families.families(collapsed.exponents, collapsed.log_factor, collapsed.rows[0])
    assert family.constant.shape[0] == 4
    assert family.distinct.shape == (300, 20)
    assert family.kind.max() == 1
    (part,) = family.parts
    assert part.kinds == ((0,),)


def test_cheap_surfaces_stay_as_they_are():
    judges = (Judge("a", of="task"),)
    rows = np.array([[-1, 0, -1, -1, 0], [-1, 0, -1, -1, 1]], dtype=np.int8)
    counts = PatternCounts(judges=judges, patterns=rows, counts=np.array([[5, 7]]))
    (block,) = blocks(collapse(counts), np.ones((7, 2)), np.zeros(7, dtype=bool))
    assert not block.surface.is_costly
    assert block.surface.factored is None
    assert block.surface.factorised() is block.surface
