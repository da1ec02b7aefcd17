"""Judges with what was found of their errors let in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.judge_findings import JudgeFinding
from rat_widgets.derived.shared_judges import JudgeDiffers
from rat_widgets.errors import ArgumentError, ArgumentTypeError, RatError
from rat_widgets.inference.diagnose import Message

SAID = Message("warning", "judge_depends", "found", "do")
JUDGES = (
    rat.Judge("a", of="task", prior={"tpr": (8, 2)}),
    rat.Judge("b", of="task", levels=(0, 1, 2), monotone=True),
    rat.Judge("c", of="retrieval", depends_on="task", unknown="?"),
    rat.Judge("d", of="task", dependence="saturated"),
)


def _finding(*judges: str, **cure: str) -> JudgeFinding:
    return JudgeFinding(judges=judges, cure=cure, message=SAID)


ANY = st.builds(
    lambda keys, cure: _finding(*keys, **cure),
    st.lists(st.sampled_from("abcd"), min_size=1, unique=True),
    st.sampled_from([{"depends_on": "retrieval"}, {"dependence": "saturated"}]),
)


@given(st.lists(ANY, max_size=4))
def test_a_cure_changes_what_errors_depend_on_of_those_concerned(found: list[JudgeFinding]) -> None:
    found = [f for f in found if not ("c" in f.judges and "depends_on" in f.cure)]
    made = rat.cured(JUDGES, found)
    concerned = {key for finding in found for key in finding.judges}
    for before, after in zip(JUDGES, made, strict=True):
        wanted = [f.cure for f in found if before.name in f.judges]
        kept = {"depends_on", "dependence"}
        assert {k: v for k, v in before.to_dict().items() if k not in kept} == {
            k: v for k, v in after.to_dict().items() if k not in kept
        }
        if before.name not in concerned:
            assert after == before
        elif any(cure != {"depends_on": "retrieval"} for cure in wanted):
            assert after.dependence == "saturated"
            assert after.depends_on is None
    assert rat.cured(made, found) == made


def test_what_is_known_already_is_not_forgotten() -> None:
    (_, _, c, _) = rat.cured(JUDGES, [_finding("c", depends_on="abstention")])
    assert (c.dependence, c.depends_on) == ("saturated", None)
    (a, *_) = rat.cured(JUDGES, [_finding("a", depends_on="retrieval")])
    assert (a.dependence, a.depends_on) == ("independent", "retrieval")


def test_findings_of_other_judges_and_judges_that_are_none_are_refused() -> None:
    with pytest.raises(RatError, match="'x', which is not among the judges"):
        rat.cured(JUDGES, [_finding("x", dependence="saturated")])
    for judges in (JUDGES[0], ["a"]):
        with pytest.raises(RatError, match="`judges` of cured"):
            rat.cured(judges, [])  # type: ignore[arg-type]


def test_judges_of_a_generator_are_cured_too() -> None:
    assert rat.cured((judge for judge in JUDGES), [_finding("a", depends_on="retrieval")]) == (
        rat.cured(JUDGES, [_finding("a", depends_on="retrieval")])
    )


@pytest.mark.parametrize(
    ("judges", "findings"),
    [(JUDGES, None), (JUDGES, _finding("a")), (JUDGES, ["a"]), (None, []), (JUDGES[0], [])],
)
def test_what_is_no_judge_or_finding_is_refused(judges: object, findings: object) -> None:
    with pytest.raises(RatError, match=r"of cured\(\) is"):
        rat.cured(judges, findings)  # type: ignore[arg-type]


def _differs(judge: int) -> JudgeDiffers:
    return JudgeDiffers(judge=judge, group=("s",), log_bf=3.0, message=SAID)


def test_judges_that_differ_are_pooled_whatever_else_was_found_of_them() -> None:
    made = rat.cured(JUDGES, [_finding("a", depends_on="retrieval")], differs=[_differs(0)])
    assert (made[0].depends_on, made[0].share) == ("retrieval", "partial")
    assert made[1:] == JUDGES[1:]
    (other,) = rat.cured(JUDGES[:1], [], differs=iter([_differs(0), _differs(0)]))
    assert (other.depends_on, other.share) == (None, "partial")


def test_only_what_was_found_of_these_judges_is_taken() -> None:
    with pytest.raises(ArgumentError, match="judge number 5, and there are 4 judges"):
        rat.cured(JUDGES, [], differs=[_differs(4)])
    with pytest.raises(ArgumentTypeError, match="`differs` of cured"):
        rat.cured(JUDGES, [], differs=[_finding("a", depends_on="retrieval")])
