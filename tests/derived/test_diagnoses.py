"""The diagnoses of several groups, as one mapping."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.diagnoses import Diagnoses
from rat_widgets.inference.diagnose import Diagnosis, Message

LEVELS = ("problem", "warning", "info")


def found(*levels: str) -> Diagnosis:
    """A diagnosis with messages of these levels, whose code is the level."""
    messages = tuple(Message(level, f"code_{level}", "A text.", "") for level in levels)
    return Diagnosis(engine="exact", reason="", messages=messages)


groups = st.one_of(
    st.text(max_size=80), st.integers(), st.tuples(st.text(max_size=9), st.integers())
)
many = st.dictionaries(groups, st.lists(st.sampled_from(LEVELS), max_size=4), max_size=60)


@given(many)
def test_it_is_the_mapping_that_it_is_made_of_and_prints_in_twenty_lines_at_most(
    levels: dict[object, list[str]],
) -> None:
    plain = {group: found(*of) for group, of in levels.items()}
    made = Diagnoses(plain)
    assert made == plain
    assert plain == made
    assert list(made.items()) == list(plain.items())
    assert pickle.loads(pickle.dumps(made)) == plain
    first, *rows = repr(made).split("\n")
    assert first.startswith(f"{len(plain)} group")
    assert len(rows) == min(len(plain), 19)
    assert rows[-1:] == [f"  ... and {len(plain) - 18} more"] or len(plain) <= 19


def test_the_worst_comes_first_with_its_codes() -> None:
    made = Diagnoses(
        {
            "a": found(),
            "b": found("info"),
            "c": found("info", "warning", "info"),
            "d": found("info"),
        }
    )
    assert repr(made).split("\n") == [
        "4 groups: 1 warning, 2 info, 1 ok",
        "  c  warning  code_warning, code_info",
        "  b  info     code_info",
        "  d  info     code_info",
        "  a  ok",
    ]


def test_groups_are_named_as_everywhere_else() -> None:
    """An empty name is "(empty)", keys that read the same tell which, marks of direction show."""
    made = Diagnoses(dict.fromkeys(["", 1, "1", "a\u202eb", ("x", "")], found()))
    names = [line.split("  ")[1] for line in repr(made).split("\n")[1:]]
    assert [name.strip() for name in names] == ["(empty)", "1", "'1'", "a\\u202eb", "x · (empty)"]


def test_posteriors_have_one_and_it_cannot_be_changed() -> None:
    ray = rat.datasets.load("ray_docs")
    posts = rat.fit(ray, by="system", draws=400)
    said = posts.diagnosis
    assert isinstance(said, Diagnoses)
    assert said == dict(zip(posts.groups, (post.diagnosis for post in posts), strict=True))
    assert all(str(group) in repr(said) for group in posts.groups[:3])
    with pytest.raises(TypeError):
        said["new"] = found()  # type: ignore[index]
