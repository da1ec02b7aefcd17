"""A tree on a page, as a reader meets it: what stands there, and what can be pressed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator

from .probes import faint, misfits

__all__ = ["STATS", "TreeOnPage"]

STATS = ("retrieval_success", "abstention", "task_success", "policy_adherence")


@dataclass(frozen=True)
class TreeOnPage:
    """One tree."""

    root: Locator

    def branch(self, key: str) -> Locator:
        """A branch by its parameter."""
        return self.root.locator(f'[data-branch="{key}"]')

    def slider(self, branch: str) -> Locator:
        """The slider that pins a branch."""
        return self.branch(branch).locator("input.slider")

    def box(self, branch: str) -> Locator:
        """The box that pins a branch by a number."""
        return self.branch(branch).locator("input.box")

    def drag(self, branch: str, to: float, steps: int = 12) -> None:
        """Takes the slider's thumb and pulls it to a probability."""
        slider, mouse = self.slider(branch), self.root.page.mouse
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
    def deck(self) -> str:
        """The line under the finding."""
        return _plain(self.root.locator(".deck"))

    def leaf(self, world: str) -> Locator:
        """A leaf by its world."""
        return self.root.locator(f'[data-world="{world}"]')

    def sign(self, world: str) -> Locator:
        """The button that changes what the policy makes of a world."""
        return self.leaf(world).locator("button.sign")

    def unit(self, unit: str) -> Locator:
        """One of the two units."""
        return self.root.locator(f'input[name^="unit"][value="{unit}"]')

    @property
    def picker(self) -> Locator:
        """The group picker."""
        return self.root.locator("select.group")

    @property
    def headline(self) -> str:
        """The finding."""
        return _plain(self.root.locator(".headline"))

    def stat(self, key: str) -> str:
        """A statistic as a view words it: value and interval."""
        return _worded(self.root.locator(f'[data-stat="{key}"]'))

    def rate(self, branch: str) -> str:
        """A branch's probability as a view words it."""
        return _worded(self.branch(branch))

    def rates(self) -> dict[str, str]:
        """Every rate that the tree draws, as text, by key."""
        branches = self.root.locator("[data-branch]").evaluate_all(
            "(all) => all.map((e) => e.dataset.branch)"
        )
        stats = self.root.locator("[data-stat]").evaluate_all(
            "(all) => all.map((e) => e.dataset.stat)"
        )
        return {key: self.stat(key) for key in stats} | {key: self.rate(key) for key in branches}

    def worlds(self) -> dict[str, tuple[int, str]]:
        """World -> whole queries of 100 and interval, as its accessible name tells."""
        found = {}
        for leaf in self.root.locator("[data-world]").all():
            name = leaf.locator('[role="img"]').get_attribute("aria-label") or ""
            told = re.match(r"(\S+) of 100 queries \(([^)]*)\)", name)
            assert told is not None, name
            count = 0 if told[1] == "none" else int(told[1])
            found[leaf.get_attribute("data-world") or ""] = (count, told[2])
        return found

    def quantities(self) -> dict[str, str]:
        """The table of all quantities, by key."""
        rows = self.root.locator("tr[data-quantity]").evaluate_all(
            "(rows) => rows.map((r) => [r.dataset.quantity, r.querySelector('.text').textContent])"
        )
        return dict(rows)

    def totals(self) -> tuple[int, int]:
        """Sums of the two ledger columns, as they stand there."""
        task = self.root.locator(".total-task").inner_text()
        policy = self.root.locator(".total-policy").inner_text()
        return int(task), int(policy)

    def ledger(self, column: str) -> int:
        """What the cells of a ledger column add up to."""
        cells = self.root.locator(f"[data-world] .ledger-{column}").all_inner_texts()
        return sum(int(cell) for cell in cells if cell.strip().isdigit())

    def misfits(self) -> list[str]:
        """Texts that are cut off, outside the tree or on top of one another."""
        return misfits(self.root)

    def faint(self) -> list[tuple[float, str]]:
        """Texts whose contrast with their ground is under 4.5 to 1."""
        return faint(self.root)


def _plain(element: Locator) -> str:
    return " ".join(element.inner_text().split())


def _worded(place: Locator) -> str:
    value, interval = place.locator(".value").first, place.locator(".interval").first
    box = value.locator("input.box")
    number = (box.input_value() if box.count() else "") + _plain(value)
    return f"{number} ({_plain(interval)})"
