"""Judges in the browser: how far their verdicts can be trusted, and what they are worth."""

from __future__ import annotations

from typing import Any

from rat_widgets._static import static_text
from rat_widgets.widgets.base import RatWidget

__all__ = ["JudgeWidget"]


class JudgeWidget(RatWidget):
    """TPR and FPR of every judge as sliders, and what is believed with its verdicts.

    Made by `rat_widgets.judges`.
    """

    _esm = static_text("judge.js")
    _css = static_text("judge.css")

    def priors(self) -> dict[str, Any]:
        """The priors as the reader has set them, for ``rat.fit(..., priors=widget.priors())``.

        Returns
        -------
        dict
            Parameter -> (alpha, beta); rates of judges that are left out are not among them.
        """
        made = self._actions.priors
        return {} if made is None else dict(made(self._state))

    def posterior(self) -> Any:
        """The posterior of what is shown, refitted under the present controls.

        A pinned rate is taken as given and everything else conditioned on it; edited priors
        take the place of the fit's; verdicts of judges that are left out are not looked at, and
        such a posterior comes without its rows. A judge whose TPR or FPR is pinned, or has an
        edited prior, is exempt from the constraint of the fit.

        Raises
        ------
        EngineError
            When no engine can draw under the controls; the view is that of the fit then.
        """
        return self._actions.posterior(self._state)

    def rows(self, node: Any) -> Any:
        """The rows that a judge passed or failed, or whose human label it contradicts.

        Parameters
        ----------
        node : "passed", "failed" or "disagrees"
            With the judge's key where there are several: ``("disagrees", "gpt-4o")``.

        Raises
        ------
        NoRowsError
            When the widget was made from a posterior that came without labels.
        """
        return self._actions.rows(self._state, node)
