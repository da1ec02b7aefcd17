"""Stan programs, name maps and data blocks say the same; PyStan is not needed."""

import json
import re

import numpy as np
import pytest

from stan_equivalents.cases import CASES, case
from stan_equivalents.check import main
from stan_equivalents.programs import FOLDER, PROGRAMS, data_block, parameter_keys, place_of

EVERY = pytest.mark.parametrize("program", PROGRAMS)
TYPE = r"(?:array\[[^\]]*\] )?(?:int|real|vector|simplex)(?:<[^>]*>)?(?:\[[^\]]*\])?"
DECLARED = re.compile(rf"^\s*{TYPE} (\w+)(?: =[^;]*)?;", re.M)


def block(program, name):
    """The variables that one block of a program declares."""
    text = (FOLDER / f"{program}.stan").read_text("utf-8")
    inside = text.split(f"\n{name} {{\n")[1].split("\n}\n")[0]
    return DECLARED.findall(inside)


def described(program):
    return json.loads((FOLDER / f"{program}.json").read_text("utf-8"))


def case_for(program):
    return next(c for c in map(case, CASES) if c.kind == program.partition("_")[0])


@EVERY
def test_the_description_names_what_the_program_declares(program):
    found = described(program)
    assert found["program"] == f"{program}.stan"
    assert sorted(", ".join(found["data"]).split(", ")) == sorted(block(program, "data"))
    assert sorted(found["priors"]) == sorted(block(program, "parameters"))
    mapped = {name.partition("[")[0] for name in found["names"]}
    # What is pooled is a function of the parameters, and of these only it has names of ours.
    assert program.startswith("pooled") or set(block(program, "parameters")) <= mapped
    shown = ["parameters", "generated quantities"]
    if program.startswith("pooled"):
        shown.append("transformed parameters")
    assert mapped <= {name for part in shown for name in block(program, part)}


@EVERY
def test_the_data_block_is_complete_and_json(program):
    this = case_for(program)
    data = data_block(program, this.counts, this.priors)
    assert sorted(data) == sorted(block(program, "data"))
    assert json.loads(json.dumps(data)) == data


@EVERY
def test_every_parameter_has_one_place(program):
    places = place_of(program, case_for(program).counts)
    assert set(parameter_keys(case_for(program).counts)) <= set(places)
    if not program.startswith("groups"):
        assert len(set(places.values())) == len(places)


def test_every_level_has_its_three_places_from_the_lowest_up():
    this = case("graded_four_levels")
    places = place_of("graded_counts", this.counts)
    for i, level in enumerate(("none", "hint", "most", "all")):
        assert places[f"retrieval[{level}]"] == ("theta_R", (i,))
        assert places[f"abstain_given[{level}]"] == ("theta_A", (i,))
        assert places[f"correct_given[{level}]"] == ("theta_T", (i,))


def test_the_dirichlet_is_what_was_asked_for_from_the_lowest_level_up():
    this = case("graded_priors")
    data = data_block("graded_counts", this.counts, this.priors)
    assert data["retrieval_prior"] == [4, 0.5, 2.5]
    assert data["abstain_prior"] == [[1, 1], [3, 7], [0.5, 0.5]]
    assert data["correct_prior"] == [[1, 4], [1, 1], [1, 1]]


def test_a_shared_judge_has_one_place_in_all_groups_and_another_has_one_in_each():
    places = place_of("groups_counts", case("groups").counts)
    assert places["apertus: tpr[jR]"] == places["qwen: tpr[jR]"]
    assert places["apertus: tpr[jT]"] != places["qwen: tpr[jT]"]


@pytest.mark.parametrize("name", ["complete", "judges"])
def test_rows_are_the_patterns_as_often_as_they_count(name):
    this = case(name)
    counts, rows = (
        data_block(f"{this.kind}_{how}", this.counts, this.priors) for how in ("counts", "rows")
    )
    assert rows["N"] == sum(counts["n"]) == this.counts.n_rows
    for label in "RAT":
        assert rows[label] == np.repeat(counts[label], counts["n"]).tolist()


def test_a_case_that_is_not_known_is_refused_with_those_that_are(capsys):
    assert main(["nothing_like_it"]) == 2
    assert "complete" in capsys.readouterr().err


def test_the_check_against_stored_runs_prints_a_table_and_agrees(capsys, monkeypatch):
    monkeypatch.setattr("stan_equivalents.check.engines", lambda: ("exact",))
    assert main(["--stored", "complete", "judges"]) == 0
    text = capsys.readouterr().out
    assert "human_rows.stan" in text
    assert "refuses: judge 'jR' has verdicts on rows that do not show R" in text
    assert text.endswith("yes.\n")
