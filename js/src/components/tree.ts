/** The tree as a component: a view and a host in, elements on the page, intents answered. */
import type { TreeControls, TreeView } from "../contract/tree.ts";
import { decodeControls, decodeTree } from "../contract/decode.ts";
import { keysOf, pinLimit, PIN_SLACK } from "../contract/levels.ts";
import { pinPercent } from "../core/format.ts";
import type { Intent } from "../core/intent.ts";
import { shapeOf } from "../core/shape.ts";
import { firstFit, fitFrom, type Fit } from "../engine/tree.ts";
import { sampler, type TreeJob } from "../engine/tree-samples.ts";
import { copySelected, copyText } from "../interact/copy.ts";
import { followWidth } from "../interact/size.ts";
import { listenTree } from "../interact/tree.ts";
import { treePicture, type TreePicture } from "../layout/picture.ts";
import { drawPath } from "../render/edges.ts";
import { drawCopyBox, drawPicker } from "../render/frame.ts";
import { drawTree, makeTree } from "../render/tree.ts";
import { carryOver, initial, placeOf, step, type Local } from "../state/local.ts";
import { followTheme } from "../state/theme.ts";
import { startTreeWorker } from "../state/worker.ts";
import { background } from "./background.ts";
import type { Component, Host } from "./component.ts";

/** Width that is assumed until the element has one. */
const FIRST_WIDTH = 900;
const KEPT_FITS = 16;
const REST_MS = { worker: 0, page: 0 };
const SAID_MS = 2500;

/**
 * Puts a tree into `el`.
 *
 * @param controls what the reader has moved already; the view's own where it does not fit.
 */
