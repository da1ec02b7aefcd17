/** The elements of the judges' widget: made once, then brought into line with a picture. */
import { sliderKinds } from "../contract/decode-judge.ts";
import type { JudgeIdentity } from "../contract/judge.ts";
import type { JudgePicture } from "../layout/judge-picture.ts";
import { element, fill, maker, setAttributes, setHidden, setStyle, setText, toggleClass } from "./dom.ts";
import { drawNotes, drawSegments, makeCopyBox, makePicker, type CopyNodes, type PickerNodes } from "./frame.ts";
import { drawBelief, drawWorth, makeBelief, makeWorth, type BeliefNodes, type WorthNodes } from "./judge-belief.ts";
import { drawCure, makeCure, type CureNodes } from "./judge-cure.ts";
import { drawCard, makeCard, type CardNodes } from "./judge-card.ts";

export interface JudgeNodes extends PickerNodes, CopyNodes {
  readonly root: HTMLElement;
  readonly undo: HTMLButtonElement;
  readonly reset: HTMLButtonElement;
  readonly finding: HTMLElement;
  readonly headline: HTMLElement;
  readonly deck: HTMLElement;
  /** What is read out once a slider is let go. */
  readonly heard: HTMLElement;
  readonly notes: HTMLElement;
  readonly more: HTMLElement;
  readonly moreOf: HTMLElement;
  readonly moreNotes: HTMLElement;
  readonly cure: CureNodes;
  readonly cards: readonly CardNodes[];
  readonly beliefs: readonly BeliefNodes[];
  readonly worth: WorthNodes;
  /** What is believed, in a line that stays in sight where the beliefs are below the sliders. */
  readonly glance: HTMLElement;
  readonly rows: HTMLElement;
  readonly foot: HTMLElement;
  readonly said: HTMLElement;
}

/** All elements, without content. `unique` keeps several widgets of one page apart. */
export function makeJudges(page: Document, judges: readonly JudgeIdentity[], unique: string): JudgeNodes {
  const el = maker(page);
  const button = (name: string, text: string) => element(page, "button", { class: `link ${name}`, type: "button" }, text);
  const picker = makePicker(page);
  const copy = makeCopyBox(page);
  const [undo, reset] = [button("undo", "undo"), button("reset", "reset to the fit")];
  const rows = el("span", "about");
  const headline = element(page, "div", { class: "headline", role: "heading", "aria-level": 2, "aria-live": "polite" });
  const deck = el("p", "deck");
  const heard = element(page, "span", { class: "unseen", role: "status" });
  const finding = element(page, "div", { class: "finding", tabindex: -1 }, headline, deck, heard);
  const notes = el("div", "notes");
  const moreOf = el("summary", "");
  const moreNotes = el("div", "notes");
  const more = el("details", "more", moreOf, moreNotes);
  const cure = makeCure(page);
  const cards = judges.map((judge, i) => makeCard(page, judge.key, sliderKinds(judge).length, `${unique}-${i}`, !judge.emission));
  const beliefs = Array.from({ length: 3 }, () => makeBelief(page));
  const worth = makeWorth(page);
  const glance = element(page, "div", { class: "glance", "aria-hidden": "true" });
  const foot = el("span", "rows");
  const said = element(page, "span", { class: "said", role: "status" });
  const root = element(
    page,
    "div",
    { class: "rat-widgets rat-judges", role: "group", "aria-label": "Judges" },
    el(
      "div",
      "frame",
      el("div", "eyebrow", el("b", "", "Judges"), picker.picker, el("div", "meta", rows, el("span", "moves", undo, reset))),
      finding,
      notes,
      more,
      cure.box,
      el(
        "p",
        "unseen",
        "Each judge has a slider for each of its rates; the box beside it takes a number. Moving a slider pins the rate, and everything else follows. In the mode prior it sets what was believed before the rows.",
      ),
      el(
        "div",
        "columns",
        element(page, "div", { class: "judges", role: "group", "aria-label": "Judges and their rates" }, ...cards.map(({ box }) => box)),
        element(
          page,
          "div",
          { class: "beliefs", role: "group", "aria-label": "What we end up believing" },
          element(page, "div", { class: "caption", role: "heading", "aria-level": 3 }, "What we end up believing"),
          ...beliefs.map(({ box }) => box),
          worth.box,
        ),
      ),
      glance,
      el("div", "foot", foot, el("span", "buttons", said, button("copy-sentence", "Copy the sentence"), button("copy-python", "Copy as Python"))),
      copy.copyBox,
    ),
  );
  return { ...picker, ...copy, root, undo, reset, finding, headline, deck, heard, notes, more, moreOf, moreNotes, cure, cards, beliefs, worth, glance, rows, foot, said };
}

/** Brings all elements into line with the picture; the same picture twice changes nothing. */
export function drawJudges(nodes: JudgeNodes, picture: JudgePicture, canUndo: boolean, canReset: boolean): void {
  const { layout } = picture;
  const { root } = nodes;
  setAttributes(root, { "data-mode": layout.mode, "data-width": layout.isNarrow ? "narrow" : "wide", "data-rates": layout.rate });
  setStyle(root, "--left", `${layout.left}px`);
  setStyle(root, "--right", `${layout.right}px`);
  setStyle(root, "--gap", `${layout.gap}px`);
  setStyle(root, "--label", `${layout.label}px`);
  setStyle(root, "--out", `${layout.out}px`);
  toggleClass(root, "whatif", picture.isWhatIf);
  toggleClass(root, "prior-only", picture.isPrior);
  if (nodes.select.value !== String(picture.group)) nodes.select.value = String(picture.group);
  setText(nodes.rows, picture.rows);
  drawSegments(nodes.headline, picture.headline);
  drawSegments(nodes.deck, picture.deck);
  drawNotes(nodes.notes, picture.notes);
  drawNotes(nodes.moreNotes, picture.moreNotes);
  setHidden(nodes.more, picture.moreNotes.length === 0);
  drawCure(nodes.cure, picture.cure);
  setText(nodes.moreOf, `${picture.moreNotes.length} more notes`);
  if (nodes.undo.disabled === canUndo) nodes.undo.disabled = !canUndo;
  if (nodes.reset.disabled === canReset) nodes.reset.disabled = !canReset;
  picture.judges.forEach((card, i) => {
    const made = nodes.cards[i];
    if (made) drawCard(made, card);
  });
  picture.beliefs.forEach((belief, i) => {
    const made = nodes.beliefs[i];
    if (made) drawBelief(made, belief, picture.isWhatIf);
  });
  drawWorth(nodes.worth, picture.worth);
  drawGlance(nodes.glance, picture);
  setText(nodes.foot, picture.foot);
}

function drawGlance(parent: HTMLElement, { beliefs, isMoved, layout }: JudgePicture): void {
  const page = parent.ownerDocument;
  setHidden(parent, !isMoved || layout.mode === "columns");
  const make = () => element(page, "span", {}, element(page, "b"), " ", element(page, "span", { class: "delta" }));
  fill(parent, beliefs, make, (item, { hue, short, change }) => {
    const [now, delta] = item.children;
    if (!now || !delta) return;
    setAttributes(item, { "data-hue": hue });
    setText(now, short);
    setText(delta, change);
  });
}
