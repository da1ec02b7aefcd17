/** One judge: a head that folds, its rates with the bracket between them, what to beware of. */
import type { JudgeCard } from "../layout/judge-card.ts";
import { GAP_HEIGHT, STRIP_HEIGHT, type GapPicture, type StripPicture } from "../layout/judge-rate.ts";
import { children, element, setAttributes, setHidden, setStyle, setText, shape, toggleClass } from "./dom.ts";
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
  const letter = element(page, "b", { class: "letter", "aria-hidden": "true" });
  const name = element(page, "span", { class: "name", dir: "auto" });
  const question = element(page, "span", { class: "asks" });
  const short = element(page, "span", { class: "short" });
  const strip = shape(page, "svg", { class: "strip plot", "aria-hidden": "true", focusable: "false", height: STRIP_HEIGHT });
  strip.append(shape(page, "path", { class: "axis" }), shape(page, "path", { class: "link" }), shape(page, "g", { class: "marks" }));
  const arrow = element(page, "span", { class: "arrow", "aria-hidden": "true" });
  const fold = element(page, "button", { class: "fold", type: "button", "aria-controls": `judge-${unique}` }, arrow, letter, " ", name, " ", question, " ", short);
  const leave = element(page, "button", { class: "link leave", type: "button" });
  const rates = Array.from({ length: nRates }, (_, i) => makeRate(page, `${unique}-${i}`));
  const bracket = shape(page, "svg", { class: "bracket", "aria-hidden": "true", focusable: "false", height: GAP_HEIGHT });
  bracket.append(shape(page, "path"));
  const youden = element(page, "b");
  const span = element(page, "span", { class: "interval" });
  const tells = element(page, "span", { class: "tells", title: "Youden's J: TPR minus FPR. 0 is a coin, 1 is perfect." }, "tells apart ", youden, " ", span);
  const gap = element(page, "div", { class: "gap" }, bracket, tells);
  const [first, ...others] = rates.map(({ box }) => box);
  const said = (name: string) => element(page, "p", { class: name });
  const [line, predicts, verdicts] = [said("line-of-three"), said("predicts"), said("verdicts")];
  const measures = element(page, "div", { class: "measures" }, line, predicts, verdicts);
  const levels = element(page, "table", { class: "levels" });
  const systems = makeSystems(page);
  const body = element(page, "div", { class: "body", id: `judge-${unique}` }, ...(first ? [first] : []), ...(isPlain ? [gap, ...others] : [...others, levels, gap]), measures, systems.box);
  const warnings = element(page, "div", { class: "notes", role: "status" });
  const box = element(page, "section", { class: "judge", "data-judge": key }, element(page, "div", { class: "title" }, fold, strip, leave), body, warnings);
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
  drawWarnings(nodes.warnings, card.warnings);
}

/** A row for each level, the best first: its name, and how often what is good and what is bad gets it. */
function drawLevels(table: HTMLElement, { levels, sides }: JudgeCard): void {
  setHidden(table, levels.length === 0);
  if (levels.length === 0) return;
  const page = table.ownerDocument;
  const head = () => element(page, "tr", {}, ...sides.map((side) => element(page, "th", { scope: "col" }, side)));
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
  const cell = () => element(page, "td", {}, element(page, "span", { class: "bar", "aria-hidden": "true" }), element(page, "span", { class: "interval" }));
  return element(page, "tr", {}, element(page, "th", { scope: "row", dir: "auto" }), cell(), cell());
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
  const dots = children(marks, strip.marks.length, () => shape(page, "circle", { r: 4, cy: STRIP_HEIGHT / 2 }));
  strip.marks.forEach(({ x, kind, isMoved }, i) => {
    const dot = dots[i];
    if (!dot) return;
    setAttributes(dot, { cx: x, class: kind });
    toggleClass(dot, "moved", isMoved);
  });
}

function drawWarnings(parent: HTMLElement, warnings: readonly string[]): void {
  const page = parent.ownerDocument;
  const lines = children(parent, warnings.length, () => element(page, "p", { class: "note warning" }));
  warnings.forEach((text, i) => {
    const line = lines[i];
    if (line) setText(line, text);
  });
}
