/** The table of courses, each with a switch, and the bar of the best mix. */
import { COURSES } from "../contract/allocation-tables.ts";
import type { AllocationPicture, CoursePicture, MixPicture, SimulatePicture } from "../layout/allocation-picture.ts";
import { px } from "../layout/paths.ts";
import { children, element, setAttributes, setHidden, setStyle, setText, shape, toggleClass } from "./dom.ts";

interface CourseNodes {
  readonly row: HTMLTableRowElement;
  readonly check: HTMLInputElement;
  readonly name: HTMLElement;
  readonly bits: HTMLElement;
  readonly plot: SVGSVGElement;
  readonly parts: Readonly<Record<"stem" | "span" | "dot", SVGElement>>;
  readonly width: HTMLElement;
  readonly range: HTMLElement;
  readonly simulated: HTMLElement;
  readonly needed: HTMLElement;
}

export interface CoursesNodes {
  readonly box: HTMLElement;
  readonly caption: HTMLElement;
  readonly goal: HTMLElement;
  readonly body: HTMLElement;
  readonly rows: ReadonlyMap<string, CourseNodes>;
}

/** The table without content. */
export function makeCourses(page: Document): CoursesNodes {
  const caption = element(page, "caption", {});
  const goal = element(page, "th", { scope: "col", class: "needed" });
  const rows = new Map(Object.keys(COURSES).map((key) => [key, makeCourse(page, key)]));
  const body = element(page, "tbody", {}, ...[...rows.values()].map(({ row }) => row));
  const head = element(
    page,
    "thead",
    {},
    element(page, "tr", {}, element(page, "th", { scope: "col" }, "plan"), element(page, "th", { scope: "col" }, "half-width"), goal),
  );
  return { box: element(page, "table", { class: "courses" }, caption, head, body), caption, goal, body, rows };
}

function makeCourse(page: Document, key: string): CourseNodes {
  const check = element(page, "input", { type: "checkbox" });
  const name = element(page, "span", { class: "name" });
  const bits = element(page, "span", { class: "bits" });
  const parts = {
    stem: shape(page, "path", { class: "stem" }),
    span: shape(page, "path", { class: "span" }),
    dot: shape(page, "circle", { class: "dot", r: 4 }),
  };
  const plot = shape(page, "svg", { "aria-hidden": "true", focusable: "false", height: 20 }, parts.stem, parts.span, parts.dot);
  const width = element(page, "span", { class: "width" });
  const range = element(page, "span", { class: "range" });
  const simulated = element(page, "span", { class: "simulated" });
  const needed = element(page, "td", { class: "needed" });
  const row = element(
    page,
    "tr",
    { "data-course": key },
    element(page, "th", { scope: "row" }, element(page, "label", {}, check, element(page, "span", { class: "words" }, name, bits))),
    element(page, "td", {}, element(page, "span", { class: "half" }, plot, element(page, "span", { class: "figure" }, width, range)), simulated),
    needed,
  );
  return { row, check, name, bits, plot, parts, width, range, simulated, needed };
}

/** Brings the table into line; rows go from the narrowest to the widest. */
export function drawCourses(nodes: CoursesNodes, { caption, goal, courses, layout }: AllocationPicture, hot: string | null): void {
  setText(nodes.caption, caption);
  setText(nodes.goal, goal);
  courses.forEach((course, i) => {
    const made = nodes.rows.get(course.key);
    if (!made) return;
    drawCourse(made, course, layout.bar, hot);
    const there = nodes.body.children[i];
    // A row that has the focus in it stays where it is in the document.
    if (there && there !== made.row) moveBefore(nodes.body, made.row, there);
  });
}

/** Moves a row and keeps the focus that is in it. */
function moveBefore(parent: HTMLElement, row: HTMLElement, before: Element): void {
  const { activeElement } = row.getRootNode() as Document | ShadowRoot;
  const focused = activeElement instanceof HTMLElement && row.contains(activeElement) ? activeElement : null;
  parent.insertBefore(row, before);
  focused?.focus({ preventScroll: true });
}

