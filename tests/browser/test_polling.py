"""Waiting for a kernel: what it does not know yet is asked again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .polling import until


def answers(*values: object) -> Callable[[], object]:
    """One after the other, the last for ever; an error is raised."""
    left = list(values)

    def ask() -> object:
        value = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(value, AssertionError):
            raise value
        return value

    return ask


def test_what_cannot_be_worked_out_yet_is_asked_again() -> None:
    """A policy that the page has not sent yet is None, which has no entries."""
    until(answers(AssertionError("NoneType is not subscriptable"), 0, 1), 1, within_s=5)


def test_the_last_error_is_raised() -> None:
    with pytest.raises(AssertionError, match="not subscriptable"):
        until(answers(AssertionError("not subscriptable")), 1, within_s=0.2)


def test_another_answer_is_told() -> None:
    with pytest.raises(AssertionError, match="2 where 1 was wanted"):
        until(answers(2), 1, within_s=0.2)
