"""Stan programs, name maps and data blocks say the same; PyStan is not needed."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from stan_equivalents.cases import CASES, case
from stan_equivalents.check import main
from stan_equivalents.programs import (
    FOLDER,
    PROGRAMS,
    data_block,
    kind_of,
    parameter_keys,
    place_of,
    programs_of,
)

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
    return next(c for c in map(case, CASES) if c.kind == kind_of(program))


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


def test_the_levels_of_a_verdict_have_their_places_and_their_dirichlet_from_the_lowest_up():
    this = case("levels_of_r_and_t")
    places = place_of("graded_judge_counts", this.counts)
    assert places["level_no_given_1[gR]"] == ("given_1", (0, 0))
    assert places["level_yes_given_1[gR]"] == ("given_1", (0, 2))
    assert places["level_3_given_0[gT]"] == ("given_0", (1, 2))
    data = data_block("graded_judge_counts", this.counts, this.priors)
    assert data["given_1_prior"] == [[1, 2, 4], pytest.approx([2 / 3] * 3)]
    assert data["given_0_prior"] == [pytest.approx([2 / 3] * 3), [3, 1.5, 0.5]]


def test_rates_where_the_other_label_is_0_come_before_those_where_it_is_1():
    this = case("r_by_t")
    places = place_of("dependent_judge_counts", this.counts)
    assert places["fpr_given_not_right[d]"] == ("fpr", (0, 0))
    assert places["fpr_given_right[d]"] == ("fpr", (0, 1))
    assert places["tpr_given_miss[a]"] == ("tpr", (1, 0))
    data = data_block("dependent_judge_counts", this.counts, this.priors)
    assert data["fpr_prior"] == [[[1, 1], [2, 3]], [[1, 1], [1, 1]]]
    assert (data["of"], data["on"]) == ([1, 2], [3, 1])


def test_a_rate_that_has_no_part_in_any_row_has_no_place_and_a_flat_prior():
    this = case("t_and_a")
    places = place_of("dependent_judge_counts", this.counts)
    assert places["fpr_given_abstained[d]"] == ("fpr", (0, 1))
    assert places["tpr_given_not_right[a]"] == ("tpr", (1, 0))
    assert not {("tpr", (0, 1)), ("tpr", (1, 1))} & set(places.values())
    data = data_block("dependent_judge_counts", this.counts, this.priors)
    assert data["tpr_prior"] == [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]
    assert data["fpr_prior"] == [[[1, 1], [2, 3]], [[1, 1], [1, 1]]]
    assert (data["of"], data["on"]) == ([3, 2], [2, 3])


def test_a_graded_judge_of_levels_has_its_answers_at_each_level_from_the_lowest_up():
    this = case("levels_of_levels")
    places = place_of("level_judge_counts", this.counts)
    assert places["level_0_given_none[g]"] == ("given", (0, 0, 0))
    assert places["level_2_given_partial[h]"] == ("given", (1, 1, 2))
    assert places["level_1_given_0[g]"] == ("given_0", (0, 1))
    data = data_block("level_judge_counts", this.counts, this.priors)
    assert np.array(data["given_prior"]) == pytest.approx(np.full((2, 3, 3), 2 / 3))


def test_judges_that_a_program_does_not_serve_are_refused():
    this = case("levels_of_levels")
    judges = tuple(Judge(n, of="task", levels=(0, 1, 2)) for n in "gh")
    other = replace(this.counts, judges=judges)
    with pytest.raises(ValueError, match="those of retrieval"):
        data_block("level_judge_counts", other, this.priors)
    pair = case("saturated_pair").counts
    judges = tuple(Judge(n, of="retrieval", dependence="saturated") for n in "ab")
    with pytest.raises(ValueError, match="two or three of the task"):
        data_block("saturated_judge_counts", replace(pair, judges=judges), Priors.flat(judges))


def test_kinds_of_programs_do_not_mix_where_one_name_starts_with_another():
    assert programs_of("graded") == ("graded_counts", "graded_rows")
    assert programs_of("graded_judge") == ("graded_judge_counts", "graded_judge_rows")


ROWS = ["complete", "judges", "levels_of_t", "levels_of_levels", "t_by_r", "saturated_three"]


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_the_patterns_as_often_as_they_count(name):
    this = case(name)
    counts, rows = (
        data_block(f"{this.kind}_{how}", this.counts, this.priors) for how in ("counts", "rows")
    )
    assert rows["N"] == sum(counts["n"]) == this.counts.n_rows
    for label in "RATv" if "v" in rows else "RAT":
        assert rows[label] == np.repeat(counts[label], counts["n"], axis=0).tolist()


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
