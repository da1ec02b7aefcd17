/** One judge: a head that folds, its rates with the bracket between them, what to beware of. */
import type { JudgeCard } from "../layout/judge-card.ts";
import { GAP_HEIGHT, STRIP_HEIGHT, type GapPicture, type StripPicture } from "../layout/judge-rate.ts";
import { children, fill, fillTexts, maker, setAttributes, setHidden, setStyle, setText, shape, SILENT, toggleClass } from "./dom.ts";
import { drawSystems, makeSystems, type SystemsNodes } from "./judge-systems.ts";
import { drawRate, makeRate, type RateNodes } from "./judge-rate.ts";

export interface CardNodes {
  readonly box: HTMLElement;
  readonly fold: HTMLButtonElement;
  readonly letter: HTMLElement;
  readonly name: HTMLElement;
  readonly question: HTMLElement;
  readonly short: HTMLElement;
  readonly strip: SVGSVGElement;
  readonly leave: HTMLButtonElement;
  readonly body: HTMLElement;
  readonly rates: readonly RateNodes[];
  readonly gap: HTMLElement;
  readonly bracket: SVGSVGElement;
  readonly youden: HTMLElement;
  readonly span: HTMLElement;
  readonly levels: HTMLElement;
  readonly systems: SystemsNodes;
  readonly line: HTMLElement;
  readonly predicts: HTMLElement;
  readonly verdicts: HTMLElement;
  readonly warnings: HTMLElement;
}

/** Its elements, without content, for so many rates. `unique` is no other judge's. */
export function makeCard(page: Document, key: string, nRates: number, unique: string, isPlain = true): CardNodes {
  const el = maker(page);
  const letter = el("b", { class: "letter", "aria-hidden": "true" });
  const name = el("span", { class: "name", dir: "auto" });
  const question = el("span", "asks");
  const short = el("span", "short");
  const strip = shape(page, "svg", { class: "strip plot", ...SILENT, height: STRIP_HEIGHT });
  strip.append(shape(page, "path", { class: "axis" }), shape(page, "path", { class: "link" }), shape(page, "g", { class: "marks" }));
  const arrow = el("span", { class: "arrow", "aria-hidden": "true" });
  const fold = el("button", { class: "fold", type: "button", "aria-controls": `judge-${unique}` }, arrow, letter, " ", name, " ", question, " ", short);
  const leave = el("button", { class: "link leave", type: "button" });
  const rates = Array.from({ length: nRates }, (_, i) => makeRate(page, `${unique}-${i}`));
  const bracket = shape(page, "svg", { class: "bracket", ...SILENT, height: GAP_HEIGHT });
  bracket.append(shape(page, "path"));
  const youden = el("b");
  const span = el("span", "interval");
  const tells = el("span", { class: "tells", title: "Youden's J: TPR minus FPR. 0 is a coin, 1 is perfect." }, "tells apart ", youden, " ", span);
  const gap = el("div", "gap", bracket, tells);
  const [first, ...others] = rates.map(({ box }) => box);
  const said = (name: string) => el("p", name);
  const [line, predicts, verdicts] = [said("line-of-three"), said("predicts"), said("verdicts")];
  const measures = el("div", "measures", line, predicts, verdicts);
  const levels = el("table", "levels");
  const systems = makeSystems(page);
  const body = el("div", { class: "body", id: `judge-${unique}` }, ...(first ? [first] : []), ...(isPlain ? [gap, ...others] : [...others, levels, gap]), measures, systems.box);
  const warnings = el("div", { class: "notes", role: "status" });
  const box = el("section", { class: "judge", "data-judge": key }, el("div", "title", fold, strip, leave), body, warnings);
  return { box, fold, letter, name, question, short, strip, leave, body, rates, gap, bracket, youden, span, levels, systems, line, predicts, verdicts, warnings };
}

