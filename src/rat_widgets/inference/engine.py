"""Choice of an engine by name; knows no engine's inside."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from importlib import import_module, metadata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from rat_widgets.errors import ArgumentError, ArgumentTypeError, EngineError
from rat_widgets.inference.constraint import bound_judges, constrained, read_constraint
from rat_widgets.inference.diagnose_sharing import sharing_messages
from rat_widgets.inference.draws import Draws, Siblings
from rat_widgets.inference.monotone import has_monotone, monotone
from rat_widgets.model.priors import Priors

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge
    from rat_widgets.labels.keys import GroupKey

__all__ = [
    "ENGINES",
    "POOLED",
    "Engine",
    "engine_names",
    "group_seed",
    "package_versions",
    "sample",
]


class Engine(Protocol):
    """What an engine offers: a refusal with its reason, or draws."""

    def refusal(self, counts: PatternCounts, priors: Priors) -> str | None:
        """Why this engine cannot draw from this posterior, in one sentence; None when it can."""
        ...

    def draw(
        self,
        counts: PatternCounts,
        priors: Priors,
        *,
        n_chains: int,
        n_draws: int,
        seed: int,
        reason: str,
    ) -> tuple[Draws, ...]:
        """Draws for each group of `counts`, `n_draws` per chain.

        Raises
        ------
        EngineError
            When only drawing shows that it cannot.
        """
        ...


# Name -> module with the two functions of `Engine`; imported on first use.
ENGINES: Final[dict[str, str]] = {
    "exact": "rat_widgets.inference.exact",
    "laplace": "rat_widgets.inference.laplace",
    "hmc": "rat_widgets.inference.hmc",
    "nuts": "rat_widgets.inference.nuts",
    "pooled": "rat_widgets.inference.pooled",
}
POOLED: Final = 'a judge is pooled over the systems, share="partial".'
"""Why an engine refuses that pools nothing."""

_FALLBACK: Final = "nuts"
_POOLING: Final = "pooled"
_MOST_DRAWS: Final = 10_000_000
_KEPT_BYTES: Final = 1 << 24


def engine_names() -> tuple[str, ...]:
    """What `engine=` accepts."""
    return ("auto", *ENGINES)


def sample(
    counts: PatternCounts,
    priors: Any = None,
    *,
    engine: str = "auto",
    draws: int = 4000,
    chains: int = 4,
    seed: int = 0,
    constraint: str | None = None,
    exempt: Collection[str] = (),
) -> tuple[Draws, ...]:
    """Posterior draws for each group of the counts.

    Parameters
    ----------
    counts : PatternCounts
    priors : None, Priors or mapping
        See `Priors.from_spec`.
    engine : str
        "auto" takes ``pooled`` where a judge has ``share="partial"``, ``exact`` wherever it can,
        else ``hmc``, and says why; else a name from `engine_names`.
    draws : int
        Draws over all chains; rounded up to a multiple of `chains`.
    chains : int
    seed : int
        The same seed gives the same draws. A group's draws do not depend on the other groups,
        unless they share a judge or are pooled, which groups in ``counts.apart`` do not.
    constraint : None or "tpr>fpr"
        "tpr>fpr" leaves out draws in which a judge is no better than a coin: what to say where no
        human label tells a solution from its mirror image. It is not about judges whose TPR or
        FPR `priors` hold.
    exempt : collection of str
        Keys of further judges that the constraint is not about; those that are not here, left out
        since, change nothing.

    Returns
    -------
    tuple of Draws, in the order of ``counts.groups``

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When an argument is not accepted.
    EngineError
        When the engine asked for cannot draw from this posterior.
    """
    chosen = Priors.from_spec(priors, counts.judges, counts.retrieval_levels)
    if not counts.n_groups:
        raise EngineError.build(
            f"The table has no rows, so there are no groups by {', '.join(map(repr, counts.by))}.",
            accepted="At least one group.",
            hint="leave `by` out to see what the priors alone say.",
        )
    if counts.apart and counts.n_groups > 1:
        how = {"draws": draws, "chains": chains, "seed": seed, "constraint": constraint}
        return _in_parts(counts, chosen, engine=engine, exempt=exempt, **how)
    n_chains = _whole(chains, "chains", least=1)
    n_draws = -(-_whole(draws, "draws", least=4 * n_chains) // n_chains)
    seed = _whole(seed, "seed", least=0)
    request = _Request(chosen, n_chains=n_chains, n_draws=n_draws, seed=seed)
    if not isinstance(engine, str) or engine not in engine_names():
        raise EngineError.build(
            f"There is no engine {engine!r}.",
            accepted=f"The engines are {', '.join(map(repr, engine_names()))}.",
        )
    if read_constraint(constraint, counts) is not None:
        bound = bound_judges(counts.judges, chosen, exempt)
        if bound:
            found = constrained(lambda n: request.of(n).run(engine, counts), n_draws, counts, bound)
            return _with_sharing(found, counts)
    return _with_sharing(request.run(engine, counts), counts)


def _in_parts(
    counts: PatternCounts, priors: Priors, *, engine: str, **how: Any
) -> tuple[Draws, ...]:
    """Draws of the groups that go together, and of each of the others by itself."""
    found: dict[GroupKey, Draws] = {}
    for part in counts.parts():
        own, name = part, engine
        if part.apart:
            # Rates of its own: streams of random numbers that are this group's, too.
            own = replace(part, judges=tuple(map(_alone, part.judges)))
            name = "auto" if engine == _POOLING else engine
        drawn = sample(own, priors, engine=name, **how)
        told = map(_told_apart, drawn) if part.apart else drawn
        found.update(zip(part.groups, told, strict=True))
    return tuple(replace(found[key], counts=counts.group(i)) for i, key in enumerate(counts.groups))


def _told_apart(draws: Draws) -> Draws:
    reason = f"Apart from the other groups, as asked. {draws.reason}"
    return replace(draws, reason=reason, diagnosis=replace(draws.diagnosis, reason=reason))


def _alone(judge: Judge) -> Judge:
    return judge if judge.share == "group" else replace(judge, share="group")


def _with_sharing(found: tuple[Draws, ...], counts: PatternCounts) -> tuple[Draws, ...]:
    """The draws with all groups beside them, and where a shared judge could differ unseen."""
    if counts.n_groups == 1:
        return found
    told, siblings = sharing_messages(counts), Siblings(counts)
    return tuple(
        replace(
            draws,
            siblings=siblings,
            diagnosis=replace(draws.diagnosis, messages=(*draws.diagnosis.messages, *m)),
        )
        for draws, m in zip(found, told, strict=True)
    )


class _Request:
    """Everything about a call of `sample` but the data and the engine."""

    def __init__(self, priors: Priors, *, n_chains: int, n_draws: int, seed: int) -> None:
        self.priors = priors
        self.how = {"n_chains": n_chains, "n_draws": n_draws, "seed": seed}

    def of(self, n_draws: int) -> _Request:
        """The same request for so many draws per chain."""
        how = {**self.how, "n_draws": min(n_draws, _MOST_DRAWS)}
        return _Request(self.priors, **how)

    def run(self, engine: str, counts: PatternCounts) -> tuple[Draws, ...]:
        """Draws by the engine that was asked for."""
        if has_monotone(counts):
            return monotone(
                lambda n: self.of(n).run_freely(engine, counts), self.how["n_draws"], counts
            )
        return self.run_freely(engine, counts)

    def run_freely(self, engine: str, counts: PatternCounts) -> tuple[Draws, ...]:
        """The same whatever the order of levels."""
        if engine == "auto":
            return _automatic(counts, self)
        return self.draw(engine, counts, reason=f"Asked for by engine={engine!r}.")

    def draw(self, name: str, counts: PatternCounts, *, reason: str) -> tuple[Draws, ...]:
        """Draws by the engine of this name, or its refusal as an error."""
        engine = _load(name)
        refusal = engine.refusal(counts, self.priors)
        if refusal is not None:
            last = _POOLING if counts.is_pooled else _FALLBACK
            raise EngineError.build(
                f"The engine {name!r} cannot draw from this posterior: {refusal}",
                hint=f"engine='auto' finds one that can ({last!r} takes everything).",
            )
        _keep_memory()
        return engine.draw(counts, self.priors, reason=reason, **self.how)


def _keep_memory() -> None:
    """Have blocks of memory that are freed used again.

    glibc hands a freed block of more than 128 kB back to the system, and pages for the next are
    zeroed anew, until a larger one has been freed: then it keeps what is smaller. Nothing is
    written to this one. Diagnosing 4,000 draws took 1.6 ms in place of 3.1.
    """
    np.empty(_KEPT_BYTES // 8)


def _automatic(counts: PatternCounts, request: _Request) -> tuple[Draws, ...]:
    """`exact` where it can, else `hmc`, else the fallback, and why.

    Groups that share no judge each get their own; those that get the same one for the same
    reason are drawn in one call. Where a judge is pooled, all are drawn by `pooled`.
    """
    if counts.is_pooled:
        return request.draw(_POOLING, counts, reason='A judge has share="partial".')
    if counts.n_groups > 1 and not _shares_a_judge(counts):
        alone = [counts.group(i) for i in range(counts.n_groups)]
    else:
        alone = [counts]
    results: dict[int, tuple[Draws, ...]] = {}
    left: dict[str, list[int]] = {}
    refusals = [_load("exact").refusal(part, request.priors) for part in alone]
    exact = [i for i, refusal in enumerate(refusals) if refusal is None]
    if exact:
        together = counts if len(exact) == len(alone) else counts.select(exact)
        for i, found in zip(exact, _exactly(together, len(exact), request), strict=True):
            if isinstance(found, str):
                refusals[i] = found
            else:
                results[i] = found
    for i, refusal in enumerate(refusals):
        if refusal is not None:
            left.setdefault(refusal, []).append(i)
    for not_exact, which in left.items():
        part = counts if len(alone) == 1 else counts.select(which)
        drawn = _by_steps(part, request, not_exact)
        if len(alone) == 1:
            return drawn
        results |= {i: (draws,) for i, draws in zip(which, drawn, strict=True)}
    return tuple(draws for i in range(len(alone)) for draws in results[i])


def _exactly(
    counts: PatternCounts, n_parts: int, request: _Request
) -> list[tuple[Draws, ...] | str]:
    """Exact draws of each of so many parts, or why there are none after all."""
    reason = "The posterior is known in closed form, so the draws are exact and independent."
    try:
        drawn = request.draw("exact", counts, reason=reason)
    except EngineError as err:
        if n_parts == 1:
            return [str(err).splitlines()[0]]
        # Some groups cannot be drawn after all: each by itself shows which.
        return [_exactly(counts.group(i), 1, request)[0] for i in range(n_parts)]
    return [drawn] if n_parts == 1 else [(draws,) for draws in drawn]


def _by_steps(counts: PatternCounts, request: _Request, not_exact: str) -> tuple[Draws, ...]:
    """Draws by `hmc`, or by the fallback where it refuses."""
    reason = f"Not 'exact': {not_exact}"
    refusal = _load("hmc").refusal(counts, request.priors)
    if refusal is None:
        return request.draw("hmc", counts, reason=reason)
    return request.draw(_FALLBACK, counts, reason=f"{reason} Not 'hmc': {refusal}")


def _shares_a_judge(counts: PatternCounts) -> bool:
    return any(judge.share == "all" for judge in counts.judges)


def _load(name: str) -> Engine:
    module: Any = import_module(ENGINES[name])
    return module


def group_seed(seed: int, key: tuple[Any, ...]) -> np.random.SeedSequence:
    """The stream of one group: the same whatever other groups there are."""
    digest = hashlib.blake2b(repr(tuple(key)).encode(), digest_size=16).digest()
    return np.random.SeedSequence([seed, *np.frombuffer(digest, dtype=np.uint32).tolist()])


@lru_cache(maxsize=8)
def package_versions(*packages: str) -> MappingProxyType[str, str]:
    """The installed version of each package; "unknown" where there is no record of it."""
    return MappingProxyType({name: _version(name) for name in packages})


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"


def _whole(value: Any, name: str, *, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ArgumentTypeError.build(f"`{name}` is {value!r}.", accepted="A whole number.")
    if value < least:
        raise ArgumentError.build(
            f"`{name}` is {value!r}.",
            accepted=f"{least} or more." if name != "draws" else f"At least 4 per chain: {least}.",
        )
    if name != "seed" and value > _MOST_DRAWS:
        raise ArgumentError.build(
            f"`{name}` is {value!r}.",
            accepted=f"At most {_MOST_DRAWS:,}.",
            hint="4,000 draws place the end of an interval to about a tenth of its half width.",
        )
    return int(value)
