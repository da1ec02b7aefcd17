"""Judges on a saved page: moved by mouse and keyboard, with no kernel and no network."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat

from .judge_dom import JudgesOnPage, opened
from .watch import Watch

if TYPE_CHECKING:
    import pandas as pd

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARTIFACTS = Path(__file__).parent / "artifacts"
WIDTHS = (320, 360, 620, 900, 1100, 1600)
THETA = rat.Theta(
    retrieval_success=0.2078,
    abstain_given_miss=0.4632,
    abstain_given_hit=0.036,
    correct_given_miss=0.4447,
    correct_given_hit=0.6809,
)
LENIENT, STRICT = "gpt-4o-mini", "strict"
TPR, FPR = f"tpr[{LENIENT}]", f"fpr[{LENIENT}]"
JUDGES = [
    rat.Judge(LENIENT, of="retrieval"),
    rat.Judge(STRICT, of="task", version="rubric 2"),
]


@cache
def verdicts(n: int = 3000, n_human: int = 200) -> pd.DataFrame:
    """Rows of which people labelled some; a lenient judge of R and a strict one of T."""
    rates = {
        LENIENT: {"of": "retrieval", "tpr": 0.9, "fpr": 0.3},
        STRICT: {"of": "task", "tpr": 0.8, "fpr": 0.1},
    }
    df = rat.simulate(THETA, n, judges=rates, seed=1)
    df.loc[n_human:, ["R", "T"]] = None
    return df


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judges in one page."""
    w = rat.judges(verdicts(), judges=JUDGES)
    return w.save(tmp_path_factory.mktemp("page") / "judges.html")


