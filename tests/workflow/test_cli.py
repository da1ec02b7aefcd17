"""The command line: arguments to workflow to exit code."""

from __future__ import annotations

import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.cli import main


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
