/** The lines between branches and leaves, and the way that is dark. */
import { entry } from "../core/records.ts";
import { wayTo, type Shape } from "../core/shape.ts";
import type { Place } from "../core/intent.ts";
import type { TreePicture } from "../layout/picture.ts";
import { children, setAttributes, shape as draw, toggleClass } from "./dom.ts";
import type { TreeNodes } from "./tree.ts";

/** Depth of a leaf, below R, A and T. */
const LEAF = 3;

/** Brings the lines into line with the picture; each says which leaves it leads to, by their places. */
export function drawEdges(svg: SVGSVGElement, { leaves }: Shape, { layout }: TreePicture): void {
  const page = svg.ownerDocument;
  setAttributes(svg, { width: layout.inner, height: layout.height ?? 0 });
  const paths = children(svg, layout.edges.length, () => draw(page, "path"));
  layout.edges.forEach(({ path, to, depth }, i) => {
    const line = paths[i];
    if (line) setAttributes(line, { d: path, "data-to": to.map((world) => leaves.indexOf(world)).join(" "), "data-depth": depth });
  });
}

/** Darkens the way from the root to a leaf or branch. */
export function drawPath({ edges, leaves, branches, shape }: TreeNodes, at: Place | null): void {
  const step = at !== null && "branch" in at ? entry(shape.steps, at.branch) : null;
  const world = at !== null && "world" in at ? at.world : null;
  const below = step?.below ?? (world === null ? [] : [world]);
  const depth = step?.depth ?? LEAF;
  const places = below.map((leaf) => String(shape.leaves.indexOf(leaf)));
  for (const path of Array.from(edges.children)) {
    const to = (path.getAttribute("data-to") ?? "").split(" ");
    const isOn = at !== null && Number(path.getAttribute("data-depth")) <= depth && places.every((place) => to.includes(place));
    toggleClass(path, "on", isOn);
  }
  const way = at === null ? [] : wayTo(shape, below, depth);
  for (const leaf of shape.leaves) toggleClass(entry(leaves, leaf).box, "on", leaf === world);
  for (const key of shape.reading) toggleClass(entry(branches, key).box, "on", way.includes(key));
}
