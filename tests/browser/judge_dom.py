"""Judges on a page, as a reader meets them: what stands there, and what can be moved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page

from .probes import faint, misfits

__all__ = ["JudgesOnPage", "opened"]


@dataclass(frozen=True)
class JudgesOnPage:
    """One widget of judges."""

    root: Locator

    def rate(self, key: str) -> Locator:
        """A rate by its name, such as ``fpr[gpt]``."""
        return self.root.locator(f'[data-rate="{key}"]')

    def slider(self, key: str) -> Locator:
        """The slider of a rate."""
        return self.rate(key).locator("input.slider")

    def box(self, key: str) -> Locator:
        """The box that takes a rate as a number of 100."""
        return self.rate(key).locator("input.box:not(.labels)")

    def labels(self, key: str) -> Locator:
        """The box that takes what a prior is worth."""
        return self.rate(key).locator("input.labels")

    def mode(self, key: str, mode: str) -> Locator:
        """One of the three modes of a rate."""
        return self.rate(key).locator(f'input[value="{mode}"]')

    def judge(self, key: str) -> Locator:
        """A judge by its key."""
        return self.root.locator(f'[data-judge="{key}"]')

    def drag(self, key: str, to: float, steps: int = 12) -> None:
        """Takes the slider's thumb and pulls it to a probability."""
        slider, mouse = self.slider(key), self.root.page.mouse
        slider.scroll_into_view_if_needed()
        area = slider.bounding_box()
        assert area is not None

        def at(p: float) -> tuple[float, float]:
            return area["x"] + 9 + p * (area["width"] - 18), area["y"] + area["height"] / 2

        mouse.move(*at(float(slider.input_value())))
        mouse.down()
        mouse.move(*at(to), steps=steps)
        mouse.up()

    @property
    def headline(self) -> str:
        """The finding."""
        return _plain(self.root.locator(".headline"))

    @property
    def deck(self) -> str:
        """The line under the finding."""
        return _plain(self.root.locator(".deck"))

    @property
    def worth(self) -> str:
        """What the verdicts are worth in human labels, the large number."""
        return _plain(self.root.locator('.worth [data-role="big"]'))

    def belief(self, quantity: str) -> dict[str, str]:
        """Way of believing -> wording, as the accessible name of a quantity's picture tells."""
        picture = self.root.locator(f'[data-quantity="{quantity}"] svg')
        name = (picture.get_attribute("aria-label") or "").removesuffix(".").partition(": ")[2]
        words = ("verdicts as truth", "human labels only", "both, corrected")
        return {
            way: part.removeprefix(way).strip()
            for way, part in zip(words, name.split("; "), strict=True)
        }

    def tells(self, line: str, quantity: str) -> bool:
        """Whether a line has what is believed with both, its value and its interval."""
        value, _, span = self.belief(quantity)["both, corrected"].removesuffix(")").partition(" (")
        return value in line and span in line

    def misfits(self) -> list[str]:
        """Texts that are cut off, outside the widget or on top of one another."""
        return misfits(self.root)

    def faint(self) -> list[tuple[float, str]]:
        """Texts whose contrast with their ground is under 4.5 to 1."""
        return faint(self.root)

    def check_readable_with_the_cure(self) -> None:
        """Texts fit and have contrast as it is, and with the cure."""
        for _ in range(2):
            assert self.misfits() == []
            assert self.faint() == []
            self.root.locator("button.take-cure").click()
            self.root.page.wait_for_timeout(300)


def opened(page: Page, path: Path) -> JudgesOnPage:
    """The judges of a saved page."""
    page.goto(path.as_uri())
    root = page.locator(".rat-widgets.rat-judges")
    root.wait_for()
    return JudgesOnPage(root)


def _plain(element: Locator) -> str:
    return " ".join(element.inner_text().split())
