"""What every widget is: one view sent to the browser, one set of controls sent back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import anywidget
import traitlets

from rat_widgets.errors import ArgumentTypeError, RatError

__all__ = ["Actions", "Controls", "RatWidget", "View"]


class View(Protocol):
    """Anything that turns into plain values."""

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""


class Controls(Protocol):
    """What a person can move."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, as the browser sends them."""


@dataclass(frozen=True, kw_only=True)
class Actions:
    """What a widget can do beyond showing its view; handed in, so that it knows no statistics.

    Attributes
    ----------
    read_controls : plain values -> controls
        Raises when they do not fit the view.
    view_of : controls -> view
    rows : (controls, node) -> frame
    posterior : controls -> posterior
    figure : controls, theme, width -> plotly figure
    save : (controls, path, include_rows) -> path
    fallback : controls -> MIME bundle for places without JavaScript
    refit : data, controls -> (view, controls, actions)
    priors : controls -> priors by name; None where nothing can be edited
    """

    read_controls: Callable[[object], Controls]
    view_of: Callable[[Any], Any]
    rows: Callable[[Any, Any], Any]
    posterior: Callable[[Any], Any]
    figure: Callable[[Any, str, int], Any]
    save: Callable[[Any, str | PathLike[str], bool], Path]
    fallback: Callable[[Any], Mapping[str, str]]
    refit: Callable[[Any, Any], tuple[Any, Any, Actions]]
    priors: Callable[[Any], Mapping[str, Any]] | None = None


class RatWidget(anywidget.AnyWidget):
    """A view in the browser; the browser answers moves, Python remembers them.

    Attributes
    ----------
    controls : dict
        What the reader has moved. Written by the browser, at most every 100 ms; it can be
        observed, linked to another widget's, or set from Python.
    """

    _view = traitlets.Dict().tag(sync=True)
    controls = traitlets.Dict().tag(sync=True, echo_update=False)

    def __init__(self, view: View, controls: Controls, actions: Actions) -> None:
        self._actions = actions
        super().__init__(_view=view.to_dict(), controls=controls.to_dict())

    @traitlets.validate("controls")
    def _valid_controls(self, proposal: Mapping[str, Any]) -> dict[str, object]:
        try:
            return self._actions.read_controls(proposal["value"]).to_dict()
        except RatError as err:
            raise traitlets.TraitError(str(err)) from err

    @property
    def _state(self) -> Controls:
        return self._actions.read_controls(self.controls)

    @property
    def view(self) -> Any:
        """The frozen view under the present controls, computed when asked for."""
        return self._actions.view_of(self._state)

    def posterior(self) -> Any:
        """The posterior of what is shown, under the present controls."""
        return self._actions.posterior(self._state)

    def rows(self, node: Any) -> Any:
        """The rows behind a node, as a frame of the kind that was given; see `Posterior.rows`.

        Raises
        ------
        NoRowsError
            When the widget was made from a posterior that came without labels.
        """
        return self._actions.rows(self._state, node)

    def figure(self, *, theme: str = "light", width: int = 940) -> Any:
        """The same view as a `plotly.graph_objects.Figure`.

        Parameters
        ----------
        theme : {"light", "dark"}
        width : int
            In px; below 900 the tree becomes an outline.
        """
        return self._actions.figure(self._state, theme, width)

    def save(self, path: str | PathLike[str], *, include_rows: bool = False) -> Path:
        """Write the widget to a file, whose suffix says how.

        Parameters
        ----------
        path : path
            ``.html`` (one file that stays alive without a kernel and asks nothing of the
            network), ``.svg``, ``.png``, ``.pdf`` (the last two need the extra ``images``) or
            ``.json`` (the view).
        include_rows : bool
            Put the rows themselves into the page; only for ``.html``. Otherwise the file holds
            counts, never rows or texts.

        Returns
        -------
        Path
        """
        return self._actions.save(self._state, path, include_rows)

    def update(self, data: Any) -> None:
        """Redraw with other data of the same columns, keeping what the reader has set.

        Parameters
        ----------
        data : frame, Labels or posterior
            More labels, say; nothing changes when it is refused.
        """
        view, controls, actions = self._actions.refit(data, self._state)
        self._actions = actions
        with self.hold_sync():
            self._view = view.to_dict()
            self.controls = controls.to_dict()

    def on_change(self, follow: Callable[[dict[str, object]], object]) -> Callable[[], None]:
        """Call ``follow(controls)`` whenever the reader moves something.

        Returns
        -------
        function
            Call it to stop following.
        """
        if not callable(follow):
            raise ArgumentTypeError.build(
                f"on_change() got {follow!r}.", accepted="A function of the controls."
            )

        def listen(change: Mapping[str, Any]) -> None:
            follow(dict(change["new"]))

        self.observe(listen, names="controls")

        def stop() -> None:
            self.unobserve(listen, names="controls")

        return stop

    def __str__(self) -> str:
        """The view as text: what `print` shows where there is no notebook."""
        return self._actions.fallback(self._state)["text/plain"]

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, with a picture and a table for places without JavaScript."""
        shown = super()._repr_mimebundle_(**kwargs)
        fallback = dict(self._actions.fallback(self._state))
        if isinstance(shown, tuple):
            return ({**shown[0], **fallback}, *shown[1:])
        return None if shown is None else {**shown, **fallback}
