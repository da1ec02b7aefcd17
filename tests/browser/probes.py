"""What a page shows that no reader should meet: texts that do not fit, texts that are faint."""

from __future__ import annotations

from playwright.sync_api import Locator

__all__ = ["faint", "misfits"]

# What of an element's own text does not fit into it, and which texts lie on one another.
_MISFITS = """(root) => {
  const shown = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 1;
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== "");
  const texts = [...root.querySelectorAll("*")].filter((e) =>
    own(e) && shown(e) && !e.closest(".unseen, option, textarea, .scroll"));
  const misfits = [];
  const boxes = [];
  const frame = root.getBoundingClientRect();
  for (const e of texts) {
    const range = document.createRange();
    for (const node of e.childNodes) {
      if (node.nodeType !== 3 || node.data.trim() === "") continue;
      range.selectNodeContents(node);
      for (const b of range.getClientRects()) {
        if (b.width < 1) continue;
        boxes.push({ text: node.data.trim(), e, b });
        if (b.left < frame.left - 1 || b.right > frame.right + 1) {
          misfits.push(`outside: ${node.data.trim()}`);
        }
      }
    }
    const cut = getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1;
    if (cut && e.tagName !== "SELECT") misfits.push(`cut off: ${e.textContent.trim()}`);
  }
  const slack = 2;
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length; j++) {
      const [p, q] = [boxes[i].b, boxes[j].b];
      const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (boxes[i].e !== boxes[j].e && wide > slack && high > 2 * slack) {
        misfits.push(`on one another: ${boxes[i].text} | ${boxes[j].text}`);
      }
    }
  }
  if (root.scrollWidth > root.clientWidth + 1) misfits.push("it scrolls sideways");
  return misfits;
}"""

# Contrast of every text with what is painted behind it (WCAG 2), the faintest first.
_CONTRASTS = """(root) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      layers.unshift(getComputedStyle(at).backgroundColor);
    }
    return ["white", ...layers];
  };
  const says = /[\\p{L}\\p{N}]/u;
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && says.test(n.data));
  return [...root.querySelectorAll("*")]
    .filter((e) => own(e) && e.checkVisibility() && !e.closest(".unseen, option, textarea, svg"))
    .map((e) => {
      const ground = behind(e);
      const [a, b] = [paint([...ground, getComputedStyle(e).color]), paint(ground)]
        .map(luminance).sort((x, y) => y - x);
      return [(a + 0.05) / (b + 0.05), e.textContent.trim().slice(0, 60)];
    })
    .sort((a, b) => a[0] - b[0]);
}"""


def misfits(root: Locator) -> list[str]:
    """Texts that are cut off, outside the element or on top of one another."""
    return list(root.evaluate(_MISFITS))


def faint(root: Locator) -> list[tuple[float, str]]:
    """Texts whose contrast with their ground is under 4.5 to 1, once nothing moves any more."""
    root.evaluate(
        "(e) => Promise.allSettled(e.getAnimations({ subtree: true }).map((one) => one.finished))"
    )
    told = root.evaluate(_CONTRASTS)
    assert len(told) > 40
    return [(round(ratio, 2), text) for ratio, text in told if ratio < 4.5]
