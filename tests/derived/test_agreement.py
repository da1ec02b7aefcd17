"""How far people agree."""

from __future__ import annotations

import json
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.agreement import Coefficient
from rat_widgets.derived.alpha import alpha_by_package, alpha_by_sums
from rat_widgets.derived.kappa import kappa_of_table
from rat_widgets.derived.ratings import read_ratings
from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    DuplicateItemError,
    LabelValueError,
    MissingColumnError,
)

krippendorff = pytest.importorskip("krippendorff", reason="krippendorff is not installed")

ANNOTATORS = [f"ann{i}" for i in range(1, 8)]
QUICK = {"n_bootstrap": 100}

ratings = st.lists(
    st.lists(st.sampled_from([None, 0, 1, 2]), min_size=3, max_size=3), min_size=2, max_size=12
)


def wide(rows):
    frame = pd.DataFrame(rows, columns=list("abc")).astype("Int64")
    frame.insert(0, "item", range(len(rows)))
    return frame


def alpha_of_pairs(rows):
    """Nominal alpha as 1 - observed / expected disagreement over pairs of ratings."""
    units = [[v for v in row if v is not None] for row in rows]
    units = [u for u in units if len(u) > 1]
    values = [v for u in units for v in u]
    n = len(values)
    within = sum(sum(x != y for x, y in combinations(u, 2)) * 2 / (len(u) - 1) for u in units) / n
    between = sum(x != y for x, y in combinations(values, 2)) * 2 / (n * (n - 1))
    return 1 - within / between


@settings(max_examples=40)
@given(ratings)
def test_alpha_is_one_less_the_share_of_disagreement(rows):
    shared = [[v for v in row if v is not None] for row in rows]
    shared = [u for u in shared if len(u) > 1]
    assume(len({v for u in shared for v in u}) > 1)
    assume(sum(any(row[i] is not None for row in rows) for i in range(3)) > 1)
    found = rat.agreement(wide(rows), "item", list("abc"), **QUICK)
    assert found.alpha.value == pytest.approx(alpha_of_pairs(rows))


def test_alpha_of_the_example_that_everybody_uses():
    """Three coders, 15 units, of the article "Krippendorff's alpha" of Wikipedia (2024):
    nominal 0.691, interval 0.811."""
    coders = {
        "a": "* * * * * 3 4 1 2 1 1 3 3 * 3",
        "b": "1 * 2 1 3 3 4 3 * * * * * * *",
        "c": "* * 2 1 3 4 4 * 2 1 1 3 3 * 4",
    }
    frame = pd.DataFrame(
        {k: [None if v == "*" else int(v) for v in row.split()] for k, row in coders.items()}
    ).astype("Int64")
    frame["unit"] = range(len(frame))
    for scale, value in (("nominal", 0.691), ("interval", 0.811)):
        found = rat.agreement(frame, "unit", list("abc"), scale=scale, **QUICK)
        assert found.alpha.value == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
@settings(max_examples=30)
@given(rows=ratings, step=st.sampled_from([1, 0.3]), seed=st.integers(0, 99))
def test_alpha_by_sums_is_that_of_the_package(scale, rows, step, seed):
    frame = wide(rows).astype(dict.fromkeys("abc", float))
    frame[list("abc")] = frame[list("abc")] * step
    assume(frame[list("abc")].notna().any().sum() > 1)
    given_by = read_ratings(frame, "item", list("abc"), None, scale=scale)
    n = given_by.items.sum()
    drawn = np.random.default_rng(seed).multinomial(n, given_by.items / n, size=4)
    items = np.concatenate([given_by.items[None], drawn])
    by_package = alpha_by_package(given_by, scale, krippendorff)(items)
    by_sums = alpha_by_sums(given_by, scale)(items)
    np.testing.assert_allclose(by_sums, by_package, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", ["ordinal", "interval", "ratio"])
def test_ratings_on_a_continuous_scale_have_an_alpha(scale):
    """400 items x 800 values x 800 for each resample is 2 GB: the package cannot be asked."""
    rng = np.random.default_rng(2)
    truth = np.exp(rng.normal(size=400))
    frame = pd.DataFrame({k: truth * np.exp(0.3 * rng.normal(size=400)) for k in ("a", "b")})
    found = rat.agreement(frame.assign(item=range(400)), "item", ["a", "b"], scale=scale, **QUICK)
    few = frame.iloc[:60].assign(item=range(60))
    value = rat.agreement(few, "item", ["a", "b"], scale=scale, **QUICK).alpha.value
    direct = krippendorff.alpha(few[["a", "b"]].to_numpy().T, level_of_measurement=scale)
    assert value == pytest.approx(direct, abs=1e-12)
    assert found.alpha.lower < found.alpha.value < found.alpha.upper < 1


def test_ratings_so_large_that_their_squares_are_not_are_scaled():
    frame = raters(60, error=0.2, seed=1)
    one, other = (
        rat.agreement(
            frame.assign(**{c: frame[c] * by for c in "ab"}),
            "item",
            ["a", "b"],
            scale="interval",
            **QUICK,
        )
        for by in (1.0, 1e200)
    )
    assert other.alpha.value == pytest.approx(one.alpha.value)


def test_a_table_with_as_many_values_as_ratings_is_refused_when_large():
    n = 3000
    frame = pd.DataFrame({"item": range(n), "a": np.arange(n) / 7, "b": np.arange(n) / 11})
    with pytest.raises(ArgumentError, match="round the ratings"):
        rat.agreement(frame, "item", ["a", "b"], scale="interval")
    rounded = frame.round({"a": -1, "b": -1})
    assert rat.agreement(rounded, "item", ["a", "b"], scale="interval", **QUICK).alpha.value > 0.5


def test_kappa_of_a_table():
    """50 grant proposals of the article "Cohen's kappa" of Wikipedia (2024): 0.4."""
    assert kappa_of_table(np.array([[20, 5], [10, 15]])) == pytest.approx(0.4)
    rows = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [20, 5, 10, 15], axis=0)
    frame = pd.DataFrame(rows, columns=["a", "b"]).assign(item=range(50))
    found = rat.agreement(frame, "item", ["a", "b"])
    assert found.kappa.value == pytest.approx(0.4)
    assert found.pairs[0].kappa == found.kappa
    assert found.observed.value == pytest.approx(0.7)