/** Brings them into line. */
export function drawCard(nodes: CardNodes, card: JudgeCard): void {
  const { box, fold, leave } = nodes;
  setAttributes(box, { "data-hue": card.hue, "aria-label": `${card.name}. ${card.question}` });
  toggleClass(box, "open", card.isOpen);
  toggleClass(box, "out", card.isLeftOut);
  setAttributes(fold, { "aria-expanded": String(card.isOpen) });
  if (fold.disabled !== card.isLeftOut) fold.disabled = card.isLeftOut;
  setText(nodes.letter, card.letter);
  setText(nodes.name, card.name);
  setText(nodes.question, card.question);
  setText(nodes.short, card.short);
  setHidden(nodes.short, card.isOpen);
  setAttributes(fold, { title: card.full });
  nodes.strip.style.display = card.isOpen || card.isLeftOut ? "none" : "";
  if (!card.isOpen) drawStrip(nodes.strip, card.strip);
  setText(leave, card.isLeftOut ? "take back in" : "leave out");
  setAttributes(leave, { "aria-pressed": String(card.isLeftOut), "aria-label": `${card.isLeftOut ? "Take back in" : "Leave out"}: ${card.name}` });
  setHidden(nodes.body, !card.isOpen);
  card.rates.forEach((rate, i) => {
    const made = nodes.rates[i];
    if (made) drawRate(made, rate);
  });
  if (card.gap) drawGap(nodes, card.gap);
  for (const name of ["line", "predicts", "verdicts"] as const) setText(nodes[name], card[name]);
  drawLevels(nodes.levels, card);
  drawSystems(nodes.systems, card.systems);
  fillTexts(nodes.warnings, card.warnings, "note warning");
}

/** A row for each level, the best first: its name, and how often what is good and what is bad gets it. */
function drawLevels(table: HTMLElement, { levels, sides }: JudgeCard): void {
  setHidden(table, levels.length === 0);
  if (levels.length === 0) return;
  const page = table.ownerDocument;
  const el = maker(page);
  const head = () => el("tr", "", ...sides.map((side) => el("th", { scope: "col" }, side)));
  if (table.children.length === 0) table.append(head());
  const rows = children(table, levels.length + 1, () => levelRow(page));
  levels.forEach((level, i) => {
    const row = rows[i + 1];
    const [name, ...cells] = [...(row?.children ?? [])] as HTMLElement[];
    if (!row || !name) return;
    toggleClass(row, "passes", level.passes);
    toggleClass(row, "case", level.bars.length === 0);
    setAttributes(name, { colspan: level.bars.length === 0 ? 3 : 1, scope: level.bars.length === 0 ? "rowgroup" : "row" });
    setText(name, level.name);
    setAttributes(name, { "aria-label": level.label });
    level.bars.forEach(({ share, text }, k) => {
      const [bar, said] = [...(cells[k]?.children ?? [])] as HTMLElement[];
      if (bar) setStyle(bar, "--share", share.toFixed(3));
      if (said) setText(said, text);
    });
  });
}

function levelRow(page: Document): HTMLElement {
  const el = maker(page);
  const cell = () => el("td", "", el("span", { class: "bar", "aria-hidden": "true" }), el("span", "interval"));
  return el("tr", "", el("th", { scope: "row", dir: "auto" }), cell(), cell());
}

function drawGap({ gap, bracket, youden, span }: CardNodes, picture: GapPicture): void {
  setAttributes(bracket, { width: picture.width });
  const path = bracket.firstElementChild;
  if (path) setAttributes(path, { d: picture.path });
  toggleClass(gap, "weak", picture.isWeak);
  setText(youden, picture.youden);
  setText(span, picture.span);
}

function drawStrip(svg: SVGSVGElement, strip: StripPicture): void {
  const page = svg.ownerDocument;
  const [axis, link, marks] = [...svg.children];
  if (!axis || !link || !marks) return;
  setAttributes(svg, { width: strip.width });
  setAttributes(axis, { d: strip.axis });
  setAttributes(link, { d: strip.link });
  fill(marks, strip.marks, () => shape(page, "circle", { r: 4, cy: STRIP_HEIGHT / 2 }), (dot, { x, kind, isMoved }) => {
    setAttributes(dot, { cx: x, class: kind });
    toggleClass(dot, "moved", isMoved);
  });
}
