"""A constraint stays with a posterior whose widget is given more data."""

from __future__ import annotations

import rat_widgets as rat

THETA = rat.Theta(
    retrieval_success=0.6,
    abstain_given_miss=0.5,
    abstain_given_hit=0.05,
    correct_given_miss=0.3,
    correct_given_hit=0.9,
)
JUDGES = [rat.Judge("a", of="retrieval"), rat.Judge("b", of="retrieval")]


def table(seed: int):
    rates = [(JUDGES[0], 0.9, 0.2), (JUDGES[1], 0.8, 0.1)]
    return rat.simulate(THETA, 400, "judge_only", judges=rates, seed=seed)


def test_an_update_of_a_constrained_posterior_is_constrained() -> None:
    post = rat.fit(table(1), judges=JUDGES, constraint="tpr>fpr", draws=400)
    for widget in (rat.tree(post), rat.judges(post)):
        widget.update(table(2))
        draws = widget.posterior().draws
        assert (draws.tpr > draws.fpr).all()