@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=3, max_size=3))
def test_kappa_is_agreement_beyond_chance(rows):
    table = np.array(rows)
    n = table.sum()
    chance = (table.sum(0) @ table.sum(1)) / max(n, 1) ** 2
    assume(n > 0)
    assume(chance < 1)
    assert kappa_of_table(table) == pytest.approx((np.trace(table) / n - chance) / (1 - chance))


@settings(max_examples=20)
@given(ratings)
def test_long_and_wide_tables_tell_the_same(rows):
    frame = wide(rows)
    assume((frame[list("abc")].notna().any()).sum() > 1)
    one = rat.agreement(frame, "item", [c for c in "abc" if frame[c].notna().any()], **QUICK)
    long = frame.melt("item", list("abc"), "who", "vote").sample(frac=1, random_state=1)
    other = rat.agreement(long, "item", "who", "vote", **QUICK)
    assert one.to_dict() == other.to_dict()


def test_names_and_order_of_values_do_not_matter_to_a_nominal_scale():
    rows = np.random.default_rng(0).integers(0, 3, (40, 3))
    one = rat.agreement(wide(rows.tolist()), "item", list("abc"), **QUICK)
    texts = np.array(["z", "m", "a"], dtype=object)[rows]
    frame = pd.DataFrame(texts, columns=list("abc")).assign(item=range(40))
    other = rat.agreement(frame, "item", list("abc"), **QUICK)
    assert other.alpha.value == pytest.approx(one.alpha.value)
    assert other.kappa.value == pytest.approx(one.kappa.value)
    assert other.values == ("a", "m", "z")