@pytest.fixture(scope="module")
def unsure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judge of T that cannot tell on a fifth of the rows."""
    df = verdicts(800, 150)
    cannot_tell = df[STRICT].notna() & (df.index % 5 == 0)
    w = rat.judges(
        df.assign(**{STRICT: df[STRICT].astype(object).mask(cannot_tell, "unsure")}),
        judges=[rat.Judge(STRICT, of="task", unknown="unsure")],
    )
    return w.save(tmp_path_factory.mktemp("page") / "unsure.html")


@pytest.fixture
def judges(watched_page: Page, saved: Path) -> JudgesOnPage:
    """The judges of that page."""
    return opened(watched_page, saved)


def test_a_saved_page_says_what_python_says(judges: JudgesOnPage) -> None:
    view = rat.judges(verdicts(), judges=JUDGES).view
    assert judges.headline == "".join(text for text, _ in view.headline())
    assert judges.deck == "".join(text for text, _ in view.deck())
    assert judges.worth == view.worth_line()[0][0]
    for quantity in ("retrieval_success", "task_success", "policy_adherence"):
        told = judges.belief(quantity)
        beliefs = view.group.beliefs
        assert list(told.values()) == [
            way[quantity].text for way in (beliefs.naive, beliefs.humans, beliefs.joint)
        ]


def test_a_saved_page_asks_nobody_for_anything(
    new_page: Callable[..., tuple[Page, Watch]], saved: Path
) -> None:
    page, watch = new_page()
    opened(page, saved)
    page.wait_for_timeout(600)
    assert watch.requests == [saved.as_uri()]


def test_dragging_a_slider_pins_the_rate_and_everything_follows(
    judges: JudgesOnPage, watched_page: Page
) -> None:
    before = judges.belief("retrieval_success")
    judges.drag(FPR, 0.45)
    expect(judges.mode(FPR, "pinned")).to_be_checked()
    assert judges.headline.startswith("What if: ")
    assert f"misses that it passes ({LENIENT})" in judges.deck
    moved = judges.belief("retrieval_success")
    assert moved["both, corrected"] != before["both, corrected"]
    for way in ("verdicts as truth", "human labels only"):
        assert moved[way] == before[way]
    expect(judges.judge(LENIENT).locator(".note")).to_contain_text("the labels put it at")
    # The full draws follow, and move no number by more than a point.
    quick = numbers(moved["both, corrected"])
    watched_page.wait_for_timeout(1500)
    full = numbers(judges.belief("retrieval_success")["both, corrected"])
    assert max(abs(a - b) for a, b in zip(quick, full, strict=True)) <= 1
    judges.root.locator("button.reset").click()
    assert judges.belief("retrieval_success") == before


def numbers(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]


def test_a_pin_in_the_page_is_a_pin_in_python(judges: JudgesOnPage, watched_page: Page) -> None:
    judges.box(FPR).fill("35")
    judges.box(FPR).press("Enter")
    watched_page.wait_for_timeout(1500)
    view = rat.judges(verdicts(), judges=JUDGES, controls={"pins": {FPR: 0.35}}).view
    for quantity, spread in view.group.beliefs.joint.items():
        here = numbers(judges.belief(quantity)["both, corrected"])
        # Monte Carlo error of an end of an interval, in whole points.
        assert max(abs(a - b) for a, b in zip(here, numbers(spread.text), strict=True)) <= 1


def test_enter_pins_the_number_that_stands_in_the_box_already(judges: JudgesOnPage) -> None:
    here = judges.box(FPR).input_value()
    judges.box(FPR).press("Tab")
    expect(judges.mode(FPR, "posterior")).to_be_checked()
    judges.box(FPR).fill(here)
    judges.box(FPR).press("Enter")
    expect(judges.mode(FPR, "pinned")).to_be_checked()
    expect(judges.box(FPR)).to_have_value(here)
    assert f"misses that it passes ({LENIENT}): {here}% instead of" in judges.deck
    judges.root.locator("button.undo").click()
    expect(judges.mode(FPR, "posterior")).to_be_checked()


def test_a_prior_is_edited_by_mean_and_labels(judges: JudgesOnPage) -> None:
    judges.mode(TPR, "prior").check(force=True)
    expect(judges.labels(TPR)).to_have_value("2")
    judges.drag(TPR, 0.6)
    judges.labels(TPR).fill("80")
    judges.labels(TPR).press("Tab")
    assert judges.deck.startswith("You changed the prior of 1 rate.")
    low = int(re.findall(r"\d+", judges.rate(TPR).locator(".interval").inner_text())[0])
    assert low < 85
    judges.root.locator("button.undo").click()
    expect(judges.labels(TPR)).to_have_value("2")


def test_every_control_works_from_the_keyboard(judges: JudgesOnPage, watched_page: Page) -> None:
    keyboard = watched_page.keyboard
    judges.slider(FPR).focus()
    start = float(judges.slider(FPR).input_value())
    keyboard.press("ArrowRight")
    assert float(judges.slider(FPR).input_value()) == pytest.approx(start + 0.01, abs=0.0051)
    expect(judges.slider(FPR)).to_have_attribute(
        "aria-valuetext", re.compile("pinned; the fit has")
    )
    judges.mode(FPR, "pinned").focus()
    keyboard.press("ArrowLeft")
    expect(judges.mode(FPR, "prior")).to_be_checked()
    fold = judges.judge(STRICT).locator("button.fold")
    fold.focus()
    keyboard.press("Enter")
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(judges.slider(f"tpr[{STRICT}]")).to_be_hidden()
    judges.judge(STRICT).locator("button.leave").focus()
    keyboard.press("Space")
    assert "left out 1 judge" in judges.deck
    expect(judges.judge(STRICT).locator("button.leave")).to_be_focused()
    judges.root.locator("button.reset").focus()
    keyboard.press("Enter")
    assert not judges.headline.startswith("What if")
    expect(judges.root.locator(".finding")).to_be_focused()


def test_tab_reaches_every_control_once(judges: JudgesOnPage, watched_page: Page) -> None:
    wanted = judges.root.locator(
        "input[type=radio]:checked, .slider, .box:visible, button:visible:enabled"
    ).count()
    watched_page.locator("body").evaluate("(e) => { e.tabIndex = -1; e.focus(); }")
    stops = 0
    for _ in range(wanted + 5):
        watched_page.keyboard.press("Tab")
        if not watched_page.evaluate(
            "() => document.activeElement.closest('.rat-judges') !== null"
        ):
            break
        stops += 1
    assert stops == wanted


def test_every_part_has_a_name_for_a_screen_reader(judges: JudgesOnPage) -> None:
    root = judges.root
    for key in (TPR, FPR, f"tpr[{STRICT}]", f"fpr[{STRICT}]"):
        assert re.search(
            r"of 100 .* it passes", judges.slider(key).get_attribute("aria-label") or ""
        )
        told = judges.slider(key).get_attribute("aria-valuetext") or ""
        assert re.fullmatch(r"Of 100 .+ it passes \d+% \(\d+–\d+\)", told)
    expect(root.get_by_role("heading", level=2)).to_have_text(re.compile("^Taken at its word "))
    expect(root.get_by_role("button", name="Copy as Python")).to_be_visible()
    for picture in root.locator("svg:not([aria-hidden=true])").all():
        assert picture.get_attribute("role") == "img"
        assert picture.get_attribute("aria-label")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_or_covered(
    new_page: Callable[..., tuple[Page, Watch]], saved: Path, width: int
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900})
    judges = opened(page, saved)
    assert judges.misfits() == []
    judges.box(FPR).fill("45")
    judges.box(FPR).press("Enter")
    # What sticks to the foot of the window covers what it lies on.
    judges.root.locator(".glance").evaluate("(e) => { e.style.position = 'static'; }")
    assert judges.misfits() == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 400, 620])
def test_a_judge_that_may_not_tell_fits_a_narrow_page(
    new_page: Callable[..., tuple[Page, Watch]],
    unsure: Path,
    width: int,
    scheme: str,
    artifacts: Path,
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    judges = opened(page, unsure)
    judges.root.screenshot(path=artifacts / f"judges-unsure-{width}-{scheme}.png")
    assert judges.misfits() == []
    for mode in ("prior", "pinned"):
        for kind in ("tpr", "unknown_given_1", "unknown_given_0"):
            judges.mode(f"{kind}[{STRICT}]", mode).check(force=True)
        judges.root.locator(".glance").evaluate("(e) => { e.style.position = 'static'; }")
        assert judges.misfits() == []
        judges.root.screenshot(path=artifacts / f"judges-unsure-{width}-{scheme}-{mode}.png")
    judges.box(f"unknown_given_1[{STRICT}]").fill("12.5")
    judges.box(f"unknown_given_1[{STRICT}]").press("Enter")
    assert judges.misfits() == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(
    new_page: Callable[..., tuple[Page, Watch]], saved: Path, scheme: str, artifacts: Path
) -> None:
    page, _ = new_page(viewport={"width": 1100, "height": 900}, color_scheme=scheme)
    judges = opened(page, saved)
    judges.drag(FPR, 0.45)
    assert judges.faint() == []
    judges.root.screenshot(path=artifacts / f"judges-{scheme}.png")


def test_what_a_move_does_stays_in_sight(
    new_page: Callable[..., tuple[Page, Watch]], saved: Path
) -> None:
    page, _ = new_page(viewport={"width": 400, "height": 700})
    judges = opened(page, saved)
    glance = judges.root.locator(".glance")
    expect(glance).to_be_hidden()
    judges.drag(FPR, 0.45)
    expect(glance).to_be_in_viewport()
    expect(glance).to_contain_text(re.compile(r"P\(R\) \d+%"))


def test_ten_judges_are_folded_and_answer_while_they_are_dragged(
    new_page: Callable[..., tuple[Page, Watch]], tmp_path: Path
) -> None:
    names = [f"judge {i}" for i in range(10)]
    rates = {
        name: {"of": "task" if i % 2 else "retrieval", "tpr": 0.9 - 0.03 * i, "fpr": 0.1 + 0.03 * i}
        for i, name in enumerate(names)
    }
    df = rat.simulate(THETA, 900, judges=rates, seed=2)
    df.loc[200:, ["R", "T"]] = None
    chosen = [rat.Judge(name, of="task" if i % 2 else "retrieval") for i, name in enumerate(names)]
    path = rat.judges(df, judges=chosen).save(tmp_path / "ten.html")
    page, _ = new_page(viewport={"width": 1100, "height": 900})
    judges = opened(page, path)
    assert judges.root.locator(".judge.open").count() == 1
    judges.judge(names[7]).locator("button.fold").click()
    assert judges.root.locator(".judge.open").get_attribute("data-judge") == names[7]
    judges.drag(f"tpr[{names[7]}]", 0.4, steps=30)
    assert judges.headline.startswith("What if: ")
    assert judges.misfits() == []
    # 30 moves a second, on a machine that does nothing else: processor time, not the clock.
    assert work_of_a_move(page, judges, f"tpr[{names[7]}]") < 1 / 30


def work_of_a_move(page: Page, judges: JudgesOnPage, key: str, n: int = 60) -> float:
    """Processor time that the page's thread takes for one move of a slider, in s."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    def move(n: int) -> None:
        judges.slider(key).evaluate(
            """async (slider, n) => {
              for (let i = 0; i < n; i++) {
                slider.value = String(0.3 + 0.4 * Math.abs(Math.sin(i / 9)));
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                await new Promise(requestAnimationFrame);
              }
            }""",
            n,
        )

    move(20)
    before = spent()
    move(n)
    return (spent() - before) / n


def test_names_of_judges_are_text_and_nothing_else(
    new_page: Callable[..., tuple[Page, Watch]], tmp_path: Path
) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    named = [rat.Judge(LENIENT, of="retrieval", name=evil), JUDGES[1]]
    page, _ = new_page()
    judges = opened(page, rat.judges(verdicts(), judges=named).save(tmp_path / "evil.html"))
    assert judges.root.locator("img").count() == 0
    expect(judges.root.locator(".judge .name").first).to_have_text(evil)
