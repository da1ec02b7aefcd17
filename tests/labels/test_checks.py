"""The data report: the facts are right, and it reads anywhere."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rat_widgets.errors import LabelValueError
from rat_widgets.inference.identify import identify
from rat_widgets.labels import Judge, Labels


def report(rows: dict[str, list[Any]], **keywords: Any) -> Any:
    return Labels.from_frame(pd.DataFrame(rows), **keywords).check()


def codes(found: Any) -> set[str]:
    return {finding.code for finding in found.findings}


COMPLETE = {"R": [1, 1, 0, 0, 1, 0], "A": [0, 0, 0, 1, 1, 0], "T": [1, 0, 0, 0, 0, 1]}


def test_complete_data_leave_nothing_to_complain_about():
    found = report(COMPLETE)
    assert found.ok
    assert found.findings == ()
    assert found.n_rows == found.n_counted == 6
    assert found.missing == {"R": 0, "A": 0, "T": 0}
    assert found.single_valued == {}
    assert found.n_verdicts_set_aside == 2
    assert "can be learnt" in str(found)


def test_patterns_show_what_judges_said_in_their_own_words():
    rows = {**COMPLETE, "g": [1, 3, 1, None, 2, "?"], "u": [1, 0, "?", 1, None, 0]}
    judges = [Judge("g", of="retrieval", levels=(1, 2, 3), unknown="?")]
    judges += [Judge("u", of="retrieval", unknown="?")]
    found = report(rows, judges=judges)
    for name in ("g", "u"):
        said = [pattern.shown[name] for pattern in found.patterns if name in pattern.shown]
        assert sorted(said) == sorted(str(x) for x in rows[name] if x is not None)
    assert "g=3" in str(found)
    assert "u=?" in str(found)


def test_grades_of_a_judge_without_levels_are_told_to_name_them():
    rows = {**COMPLETE, "g": [1, 3, 1, None, 2, 3]}
    with pytest.raises(LabelValueError, match=r"Hint: .*levels=\(1, 2, 3\).*`cuts`"):
        report(rows, judges=[Judge("g", of="task")])
    with pytest.raises(LabelValueError, match=r"Hint: .*retrieval_levels=\(0, 1, 2\)"):
        report({**COMPLETE, "R": [1, 2, 0, 0, 1, 2]})


@pytest.mark.parametrize(
    ("columns", "keywords", "code"),
    [
        ({"R": []}, {}, "no_rows"),
        ({"R": [None] * 6}, {}, "retrieval_never_seen"),
        ({}, {"retrieval": None}, "retrieval_never_seen"),
        ({}, {"abstention": None}, "abstention_never_seen"),
        ({"T": [None] * 6}, {}, "task_never_seen"),
        (
            {"R": [1, 0, None, None, None, None], "T": [None, None, 1, None, None, 0]},
            {},
            "never_joint",
        ),
        (
            {"R": [None] * 3 + [1, 0, 1], "j": [1, 0, 1, None, None, None]},
            {"judges": [Judge("j", of="retrieval")]},
            "judge_without_truth",
        ),
        (
            {"T": [None] * 6, "j": [1, 0, 1, 1, 0, 1]},
            {"judges": [Judge("j", of="task")]},
            "judge_without_truth",
        ),
    ],
)
def test_what_these_data_cannot_tell_is_a_problem(columns, keywords, code):
    rows = {name: [] for name in "RAT"} if columns == {"R": []} else {**COMPLETE, **columns}
    found = report(rows, **keywords)
    assert not found.ok
    assert code in {finding.code for finding in found.unidentified}


WORLDS = [(0, 1, None), (1, 1, None), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]


@pytest.mark.parametrize(
    "design",
    [
        # for R: is it seen on abstentions, on wrong and on right answers; T is seen
        *[("R", seen) for seen in product((True, False), repeat=3)],
        # for T: is it seen after a miss, after a hit; R is seen
        *[("T", seen) for seen in product((True, False), repeat=2)],
    ],
    ids=str,
)
@pytest.mark.parametrize("more", [(), ("R alone",), ("T alone",), ("R alone", "T alone")], ids=str)
def test_the_report_and_the_diagnosis_agree_on_what_is_not_identified(design, more):
    """Two ways to the same answer: which labels are where, and the rank of the likelihood."""
    label, seen = design
    rows = []
    for r, a, t in WORLDS * 3:
        outcome = 0 if a == 1 else 1 + t if label == "R" else None
        if label == "R":
            rows.append((r if seen[outcome] else None, a, t))
        else:
            rows.append((r, a, t if seen[r] else None))
    rows += [(r, a, None) for r, a, _ in WORLDS if "R alone" in more]
    rows += [(None, a, t) for _, a, t in WORLDS if "T alone" in more]
    labels = Labels.from_frame(pd.DataFrame(rows, columns=list("RAT"), dtype="Int8"))
    informed, identified = identify([labels.counts], shared=np.zeros(0, dtype=bool))
    assert labels.check().ok == bool(identified.all())
    assert informed.shape == identified.shape


def test_a_rate_of_a_judge_that_was_never_compared_is_named():
    found = report(
        {**COMPLETE, "j": [1, None, None, 1, 1, None]}, judges=[Judge("j", of="task", name="gpt")]
    )
    (finding,) = [f for f in found.findings if f.code == "judge_rate_without_truth"]
    assert "'gpt' was never compared with T=0: its FPR" in finding.text


def test_labels_on_part_of_the_rows_ask_how_these_were_chosen():
    rows = {**COMPLETE, "R": [1, 0, None, None, 1, 0], "s": list("aabbab")}
    found = report(rows)
    (finding,) = [f for f in found.findings if f.code.startswith("selection")]
    assert "R is labelled on 4 of 6 rows" in finding.text
    assert "stratum=" in finding.advice
    declared = report(rows, stratum="s")
    (finding,) = [f for f in declared.findings if f.code.startswith("selection")]
    assert "by='s'" in finding.advice
    assert "selection_retrieval" not in codes(report(rows, stratum="s", by="s"))


def test_a_column_with_one_value_is_named():
    found = report({**COMPLETE, "R": [1] * 6})
    assert found.single_valued == {"R": 1}
    assert "single_valued" in codes(found)


def test_groups_without_a_label_are_named():
    found = report({**COMPLETE, "R": [1, 0, 1, None, None, None], "g": list("aaabbb")}, by="g")
    (finding,) = [f for f in found.findings if f.code == "groups_without_retrieval"]
    assert "1 of 2 groups: b" in finding.text


def test_a_hit_on_an_unanswerable_question_is_odd():
    found = report({**COMPLETE, "ok": [0, 1, 0, 0, 1, 1]}, answerable="ok")
    (finding,) = [f for f in found.findings if f.code == "hit_but_unanswerable"]
    assert finding.text.startswith("1 row is a hit")


def test_advice_is_given_once_and_code_is_code_in_a_notebook():
    """R and T on part of the rows: one reason to ask how these were chosen, and not two."""
    rows = {"R": [1, 0, None, None, 0], "A": [0, 0, 0, 1, 1], "T": [1, 0, None, None, None]}
    found = Labels.from_frame(pd.DataFrame(rows)).check()
    assert [f.code for f in found.findings][-2:] == ["selection_retrieval", "selection_task"]
    text, page = str(found), found._repr_html_()
    assert text.count("chosen at random") == page.count("chosen at random") == 1
    assert " - R is labelled on 3 of 5 rows. T is labelled on 2 of 3 answered rows." in text
    assert "<code>stratum=</code>" in page
    assert "`" not in page


def test_one_of_a_thing_is_one():
    rows = {"R": [1] * 9, "A": [0] * 8 + [1], "T": [1] * 9, "j": [1, 0] * 4 + ["Error"]}
    judges = [Judge("j", of="abstention")]
    labels = Labels.from_frame(pd.DataFrame(rows), judges=judges, on_contradiction="drop")
    assert "1 row says both abstained and solved" in str(labels.check())
    assert "1 cell of j holds text that is no verdict" in str(labels.check())


@pytest.mark.parametrize("way", ["drop", "trust_abstention", "trust_answer"])
def test_contradictions_are_counted_whatever_was_done_with_them(way):
    found = report({**COMPLETE, "T": [1, 0, 0, 1, 1, 1]}, on_contradiction=way)
    assert found.n_contradictory == 2
    assert found.on_contradiction == way
    assert found.n_counted == (4 if way == "drop" else 6)
    assert "2 rows say both abstained and solved" in str(found)


@pytest.mark.parametrize("errored_as", ["excluded", "failures"])
def test_errored_rows_bound_the_rates(errored_as):
    # 6 rows without errors: R 3 of 6, A 2 of 6, T 2 of 4 answered; 2 more rows erred
    rows = {
        "R": [*COMPLETE["R"], None, 1],
        "A": [*COMPLETE["A"], 1, None],
        "T": [*COMPLETE["T"], 1, None],
        "e": [0] * 6 + [1, 1],
    }
    found = report(rows, errored="e", errored_as=errored_as)
    assert found.n_errored == 2
    for name, rate in (("retrieval", 3 / 6), ("abstention", 2 / 6), ("task", 2 / 6)):
        bounds = found.bounds[name]
        assert bounds.observed == pytest.approx(rate)
        assert bounds.lower == pytest.approx(rate * 6 / 8)
        assert bounds.upper == pytest.approx((rate * 6 + 2) / 8)


def test_without_errored_rows_the_bounds_are_the_rate():
    for bounds in report(COMPLETE).bounds.values():
        assert bounds.observed == bounds.lower == bounds.upper


class Tags(HTMLParser):
    """Names of tags, attributes and texts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