def raters(n, *, error, seed):
    """Two people who each err on a share of the items."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    said = {k: np.where(rng.random(n) < error, 1 - truth, truth) for k in ("a", "b")}
    return pd.DataFrame({"item": range(n), **said})


def test_bootstrap_intervals_cover_as_often_as_they_say():
    """80% intervals of 150 data sets with a known kappa: 0.8 within 4 standard errors (0.033)."""
    error = 0.15
    kappa = 2 * ((1 - error) ** 2 + error**2) - 1  # chance is 1/2
    covered = {"kappa": 0, "alpha": 0}
    for seed in range(150):
        frame = raters(120, error=error, seed=seed)
        found = rat.agreement(frame, "item", ["a", "b"], ci_prob=0.8, n_bootstrap=200, seed=seed)
        for name in covered:
            c = getattr(found, name)
            covered[name] += c.lower <= kappa <= c.upper
    assert covered["kappa"] / 150 == pytest.approx(0.8, abs=4 * 0.033)
    assert covered["alpha"] / 150 == pytest.approx(0.8, abs=4 * 0.033)


def test_the_same_seed_gives_the_same_intervals():
    frame = raters(100, error=0.2, seed=1)
    one, again = (rat.agreement(frame, "item", ["a", "b"], seed=3) for _ in range(2))
    other = rat.agreement(frame, "item", ["a", "b"], seed=4)
    assert one.to_dict() == again.to_dict()
    assert one.alpha.value == other.alpha.value
    assert one.alpha.lower != other.alpha.lower


def test_a_scale_with_an_order_forgives_near_misses():
    rng = np.random.default_rng(5)
    first = rng.integers(1, 6, 80)
    frame = pd.DataFrame({"item": range(80), "a": first, "b": np.clip(first + 1, 1, 5)})
    nominal, ordinal, interval = (
        rat.agreement(frame, "item", ["a", "b"], scale=s, **QUICK).alpha.value
        for s in ("nominal", "ordinal", "interval")
    )
    assert nominal < 0.1 < 0.6 < min(ordinal, interval)


def test_ordered_categories_have_an_order():
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    codes = np.random.default_rng(6).integers(0, 3, (60, 2))
    codes[:40, 1] = codes[:40, 0]
    numbers = pd.DataFrame(codes, columns=["a", "b"]).assign(item=range(60))
    names = numbers.assign(
        **{c: pd.Categorical.from_codes(numbers[c], dtype=kind) for c in ("a", "b")}
    )
    one = rat.agreement(numbers, "item", ["a", "b"], scale="ordinal", **QUICK)
    other = rat.agreement(names, "item", ["a", "b"], scale="ordinal", **QUICK)
    assert other.values == ("low", "mid", "high")
    assert other.alpha == one.alpha
    with pytest.raises(LabelValueError, match="place in an order"):
        rat.agreement(names.astype({"a": str, "b": str}), "item", ["a", "b"], scale="ordinal")


def test_seven_annotators_of_mtrag():
    """`mtrag_human`: pairs counted by hand; the source says that 80 of 100 pairs agree."""
    df = rat.datasets.load("mtrag_human")
    found = rat.agreement(df, ["item", "system"], ANNOTATORS)
    assert found.raters == tuple(ANNOTATORS)
    assert found.n_items == 477
    assert round(found.observed.value, 2) == 0.80
    table = found.to_frame()
    for one, other in combinations(ANNOTATORS, 2):
        both = df[[one, other]].dropna().astype(int)
        if not len(both):
            assert (one, other) not in table.index
            continue
        row = table.loc[(one, other)]
        assert row["n_items"] == len(both)
        assert row["observed"] == pytest.approx((both[one] == both[other]).mean())
        counts = pd.crosstab(both[one], both[other]).reindex(
            index=[0, 1], columns=[0, 1], fill_value=0
        )
        is_constant = min(both[one].nunique(), both[other].nunique()) == 1
        kappa = float("nan") if is_constant else float(kappa_of_table(counts.to_numpy()))
        assert row["kappa"] == pytest.approx(kappa, nan_ok=True)
    rows = df[ANNOTATORS].astype(object).where(df[ANNOTATORS].notna(), None).to_numpy().tolist()
    assert found.alpha.value == pytest.approx(alpha_of_pairs(rows))
    assert found.alpha.lower < found.alpha.value < found.alpha.upper


def test_polars_frames_tell_the_same():
    df = rat.datasets.load("mtrag_human")[["item", "system", *ANNOTATORS]]
    one = rat.agreement(df, ["item", "system"], ANNOTATORS, **QUICK)
    other = rat.agreement(pl.from_pandas(df), ["item", "system"], ANNOTATORS, **QUICK)
    assert one.to_dict() == other.to_dict()


def test_without_the_package_the_rest_is_there(monkeypatch):
    frame = raters(60, error=0.2, seed=1)
    whole = rat.agreement(frame, "item", ["a", "b"])
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    found = rat.agreement(frame, "item", ["a", "b"])
    assert found.alpha is None
    assert found.kappa == whole.kappa
    assert "rat_widgets[agreement]" in str(found)


def test_what_cannot_be_seen_is_undefined():
    apart = pd.DataFrame({"item": [1, 2], "who": ["a", "b"], "vote": [1, 0]})
    found = rat.agreement(apart, "item", "who", "vote")
    assert found.alpha.value is None
    assert found.kappa.value is None
    assert found.pairs == ()
    assert any("two people" in note for note in found.notes)
    same = pd.DataFrame({"item": [1, 2], "a": [1, 1], "b": [1, 1]})
    found = rat.agreement(same, "item", ["a", "b"])
    assert found.alpha.value is None
    assert found.observed.value == 1
    assert any("same" in note for note in found.notes)


def test_a_rater_who_always_says_the_same_has_no_kappa_and_says_why():
    """Kappa would be 0 (0 to 0) whatever the other rater says, and drag the average down."""
    frame = raters(60, error=0.2, seed=1)
    constant = frame.assign(c=1)
    found = rat.agreement(constant, "item", ["a", "b", "c"])
    kappas = {pair.raters: pair.kappa for pair in found.pairs}
    assert (
        kappas[("a", "c")] == kappas[("b", "c")] == Coefficient(value=None, lower=None, upper=None)
    )
    assert found.kappa.value == pytest.approx(kappas[("a", "b")].value)
    assert found.kappa.upper == pytest.approx(kappas[("a", "b")].upper)
    assert any(
        "Kappa of 2 pairs is undefined" in n and "a and c; b and c" in n for n in found.notes
    )
    alone = rat.agreement(constant, "item", ["a", "c"])
    assert alone.kappa.value is None
    assert [pair.observed for pair in alone.pairs] == [pytest.approx(frame["a"].mean())]


def test_an_item_is_rated_once_by_a_rater():
    df = rat.datasets.load("mtrag_human")
    with pytest.raises(DuplicateItemError, match="item=\\['item', 'system'\\]"):
        rat.agreement(df, "item", ANNOTATORS)


def test_tables_that_hold_no_ratings_are_refused():
    frame = raters(10, error=0.2, seed=1)
    with pytest.raises(MissingColumnError, match="'a'"):
        rat.agreement(frame, "item", ["a", "c"])
    with pytest.raises(ArgumentError, match="one per rater"):
        rat.agreement(frame, "item", "a")
    with pytest.raises(ArgumentTypeError, match="one column"):
        rat.agreement(frame, "item", ["a", "b"], "a")
    with pytest.raises(ArgumentError, match="'ratio'"):
        rat.agreement(frame, "item", ["a", "b"], scale="cardinal")
    with pytest.raises(ArgumentError, match="100 or more"):
        rat.agreement(frame, "item", ["a", "b"], n_bootstrap=1)
    with pytest.raises(ArgumentError, match="Two raters"):
        rat.agreement(frame.assign(who="me"), "item", "who", "a")
    gaps = frame.assign(item=frame["item"].where(frame["item"] > 2))
    with pytest.raises(LabelValueError, match="has an item"):
        rat.agreement(gaps, "item", ["a", "b"])
    empty = frame.iloc[:0]
    with pytest.raises(ArgumentError, match="no rater"):
        rat.agreement(empty, "item", ["a", "b"])


def test_ratings_without_a_place_on_the_scale_are_refused():
    frame = raters(10, error=0.2, seed=1)
    for cell in (np.inf, -np.inf):
        with pytest.raises(LabelValueError, match="inf"):
            rat.agreement(frame.assign(a=cell), "item", ["a", "b"])
    with pytest.raises(LabelValueError, match="hold -2, and `scale` is 'ratio'"):
        rat.agreement(frame.assign(a=-2), "item", ["a", "b"], scale="ratio")
    rat.agreement(frame.assign(a=-2), "item", ["a", "b"], scale="interval", **QUICK)
    kind = pd.CategoricalDtype(["low", "high"], ordered=True)
    ranked = frame.assign(**{c: pd.Categorical(["low", "high"] * 5, dtype=kind) for c in "ab"})
    with pytest.raises(LabelValueError, match='scale="ordinal"'):
        rat.agreement(ranked, "item", ["a", "b"], scale="interval")


def test_a_rater_is_not_two_raters():
    frame = raters(10, error=0.2, seed=1)
    with pytest.raises(ArgumentError, match="'a' twice"):
        rat.agreement(frame, "item", ["a", "a"])
    frame.columns = ["item", "a", "a"]
    for table in (frame, pa.table([pa.array([1, 0])] * 3, names=["item", "a", "a"])):
        with pytest.raises(ArgumentError, match="two columns called 'a'"):
            rat.agreement(table, "item", ["a", "item"])


def test_one_is_said_as_one():
    two = pd.DataFrame({"item": [1, 2], "a": [1, None], "b": [0, 1]})
    found = rat.agreement(two, "item", ["a", "b"])
    assert any(note.startswith("Only 1 item was rated twice") for note in found.notes)
    assert "1 item has two or more" in str(found)
    with pytest.raises(ArgumentError, match="There is one rater with a rating, 'a'"):
        rat.agreement(two.assign(b=None), "item", ["a", "b"])
    with pytest.raises(ArgumentError, match="There is no rater with a rating"):
        rat.agreement(two.assign(a=None, b=None), "item", ["a", "b"])


def test_the_report_prints_and_renders():
    frame = raters(60, error=0.2, seed=1).rename(columns={"a": "<i>a</i>"})
    found = rat.agreement(frame, "item", ["<i>a</i>", "b"])
    page = found._repr_html_()
    for shown in ("alpha", "kappa", f"{found.alpha.value:.2f}"):
        assert shown in str(found)
        assert shown in page
    assert "<i>" not in page
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["n_items"] == 60
