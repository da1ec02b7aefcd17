"""The command line: arguments to workflow to exit code."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.cli import _judge, main
from rat_widgets.views.tree import TreeView


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "labels.csv"
    frame = rat.simulate(rat.datasets.load("qwen"), n=60, seed=1)
    frame["system"] = ["a", "b"] * 30
    frame.to_csv(path, index=False)
    return path


def test_check_prints_the_data_report(table, capsys):
    assert main(["check", str(table)]) == 0
    assert "60 rows" in capsys.readouterr().out


def test_summary_prints_every_quantity(table, capsys):
    assert main(["summary", str(table), "--by", "system"]) == 0
    assert capsys.readouterr().out.count("policy_adherence") == 2


def test_tree_and_report_write_files_and_print_their_names(table, tmp_path, capsys):
    for command, name in (("tree", "tree.svg"), ("tree", "tree.html"), ("report", "report.html")):
        out = tmp_path / name
        assert main([command, str(table), "--by", "system", "--out", str(out)]) == 0
        assert capsys.readouterr().out.strip() == str(out)
        assert out.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        ("--by system", "rat.tree(df, by=['system']"),
        ("--policy no_harm", "rat.tree(df, policy='no_harm'"),
        ("--estimand these_rows", "rat.tree(df, estimand='these_rows'"),
        (
            "--retrieval none --judge R:retrieval",
            "rat.tree(df, retrieval=None, judges=[rat.Judge(column='R', of='retrieval', name='R')]",
        ),
    ],
)
def test_copy_as_python_is_a_call_of_a_frame_that_makes_the_same_view(
    table, tmp_path, arguments, call
):
    main(["tree", str(table), *arguments.split(), "--out", str(tmp_path / "tree.json")])
    view = TreeView.from_json((tmp_path / "tree.json").read_text())
    assert view.python == call
    again = eval(f"{view.python})", {"rat": rat, "df": pd.read_csv(table)})
    assert again.view.groups == view.groups


def test_a_bundled_data_set_can_stand_in_the_place_of_a_file(capsys):
    arguments = ["--by", "system", "--on-contradiction", "drop"]
    assert main(["check", "squad_mistral", *arguments]) == 0
    assert "7,500 rows" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["nowhere.csv", "labels.docx"])
def test_a_table_that_cannot_be_read_is_refused_with_what_can(name, capsys):
    assert main(["check", name]) == 1
    assert ".parquet" in capsys.readouterr().err


def test_bad_labels_are_an_error_message_and_not_a_traceback(tmp_path, capsys):
    path = tmp_path / "bad.csv"
    pd.DataFrame({"R": [2], "A": [0], "T": [0]}).to_csv(path, index=False)
    assert main(["summary", str(path)]) == 1
    assert "holds 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("bytes.csv", b"\xff\xfe\x00\xd8"),
        ("half.json", b"{"),
        ("number.json", b'{"a": 1}'),
        ("noise.PARQUET", b"noise"),
    ],
)
def test_a_file_that_its_parser_refuses_is_an_error_message(name, content, tmp_path, capsys):
    (tmp_path / name).write_bytes(content)
    assert main(["check", str(tmp_path / name)]) == 1
    said = capsys.readouterr().err
    assert "cannot be read as" in said
    assert "ray_docs" in said


def test_a_folder_and_a_point_of_the_parameter_space_are_no_tables(tmp_path, capsys):
    (tmp_path / "folder.csv").mkdir()
    for name in (str(tmp_path / "folder.csv"), "qwen"):
        assert main(["check", name]) == 1
        assert "qwen, " not in capsys.readouterr().err


def test_a_suffix_may_be_in_capitals(tmp_path, capsys):
    pd.DataFrame({"R": [1], "A": [0], "T": [0]}).to_csv(tmp_path / "LABELS.CSV", index=False)
    assert main(["check", str(tmp_path / "LABELS.CSV")]) == 0
    assert "1 row" in capsys.readouterr().out


def test_a_reader_that_has_seen_enough_is_no_error():
    command = f"{shlex.quote(sys.executable)} -m rat_widgets check ray_docs --by system | true"
    ended = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_an_ordinary_table_of_words_can_be_read(tmp_path, capsys):
    path = tmp_path / "words.tsv"
    pd.DataFrame(
        {
            "found": ["yes", "no", "yes", "n/a"],
            "said no": ["no", "yes", "no", "no"],
            "T": ["yes", None, "no", "yes"],
            "verdict": ["yes", None, "yes", "yes"],
            "crashed": ["no", "no", "no", "yes"],
            "a=b": ["x", "y", "x", "y"],
        }
    ).to_csv(path, index=False, sep="\t")
    words = ["--values", "yes=1", "--values", "no=0", "--values", "n/a=none"]
    columns = ["--retrieval", "found", "--abstention", "said no", "--judge", "verdict:task"]
    arguments = [*words, *columns, "--errored", "crashed", "--by", "a=b"]
    assert main(["check", *arguments, str(path)]) == 0
    out = capsys.readouterr().out
    assert "2 groups by a=b" in out
    assert "1 errored row" in out
    assert "verdict  " in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--values", "yes"], "yes=1"),
        (["--values", "yes=2"], "1, 0 or none"),
        (["--judge", "verdict"], "verdict:task"),
        (["--judge", "verdict:answers"], "retrieval"),
        (["--judge", "R:retrieval:levels"], "`of` of a Judge is 'levels'"),
        (["--judge", "R:retrieval:grades=0..3"], "levels, cuts, monotone"),
        (["--judge", "R:retrieval:levels=3..0"], "levels=0..3, or the answers"),
        (["--judge", "R:retrieval:levels=0..x"], "levels=0..3, or the answers"),
        (["--judge", "R:retrieval:levels=0..99999999999"], "levels=0..3, or the answers"),
        (["--judge", "R:retrieval:levels=2,1"], "out of order"),
        (["--judge", "R:retrieval:levels="], "levels"),
        (["--judge", "R:retrieval:cuts=0.5,high"], "cuts"),
        (["--judge", "R:retrieval:depends_on=mood"], "depends_on"),
        (["--judge", "R:retrieval:monotone=perhaps"], "True or False"),
    ],
)
def test_options_that_cannot_be_read_say_what_can(table, arguments, says, capsys):
    assert main(["check", str(table), *arguments]) == 1
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "judge"),
    [
        ("v:task", rat.Judge("v", of="task")),
        ("a:b:task", rat.Judge("a:b", of="task")),
        ("a=b:task", rat.Judge("a=b", of="task")),
        ("v:task:levels=0..3", rat.Judge("v", of="task", levels=(0, 1, 2, 3))),
        ("v:task:levels=-1..1", rat.Judge("v", of="task", levels=(-1, 0, 1))),
        ("v:task:levels=1, 2.5", rat.Judge("v", of="task", levels=(1, 2.5))),
        (
            "v:retrieval:levels=poor,fair,good:monotone=yes:unknown=?",
            rat.Judge(
                "v", of="retrieval", levels=("poor", "fair", "good"), monotone=True, unknown="?"
            ),
        ),
        ("v:task:cuts=.25,.5", rat.Judge("v", of="task", cuts=(0.25, 0.5))),
        ("v:task:depends_on=retrieval", rat.Judge("v", of="task", depends_on="retrieval")),
        (
            "v:task:dependence=saturated:share=group:name=a=b",
            rat.Judge("v", of="task", dependence="saturated", share="group", name="a=b"),
        ),
    ],
)
def test_a_judge_is_said_as_in_python(text, judge):
    assert rat.Judge.from_dict(_judge(text)) == judge


def test_grades_reach_the_summary_and_the_copied_call(tmp_path, capsys):
    path = tmp_path / "grades.csv"
    grades = {"levels": (0, 1, 2), "given_1": (0.1, 0.3, 0.6), "given_0": (0.6, 0.3, 0.1)}
    rat.simulate(
        rat.datasets.load("qwen"), 60, judges={"g": {"of": "task", **grades}}, seed=1
    ).to_csv(path, index=False)
    arguments = [str(path), "--judge", "g:task:levels=0..2"]
    assert main(["summary", *arguments]) == 0
    assert "level_2_given_1[g]" in capsys.readouterr().out
    assert main(["tree", *arguments, "--out", str(tmp_path / "tree.json")]) == 0
    view = TreeView.from_json((tmp_path / "tree.json").read_text())
    again = eval(f"{view.python})", {"rat": rat, "df": pd.read_csv(path)})
    assert again.view.groups == view.groups


def test_a_label_that_was_not_recorded_is_none(table, capsys):
    assert main(["check", str(table), "--retrieval", "none"]) == 0
    assert "R was never seen" in capsys.readouterr().out