HOSTILE = "<img src=x onerror=alert(1)>\"'\n&"


def test_hostile_names_stay_text_in_a_notebook_and_on_one_line_in_a_terminal():
    rows = {**{f"{name}{HOSTILE}": values for name, values in COMPLETE.items()}}
    rows |= {HOSTILE: [1, 0, 1, 0, 1, 0], "g": [HOSTILE, "b"] * 3}
    labels = Labels.from_frame(
        pd.DataFrame(rows),
        f"R{HOSTILE}",
        f"A{HOSTILE}",
        f"T{HOSTILE}",
        judges=[Judge(HOSTILE, of="task")],
        by="g",
    )
    for page in (labels.check()._repr_html_(), labels._repr_html_()):
        parser = Tags()
        parser.feed(page)
        assert parser.tags <= {"div", "p", "br", "table", "caption", "tr", "th", "td", "ul", "li",
                               "strong"}  # fmt: skip
        assert parser.attributes <= {"class", "style", "scope"}
        assert "<img src=x onerror" in parser.text
        assert "url(" not in page
    assert all(line.isprintable() for line in str(labels.check()).split("\n"))


def test_many_groups_and_patterns_make_a_short_report():
    n = 2000
    rows = {
        "R": [i % 2 for i in range(n)],
        "A": [i // 2 % 2 for i in range(n)],
        "T": [0] * n,
        "g": [f"system {i // 2}" for i in range(n)],
        **{f"j{k}": [(i >> k) % 2 for i in range(n)] for k in range(8)},
    }
    found = report(rows, by="g", judges=[Judge(f"j{k}", of="retrieval") for k in range(8)])
    assert len(str(found).splitlines()) < 70
    assert "more groups" in str(found)
    assert "more patterns" in str(found)
    assert len(found._repr_html_()) < 20_000


def test_the_report_is_values_that_json_can_hold():
    found = report({**COMPLETE, "g": list("aabbab")}, by="g")
    again = json.loads(json.dumps(found.to_dict()))
    assert again["n_rows"] == 6
    assert again["rows_per_group"] == [[["a"], 3], [["b"], 3]]
