"""What every widget does with the view and the actions that it is handed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import traitlets

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.widgets.base import Actions, RatWidget


class Bare(RatWidget):
    """A widget without a bundle."""

    _esm = "export default {}"


@dataclass(frozen=True)
class Value:
    """A view or controls: one number."""

    n: int

    def to_dict(self):
        return {"n": self.n}


def read(data):
    if not isinstance(data.get("n"), int):
        raise ArgumentError.build(f"n is {data.get('n')!r}.", accepted="A whole number.")
    return Value(data["n"])


def refused(data, state):
    raise ArgumentError.build("No.")


ACTIONS = Actions(
    read_controls=read,
    view_of=lambda state: ("view", state.n),
    rows=lambda state, node: ("rows", state.n, node),
    posterior=lambda state: ("posterior", state.n),
    figure=lambda state, *how: ("figure", state.n, *how),
    save=lambda state, path, include_rows: (state.n, path, include_rows),
    fallback=lambda state: {"text/plain": f"n is {state.n}"},
    refit=lambda data, state: (Value(data), state, ACTIONS),
)


@pytest.fixture
def widget():
    return Bare(Value(1), Value(2), ACTIONS)


def test_actions_are_asked_about_the_present_controls(widget):
    widget.controls = {"n": 5}
    assert widget.view == ("view", 5)
    assert widget.posterior() == ("posterior", 5)
    assert widget.rows("hit") == ("rows", 5, "hit")
    assert widget.figure(theme="dark")[:3] == ("figure", 5, "dark")
    assert Path("x.svg") == Path(widget.save("x.svg")[1])


def test_controls_that_do_not_fit_are_refused_and_nothing_moves(widget):
    with pytest.raises(traitlets.TraitError, match="n is 'five'"):
        widget.controls = {"n": "five"}
    assert widget.controls == {"n": 2}


def test_a_new_view_is_sent_by_update_alone(widget):
    sent = []
    widget.observe(lambda change: sent.append(change["new"]), names="_view")
    widget.controls = {"n": 7}
    assert sent == []
    widget.update(9)
    assert sent == [{"n": 9}]
    assert widget.controls == {"n": 7}


def test_an_update_that_is_refused_changes_nothing(widget):
    widget._actions = replace(ACTIONS, refit=refused)
    with pytest.raises(ArgumentError):
        widget.update(9)
    assert widget._view == {"n": 1}


def test_followers_hear_every_move_until_they_stop(widget):
    heard = []
    stop = widget.on_change(heard.append)
    widget.controls = {"n": 3}
    stop()
    widget.controls = {"n": 4}
    assert heard == [{"n": 3}]
    with pytest.raises(ArgumentTypeError, match="function"):
        widget.on_change("print")


def test_one_trait_is_pythons_and_one_is_the_browsers():
    """Hover, focus and size are never synced."""
    own = set(Bare.class_trait_names(sync=True)) - set(RatWidget.__mro__[1].class_trait_names())
    assert own == {"_view", "controls"}


def test_the_fallback_stands_beside_the_widget(widget):
    shown = widget._repr_mimebundle_()
    bundle = shown[0] if isinstance(shown, tuple) else shown
    assert bundle["text/plain"] == "n is 2"
    assert any("widget-view" in key for key in bundle)
