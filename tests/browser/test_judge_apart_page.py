"""A reader that is judged by its own family, on a saved page: fitted by itself at a key's press."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat
from rat_widgets.figures.judge_rows_content import systems_of
from rat_widgets.views import judge_finding
from rat_widgets.views.sentences import plain

from .judge_dom import JudgesOnPage, opened
from .watch import Watch

if TYPE_CHECKING:
    from rat_widgets.views.judge import JudgeView

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ODD, OTHER = "text-davinci-003_zeroshot", "DPR"


@cache
def widget(*apart: str) -> Any:
    """Twelve readers and text-davinci-003 as their judge, with 100 human labels of that reader."""
    table = rat.datasets.load("openqa_nq301").astype({"T": float})
    mine = np.flatnonzero(table["system"] == ODD)
    hidden = np.random.default_rng(1).choice(mine, len(mine) - 100, replace=False)
    table.iloc[hidden, table.columns.get_loc("T")] = np.nan
    columns = {"retrieval": None, "abstention": "A", "task": "T", "by": "system"}
    judges = [rat.Judge("T_davinci3", of="task")]
    return rat.judges(table, judges=judges, **columns, apart=apart)


def python_view(*apart: str, **controls: Any) -> JudgeView:
    widget(*apart).controls = controls
    return widget(*apart).view  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    python_view(group=ODD)
    return widget().save(tmp_path_factory.mktemp("page") / "apart.html")  # type: ignore[no-any-return]


def agrees(judges: JudgesOnPage, view: JudgeView) -> None:
    """P(T) and the judge's rates here are Python's, but for Monte Carlo error in whole points.

    P(R) and P(G) are open in these rows, from 0 to 100: ends of such intervals are no numbers.
    """
    here = judges.belief("task_success")["both, corrected"]
    told = view.group.beliefs.joint["task_success"].text
    pairs = zip(re.findall(r"\d+", here), re.findall(r"\d+", told), strict=True)
    assert max(abs(int(a) - int(b)) for a, b in pairs) <= 1
    for rate in ("tpr[T_davinci3]", "fpr[T_davinci3]"):
        value = view.group.rates[rate].value
        assert value is not None
        assert float(judges.box(rate).input_value()) == pytest.approx(100 * value, abs=1)


def test_from_the_keyboard_it_is_fitted_by_itself_and_the_others_without_it(
    watched_page: Page, saved: Path
) -> None:
    judges = opened(watched_page, saved)
    cure, button = judges.root.locator(".cure"), judges.root.locator("button.take-cure")
    before = judges.belief("task_success")
    expect(cure.locator(".found")).to_have_text(python_view(group=ODD).group.departures[0].text)
    expect(button).to_have_text("Fit this system by itself")
    headline = judges.root.locator(".headline")
    expect(headline).to_have_text(plain(python_view(group=ODD).headline()))
    expect(headline).to_contain_text("by a model that its errors do not fit it is")
    button.focus()
    watched_page.keyboard.press("Enter")
    expect(headline).to_contain_text("corrected for its errors it is")
    expect(button).to_be_focused()
    expect(button).to_have_text("Back to one judge for all systems")
    watched_page.wait_for_timeout(2500)
    view = python_view(group=ODD, cured=True)
    agrees(judges, view)
    line, told = cure.locator(".line").inner_text(), plain(judge_finding.cured(view))
    assert line.partition(",")[0] == told.partition(",")[0] == "With this system fitted by itself"
    assert judges.tells(line, "task_success")
    assert line.endswith("Nothing more is found with that.")
    assert [note.text for note in view.group.notes] == [
        note.inner_text() for note in judges.root.locator(".notes .note").all()
    ]
    expect(cure.locator("code")).to_have_text("apart=['text-davinci-003_zeroshot']")

    rows = judges.root.locator("button.system")
    judges.root.locator(".systems summary").click()
    expect(judges.root.locator(".systems summary")).to_contain_text("By system, with the cure")
    systems = systems_of(view, view.shown[0])
    assert rows.locator(".who").all_inner_texts() == [row.name for row in systems]
    assert rows.locator(".of-100").all_inner_texts() == [row.numbers for row in systems]
    assert judges.misfits() == []

    rows.nth([row.name for row in systems].index(OTHER)).click()
    watched_page.wait_for_timeout(2500)
    agrees(judges, python_view(group=OTHER, cured=True))
    expect(cure.locator(".line")).to_contain_text(f"Without “{ODD}”, for which a judge differs, ")

    button.focus()
    watched_page.keyboard.press("Enter")
    expect(button).to_have_text("Go without systems for which it differs")
    expect(cure.locator(".found")).to_have_text(python_view(group=OTHER).group.departures[0].text)

    judges.root.locator("select.group").select_option(label=ODD)
    expect(button).to_have_text("Fit this system by itself")
    assert judges.belief("task_success") == before


def test_what_python_took_apart_stays_so_under_moves(watched_page: Page, tmp_path: Path) -> None:
    python_view(ODD, group=ODD)
    judges = opened(watched_page, widget(ODD).save(tmp_path / "fitted-apart.html"))
    rows = judges.root.locator("button.system")
    judges.root.locator(".systems summary").click()
    systems = systems_of(python_view(ODD, group=ODD), widget(ODD).view.shown[0])
    assert rows.locator(".of-100").all_inner_texts() == [row.numbers for row in systems]
    for group in (ODD, OTHER):
        judges.root.locator("select.group").select_option(label=group)
        expect(judges.root.locator(".cure")).to_be_hidden()
        box = judges.box("tpr[T_davinci3]")
        box.fill("88")
        box.press("Enter")
        watched_page.wait_for_timeout(2500)
        agrees(judges, python_view(ODD, group=group, pins={"tpr[T_davinci3]": 0.88}))
        assert "by itself" not in judges.root.locator(".deck").inner_text()
        judges.root.locator("button.undo").click()


@pytest.mark.parametrize("width", [360, 900, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_is_readable(
    new_page: Callable[..., tuple[Page, Watch]], saved: Path, width: int, scheme: Any
) -> None:
    page, watch = new_page(viewport={"width": width, "height": 3000}, color_scheme=scheme)
    judges = opened(page, saved)
    judges.check_readable_with_the_cure()
    assert watch.abroad == []