export function mountTree(el: Element, value: unknown, host: Host<TreeControls>, controls: unknown = null): Component {
  const page = el.ownerDocument;
  let view: TreeView = decodeTree(value);
  const unique = Math.random().toString(36).slice(2, 10);
  let nodes = makeTree(page, shapeOf(view.levels), unique);
  let state: Local = initial(decodeControls(controls, view));
  let fits = new Map<number, Fit>();
  let picture: TreePicture | null = null;
  let width = FIRST_WIDTH;
  /** The answer that stands while full draws are made. */
  let refining: { readonly index: number; readonly now: Fit } | null = null;
  let saidTimer: ReturnType<typeof setTimeout> | undefined;

  const work = background({
    start: startTreeWorker,
    model: () => ({ seed: view.seed, patterns: view.patterns, priors: view.priors }),
    inSlices: (job: TreeJob) => sampler(view)(job),
    restMs: REST_MS,
  });

  const fitOf = (index: number): Fit => {
    const group = view.groups[index];
    if (!group) throw new Error(`The view has no group ${index}.`);
    if (refining?.index !== index) stopRefining();
    const known = fits.get(index);
    if (known) return keep(index, known);
    if (refining) return refining.now;
    const [now, isFull] = firstFit(view, group);
    if (isFull) return keep(index, now);
    refining = { index, now };
    work.ask({ label: group.label, counts: group.counts }, (draws) => {
      refining = null;
      keep(index, fitFrom(view, group, draws));
      draw();
    });
    return now;
  };

  const keep = (index: number, fit: Fit): Fit => {
    fits.delete(index);
    fits.set(index, fit);
    const oldest = fits.keys().next().value;
    if (fits.size > KEPT_FITS && oldest !== undefined) fits.delete(oldest);
    return fit;
  };

  const stopRefining = () => {
    refining = null;
    work.drop();
  };

  const draw = () => {
    const active = (nodes.root.getRootNode() as Document | ShadowRoot).activeElement;
    picture = treePicture(view, state.controls, fitOf(state.controls.group), width);
    drawTree(nodes, picture, state.past.length > 0);
    // A button that goes while it has the focus hands it to the line it stood in.
    if ((active === nodes.undo || active === nodes.reset) && (active as HTMLElement).hidden) nodes.policy.focus();
    if (active === nodes.unpinAll && nodes.unpinAll.hidden) nodes.finding.focus();
    for (const { unpin, slider } of Object.values(nodes.branches)) if (active === unpin && unpin.disabled) slider.focus();
  };

  const holdHeight = (hold: boolean) => {
    nodes.finding.style.minHeight = hold ? `${nodes.finding.offsetHeight}px` : "";
  };

  const say = (text: string) => {
    clearTimeout(saidTimer);
    nodes.said.textContent = text;
    if (text) saidTimer = setTimeout(() => say(""), SAID_MS);
  };

  const copy = async (what: "sentence" | "python") => {
    if (!picture) return;
    const text = picture[what];
    if (await copyText(page, text)) return say("Copied");
    drawCopyBox(nodes, text);
    if (!copySelected(page)) return;
    drawCopyBox(nodes, null);
    say("Copied");
  };

  const answer = (intent: Intent) => {
    if (intent.type === "copy") return void copy(intent.what);
    if (intent.type === "dismiss") return drawCopyBox(nodes, null);
    if (intent.type === "mistyped") {
      draw();
      return say("A pin is a number from 0 to 100");
    }
    if (intent.type === "pin") {
      const limit = pinLimit(keysOf(view.levels), state.controls.pins ?? {}, intent.branch);
      if (limit !== null && intent.value > limit + PIN_SLACK) {
        draw();
        return say(`At most ${pinPercent(limit)} beside the other levels`);
      }
    }
    const before = state;
    state = step(state, intent, view);
    if (state !== before) show(before, intent);
    if (intent.type === "pin" && intent.isSettled) nodes.heard.textContent = nodes.headline.textContent;
  };

  const show = (before: Local, intent: Intent) => {
    if (placeOf(state) !== placeOf(before)) drawPath(nodes, placeOf(state));
    if (state.controls === before.controls) return;
    // The tree must not move under the pointer when a sentence above it gets shorter.
    holdHeight(state.controls.group === before.controls.group);
    // While a slider moves nothing is read out; once it is let go the new finding is.
    nodes.headline.setAttribute("aria-live", intent.type === "pin" ? "off" : "polite");
    nodes.heard.textContent = "";
    draw();
    host.report(state.controls);
  };

  el.append(nodes.root);
  width = nodes.root.clientWidth || FIRST_WIDTH;
  drawPicker(nodes, view);
  try {
    draw();
  } catch (error) {
    work.destroy();
    nodes.root.remove();
    throw error;
  }
  const follow = () => [
    listenTree(nodes.root, nodes.shape, answer),
    followTheme(page, (theme) => (nodes.root.dataset["theme"] = theme)),
    followWidth(nodes.root, (now) => {
      width = now;
      holdHeight(false);
      draw();
    }),
  ];
  let removers = follow();

  /** Other elements, for a view whose R has other levels. */
  const remake = () => {
    for (const remove of removers) remove();
    const made = makeTree(page, shapeOf(view.levels), unique);
    nodes.root.replaceWith(made.root);
    nodes = made;
    removers = follow();
  };

  return {
    update(next, moved = null) {
      const after = decodeTree(next);
      const { controls: kept } = state;
      const isReshaped = JSON.stringify(after.levels) !== JSON.stringify(view.levels);
      state = moved === null ? carryOver(state, view, after) : { ...state, controls: decodeControls(moved, after) };
      // What was moved on other levels is no move on these.
      if (isReshaped) state = initial(decodeControls({ ...state.controls }, after));
      view = after;
      if (isReshaped) remake();
      fits = new Map();
      stopRefining();
      work.renew();
      holdHeight(false);
      drawPicker(nodes, view);
      draw();
      if (moved === null && state.controls.group !== kept.group) host.report(state.controls);
    },
    adopt(next) {
      state = { ...state, controls: decodeControls(next, { ...view, controls: state.controls }) };
      draw();
    },
    destroy() {
      clearTimeout(saidTimer);
      work.destroy();
      for (const remove of removers) remove();
      nodes.root.remove();
    },
  };
}
