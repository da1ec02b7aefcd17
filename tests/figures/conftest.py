"""Views built by hand: figures know nothing of the statistics that make real ones."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from rat_widgets.views import wording, words
from rat_widgets.views.levels import LEAVES
from rat_widgets.views.tree import (
    Estimate,
    NodeLabels,
    Note,
    PolicyWeights,
    TreeControls,
    TreeGroup,
    TreeView,
)

ADHERENCE = {w: float(w in words.PRESETS["adherence"]) for w in LEAVES}

# The reference point "qwen" of the paper's HotpotQA table (solved from its published figures).
QWEN = (0.2078, 0.4632, 0.0360, 0.4447, 0.6809)

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<b>bold</b><br><a href='javascript:alert(1)'>link</a>",
    "]]></desc></svg><script>alert(1)</script>",
    "$\\frac{a}{b}$ %{customdata} &lt;i&gt; &amp; {{ }}",
    "line\nbreak\ttab \"quote\" 'single' \x00\x1b[31m",
    "שלום · مرحبا \u202eevil\u202c",
    "👩\u200d🔬 emoji 🚀 🇨🇭",
    "a very long name of a system " * 20,
    "",
)


def estimate(value: float, n: float, low: float = 0.0, high: float = 1.0) -> Estimate:
    """An estimate as wide as one from about `n` rows."""
    half = 1.96 * (max(value * (1 - value), 0.01) / (n + 3)) ** 0.5 if high == 1.0 else 0.05
    lower, upper = max(low, value - half), min(high, value + half)
    shown = tuple(wording.stored(x) for x in (value, lower, upper))
    text = wording.estimate(*shown, is_rate=(low, high) == (0.0, 1.0))
    return Estimate(value=shown[0], lower=shown[1], upper=shown[2], text=text)


def group_of(
    theta: tuple[float, ...] = QWEN,
    *,
    n: int = 600,
    weights: dict[str, float] | None = None,
    key: tuple[str, ...] = (),
    notes: tuple[Note, ...] = (),
) -> TreeGroup:
    """A group whose numbers hang together."""
    weights = ADHERENCE if weights is None else weights
    hit, abstain_miss, abstain_hit, right_miss, right_hit = theta
    worlds = {
        "miss_abstained": (1 - hit) * abstain_miss,
        "hit_abstained": hit * abstain_hit,
        "miss_wrong": (1 - hit) * (1 - abstain_miss) * (1 - right_miss),
        "miss_right": (1 - hit) * (1 - abstain_miss) * right_miss,
        "hit_wrong": hit * (1 - abstain_hit) * (1 - right_hit),
        "hit_right": hit * (1 - abstain_hit) * right_hit,
    }
    keys = (
        "retrieval_success",
        "abstain_given_miss",
        "abstain_given_hit",
        "correct_given_miss",
        "correct_given_hit",
    )
    reached = (1.0, 1 - hit, hit, (1 - hit) * (1 - abstain_miss), hit * (1 - abstain_hit))
    low, high = min(0.0, *weights.values()), max(1.0, *weights.values())
    policy = sum(weights[w] * worlds[w] for w in LEAVES)
    rows = {key_: int(n * share) for key_, share in zip(keys, reached)}
    rows |= {w: int(n * p) for w, p in worlds.items()}
    return TreeGroup(
        key=key,
        label=" · ".join(key),
        n_rows=n,
        n_joint=n,
        branches={k: estimate(p, n * share) for k, p, share in zip(keys, theta, reached)},
        worlds={w: estimate(p, n) for w, p in worlds.items()},
        quantities={
            "abstention": estimate(worlds["miss_abstained"] + worlds["hit_abstained"], n),
            "task_success": estimate(worlds["miss_right"] + worlds["hit_right"], n),
            "policy_adherence": estimate(policy, n, low, high),
            "lucky_share": estimate(0.57, n),
        },
        labels={
            k: NodeLabels(rows=r, labelled=r * 5 // 6, judged=r // 10, possible=r // 7)
            for k, r in rows.items()
        },
        notes=notes,
        counts=(n,),
        draws=None,
        rows=f"{wording.count(n)} rows. Ranges are 95% credible intervals.",
    )


def view_of(
    *groups: TreeGroup,
    weights: dict[str, float] | None = None,
    controls: TreeControls | None = None,
) -> TreeView:
    """A view of groups made with the same weights."""
    shown = groups or (group_of(weights=weights),)
    return TreeView(
        generator="rat_widgets",
        python="rat.tree(df",
        by=("system",) if any(g.key for g in shown) else (),
        ci_prob=0.95,
        seed=0,
        policy=PolicyWeights(
            name="adherence" if weights is None else "custom", weights=weights or ADHERENCE
        ),
        priors=dict.fromkeys(shown[0].branches, (1.0, 1.0)),
        patterns=((1, 0, 1),),
        groups=shown,
        controls=controls or TreeControls(),
    )


def graded_group(
    levels: tuple[str, ...],
    chances: tuple[float, ...] | None = None,
    *,
    n: int = 600,
    weights: dict[str, float] | None = None,
    notes: tuple[Note, ...] = (),
) -> TreeGroup:
    """A group of graded retrieval whose numbers hang together.

    `chances` are P(R=level), P(A=1) and P(T=1) of each level, the lowest level first.
    """
    k = len(levels)
    if chances is None:
        chances = (*(1 / k,) * k, *(0.6 - 0.5 * i / k for i in range(k)), *(0.6,) * k)
    total = sum(chances[:k])
    found = [c / total for c in chances[:k]]
    weights = graded_weights(levels) if weights is None else weights
    branches, worlds, reached = {}, {}, {}
    for i, level in enumerate(levels):
        r, a, t = found[i], chances[k + i], chances[2 * k + i]
        branches |= {f"retrieval[{level}]": r, f"abstain_given[{level}]": a}
        branches[f"correct_given[{level}]"] = t
        reached |= {f"retrieval[{level}]": 1, f"abstain_given[{level}]": r}
        reached[f"correct_given[{level}]"] = r * (1 - a)
        worlds[f"{level}_abstained"] = r * a
        worlds[f"{level}_wrong"] = r * (1 - a) * (1 - t)
        worlds[f"{level}_right"] = r * (1 - a) * t
    low, high = min(0.0, *weights.values()), max(1.0, *weights.values())

    def mass(end):
        return sum(p for world, p in worlds.items() if world.endswith(end))

    rows = {key: int(n * share) for key, share in (reached | worlds).items()}
    return TreeGroup(
        key=(),
        label="",
        n_rows=n,
        n_joint=n,
        branches={key: estimate(p, n * reached[key]) for key, p in branches.items()},
        worlds={world: estimate(p, n) for world, p in worlds.items()},
        quantities={
            "abstention": estimate(mass("_abstained"), n),
            "task_success": estimate(mass("_right"), n),
            "policy_adherence": estimate(
                sum(weights[w] * p for w, p in worlds.items()), n, low, high
            ),
            "lucky_share": estimate(0.57, n),
        },
        labels={
            key: NodeLabels(rows=r, labelled=r * 5 // 6, judged=r // 10, possible=r // 7)
            for key, r in rows.items()
        },
        notes=notes,
        counts=(n,),
        draws=None,
        rows=f"{wording.count(n)} rows. Ranges are 95% credible intervals.",
    )


def graded_weights(levels: tuple[str, ...], preset: str = "adherence") -> dict[str, float]:
    of = words.words_of(levels)
    return {world: float(world in of.presets[preset]) for world in of.keys.leaves}


def graded_view(
    levels: tuple[str, ...],
    group: TreeGroup | None = None,
    *,
    weights: dict[str, float] | None = None,
    unit: str = "queries",
) -> TreeView:
    """A view of graded retrieval."""
    group = graded_group(levels, weights=weights) if group is None else group
    return TreeView(
        generator="rat_widgets",
        python="rat.tree(df",
        by=(),
        ci_prob=0.95,
        seed=0,
        levels=levels,
        policy=PolicyWeights(
            name="adherence" if weights is None else "custom",
            weights=weights or graded_weights(levels),
        ),
        priors={},
        patterns=((1, 0, 1),),
        groups=(group,),
        controls=TreeControls(unit=unit),
    )


THREE = ("none", "partial", "all")
FOUR = ("poor", "fair", "good", "great")
LONG = ("W" * 80, "a level with a very long name " * 9, "<b>0</b> & 'more'")
UTILITY = dict(zip(LEAVES, (1.0, -1.0, 0.0, 0.0, -1.0, 0.2)))
WEIGHTS = dict(zip(LEAVES, (1.0, 0.0, 0.0, 0.5, 0.0, 1.0)))
NOTES = (
    Note(level="problem", text="The labels do not pin down abstain_given_hit. Label <R> & T."),
    Note(level="warning", text="Few labels: " + "the prior still weighs in, " * 12 + "look twice."),
    Note(level="info", text="Compare with priors='jeffreys'."),
)


def undefined_view() -> TreeView:
    """A view in which no query had its evidence: what follows a hit is undefined."""
    gone = Estimate(value=None, lower=None, upper=None, text="–")
    group = group_of((0.0, *QWEN[1:]))
    branches = group.branches | {"abstain_given_hit": gone, "correct_given_hit": gone}
    quantities = group.quantities | {"lucky_share": gone}
    return view_of(replace(group, branches=branches, quantities=quantities))


VIEWS = {
    "plain": view_of(),
    "no rows": view_of(group_of((0.5,) * 5, n=0)),
    "few rows": view_of(group_of((0.25, 0.45, 0.2, 0.4, 0.7), n=12)),
    "ten million rows": view_of(group_of(n=10_000_000)),
    "almost all right": view_of(group_of((0.999, 0.5, 0.0005, 0.5, 0.999), n=5000)),
    "all declined": view_of(group_of((0.5, 0.99, 0.99, 0.5, 0.5), n=5000)),
    "utility": view_of(group_of(weights=UTILITY), weights=UTILITY),
    "weights": view_of(group_of(weights=WEIGHTS), weights=WEIGHTS),
    "notes": view_of(group_of(notes=NOTES)),
    "by step": view_of(controls=TreeControls(unit="step")),
    "groups": view_of(
        group_of(key=("bm25",)),
        group_of((0.6, 0.3, 0.1, 0.2, 0.8), key=("dense " * 60,)),
        controls=TreeControls(group=1),
    ),
    "undefined": undefined_view(),
    "three levels": graded_view(THREE),
    "three levels, by step": graded_view(THREE, unit="step"),
    "three levels, no rows": graded_view(
        THREE, graded_group(THREE, (1 / 3,) * 3 + (0.5,) * 6, n=0)
    ),
    "three levels, ten million rows": graded_view(THREE, graded_group(THREE, n=10_000_000)),
    "three levels, a utility": graded_view(
        THREE, weights={w: (-1.0) ** i for i, w in enumerate(graded_weights(THREE))}
    ),
    "four levels": graded_view(FOUR),
    "four levels, weights": graded_view(
        FOUR, weights={w: i / 11 for i, w in enumerate(graded_weights(FOUR))}
    ),
    "long names": graded_view(LONG),
    "names that try much": graded_view(HOSTILE[:7]),
    "notes of three levels": graded_view(THREE, graded_group(THREE, notes=NOTES)),
}


@pytest.fixture(params=VIEWS.values(), ids=VIEWS.keys())
def view(request: pytest.FixtureRequest) -> TreeView:
    """Each of the views of this folder."""
    return request.param


@pytest.fixture(params=HOSTILE, ids=lambda name: f"name {HOSTILE.index(name)}")
def hostile(request: pytest.FixtureRequest) -> TreeView:
    """A view with a name, a note and a sentence that try to be markup."""
    name = request.param
    group = replace(
        group_of(key=(name,), notes=(Note(level="warning", text=name),)),
        rows=f"600 rows of {name}",
    )
    return view_of(group, group)


@pytest.fixture(scope="session")
def build() -> SimpleNamespace:
    """The builders: `build.view(*groups)`, `build.group(theta)`, and names that try much."""
    return SimpleNamespace(
        view=view_of,
        group=group_of,
        qwen=QWEN,
        names=HOSTILE,
        three=THREE,
        graded_view=graded_view,
        graded_group=graded_group,
    )