function drawCourse({ row, check, name, bits, plot, parts, width, range, simulated, needed }: CourseNodes, course: CoursePicture, bar: number, hot: string | null): void {
  toggleClass(row, "advised", course.isAdvised);
  toggleClass(row, "off", !course.isShown);
  toggleClass(row, "hot", course.key === hot);
  if (check.checked !== course.isShown) check.checked = course.isShown;
  setText(name, course.name);
  setText(bits, course.bits);
  setHidden(bits, course.bits === "");
  const { x, low, high } = course.bar;
  setAttributes(plot, { width: bar });
  setAttributes(parts.stem, { d: `M4 10H${px(x)}` });
  setAttributes(parts.span, { d: high - low > 1 ? `M${px(low)} 10H${px(high)}` : "" });
  setAttributes(parts.dot, { cx: px(x), cy: 10 });
  setText(width, course.halves);
  setText(range, course.span);
  setHidden(range, course.span === "");
  setText(simulated, course.simulated);
  setHidden(simulated, course.simulated === "");
  setText(needed, course.needed);
}

export interface SimulateNodes {
  readonly box: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly progress: HTMLProgressElement;
  readonly said: HTMLElement;
}

/** What begins and stops simulations, and how far they are. */
export function makeSimulate(page: Document): SimulateNodes {
  const button = element(page, "button", { class: "link refine", type: "button" });
  const progress = element(page, "progress", { "aria-label": "Simulated purchases" });
  const said = element(page, "span", { class: "count" });
  return { box: element(page, "div", { class: "simulate" }, button, progress, said), button, progress, said };
}

/** Brings it into line. */
export function drawSimulate({ box, button, progress, said }: SimulateNodes, picture: SimulatePicture | null): void {
  setHidden(box, picture === null);
  if (!picture) return;
  setHidden(button, picture.button === "");
  setText(button, picture.button);
  setHidden(progress, !picture.isRunning);
  if (progress.max !== Math.max(picture.total, 1)) progress.max = Math.max(picture.total, 1);
  progress.value = picture.done;
  setText(said, picture.said);
}

export interface MixNodes {
  readonly box: HTMLElement;
  readonly caption: HTMLElement;
  readonly width: HTMLElement;
  readonly bar: HTMLElement;
  readonly list: HTMLElement;
}

/** The bar of the best mix, without content. */
export function makeMix(page: Document): MixNodes {
  const caption = element(page, "span", { class: "of" });
  const width = element(page, "span", { class: "width" });
  const bar = element(page, "div", { class: "bar", role: "img" });
  const list = element(page, "ol", { class: "parts" });
  const head = element(page, "div", { class: "caption", role: "heading", "aria-level": 3 }, caption, " ", width);
  return { box: element(page, "div", { class: "mix" }, head, bar, list), caption, width, bar, list };
}

/** Brings it into line. */
export function drawMix(nodes: MixNodes, mix: MixPicture): void {
  const page = nodes.box.ownerDocument;
  setText(nodes.caption, mix.caption);
  setText(nodes.width, mix.width);
  setHidden(nodes.box, mix.parts.length === 0);
  setAttributes(nodes.bar, { "aria-label": mix.told });
  const pieces = children(nodes.bar, mix.parts.length, () => element(page, "span"));
  const items = children(nodes.list, mix.parts.length, () => element(page, "li", {}, element(page, "b"), " ", element(page, "span")));
  mix.parts.forEach((part, i) => {
    const [piece, item] = [pieces[i], items[i]];
    const [share, text] = item?.children ?? [];
    if (!piece || !share || !text) return;
    setStyle(piece, "flex-grow", part.of100.toFixed(2));
    setText(piece, part.of100 >= 6 ? String(part.number) : "");
    setText(share, part.share);
    setText(text, part.text);
  });
}
