"""A planner on a page, as a reader meets it: what stands there, and what can be moved."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator

from .probes import faint, misfits

__all__ = ["PlannerOnPage"]


@dataclass(frozen=True)
class PlannerOnPage:
    """One planner."""

    root: Locator

    def slider(self, knob: str) -> Locator:
        """A slider: budget, R, T or n0."""
        return self.root.locator(f'[data-knob="{knob}"] input.slider')

    def box(self, knob: str) -> Locator:
        """The box beside it."""
        return self.root.locator(f'[data-knob="{knob}"] input.box')

    def row(self, course: str) -> Locator:
        """A plan's row of the table."""
        return self.root.locator(f'tr[data-course="{course}"]')

    def switch(self, course: str) -> Locator:
        """What switches a plan off and on."""
        return self.row(course).locator("input[type=checkbox]")

    def width(self, course: str) -> str:
        """A plan's half-width, as the table has it."""
        return self.row(course).locator(".width").inner_text()

    def drag(self, knob: str, to: float, steps: int = 12) -> None:
        """Takes the slider's thumb and pulls it to a share of its range."""
        slider, mouse = self.slider(knob), self.root.page.mouse
        slider.scroll_into_view_if_needed()
        area = slider.bounding_box()
        assert area is not None
        low, high = (float(slider.get_attribute(name) or 0) for name in ("min", "max"))

        def at(share: float) -> tuple[float, float]:
            # The ring at the thumb's lower end.
            return area["x"] + 9 + share * (area["width"] - 18), area["y"] + area["height"] - 8

        mouse.move(*at((float(slider.input_value()) - low) / (high - low)))
        mouse.down()
        mouse.move(*at(to), steps=steps)
        mouse.up()

    @property
    def headline(self) -> str:
        """The advice."""
        return " ".join(self.root.locator(".headline").inner_text().split())

    @property
    def deck(self) -> str:
        """The line under it."""
        return " ".join(self.root.locator(".deck").inner_text().split())

    def misfits(self) -> list[str]:
        """Texts that are cut off, outside the widget or on top of one another."""
        return misfits(self.root)

    def faint(self) -> list[tuple[float, str]]:
        """Texts whose contrast with their ground is under 4.5 to 1."""
        return faint(self.root)
