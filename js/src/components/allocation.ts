/** The planner as a component: a view and a host in, elements on the page, intents answered. */
import type { AllocationControls, AllocationView } from "../contract/allocation.ts";
import { decodeAllocation, decodeAllocationControls } from "../contract/decode-allocation.ts";
import type { AllocationIntent } from "../core/allocation-intent.ts";
import { allocationEngine } from "../engine/allocation.ts";
import { listenAllocation } from "../interact/allocation.ts";
import { copySelected, copyText } from "../interact/copy.ts";
import { followWidth } from "../interact/size.ts";
import { allocationPicture, type AllocationPicture, type SimulationState } from "../layout/allocation-picture.ts";
import { drawAllocation, drawTargets, makeAllocation } from "../render/allocation.ts";
import { drawCopyBox, drawPicker } from "../render/frame.ts";
import { carryOverAllocation, courseAt, initialAllocation, isAllocationMoved, stepAllocation, type AllocationLocal } from "../state/allocation.ts";
import { followTheme } from "../state/theme.ts";
import { simulated } from "../engine/purchase.ts";
import { inTurns } from "./allocation-simulation.ts";
import type { Component, Host } from "./component.ts";

const FIRST_WIDTH = 900;
const SAID_MS = 2500;
/** Simulated purchases of each course. */
const REPLICATIONS = 60;

/**
 * Puts the planner into `el`.
 *
 * @param controls what the reader has moved already; the view's own where it does not fit.
 */
export function mountAllocation(el: Element, value: unknown, host: Host<AllocationControls>, controls: unknown = null): Component {
  const page = el.ownerDocument;
  let view: AllocationView = decodeAllocation(value);
  let engine = allocationEngine(view);
  let state: AllocationLocal = initialAllocation(decodeAllocationControls(controls, view));
  let picture: AllocationPicture | null = null;
  let width = FIRST_WIDTH;
  let saidTimer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  let simulation: SimulationState | null = null;
  const turns = inTurns();
  const nodes = makeAllocation(page, Math.random().toString(36).slice(2, 10));

  const draw = () => {
    unschedule();
    const active = (nodes.root.getRootNode() as Document | ShadowRoot).activeElement;
    picture = allocationPicture(view, state.controls, engine.answer(state.controls), width, simulation);
    drawAllocation(nodes, picture, courseAt(state), { undo: state.past.length > 0, reset: isAllocationMoved(state, view) });
    // A button that goes while it has the focus hands it to the finding.
    if ((active === nodes.undo || active === nodes.reset) && (active as HTMLButtonElement).disabled) nodes.finding.focus();
  };

  const unschedule = () => {
    if (frame !== 0) page.defaultView?.cancelAnimationFrame(frame);
    frame = 0;
  };

  /** Of the moves of one frame the last is drawn. */
  const schedule = () => {
    const window = page.defaultView;
    if (!window) return draw();
    if (frame === 0) frame = window.requestAnimationFrame(draw);
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

  const holdHeight = (hold: boolean) => {
    nodes.finding.style.minHeight = hold ? `${nodes.finding.offsetHeight}px` : "";
  };

  /** Simulates purchases for the present controls, or stops; what is done stays until something moves. */
  const simulate = () => {
    if (simulation?.isRunning) {
      turns.stop();
      simulation = { ...simulation, isRunning: false };
      return draw();
    }
    const { controls: asked } = state;
    const shown = Object.entries(engine.purchases(asked)).filter(([key]) => !asked.hidden.includes(key));
    let result = { done: 0, total: REPLICATIONS * shown.length, widths: {} };
    simulation = { result, isRunning: true };
    const slices = simulated(view, asked, Object.fromEntries(shown), REPLICATIONS, (so_far) => (result = so_far));
    turns.start(slices, (isOver) => {
      simulation = { result, isRunning: !isOver };
      draw();
      if (isOver) say("Simulated");
    });
    draw();
  };

  const forget = () => {
    turns.stop();
    simulation = null;
  };

  const answer = (intent: AllocationIntent) => {
    if (intent.type === "copy") return void copy(intent.what);
    if (intent.type === "dismiss") return drawCopyBox(nodes, null);
    if (intent.type === "simulate") return simulate();
    if (intent.type === "mistyped") {
      draw();
      return say("That is no number that fits");
    }
    const before = state;
    state = stepAllocation(state, intent, view);
    const isSlid = intent.type === "slide";
    if (state !== before) show(before, isSlid);
    if (isSlid && intent.isSettled) {
      draw();
      nodes.heard.textContent = nodes.headline.textContent;
    }
  };

  const show = (before: AllocationLocal, isSlid: boolean) => {
    if (state.controls === before.controls) return schedule();
    forget();
    // The sliders must not move under the pointer when a sentence above them gets shorter.
    holdHeight(isSlid && state.controls.group === before.controls.group);
    // While a slider moves nothing is read out; once it is let go the new finding is.
    nodes.headline.setAttribute("aria-live", isSlid ? "off" : "polite");
    nodes.heard.textContent = "";
    if (isSlid) schedule();
    else draw();
    host.report(state.controls);
  };

  el.append(nodes.root);
  width = nodes.root.clientWidth || FIRST_WIDTH;
  const redraw = () => {
    drawPicker(nodes, view);
    drawTargets(nodes, view);
    draw();
  };
  try {
    redraw();
  } catch (error) {
    nodes.root.remove();
    throw error;
  }
  const removers = [
    listenAllocation(nodes.root, answer),
    followTheme(page, (theme) => (nodes.root.dataset["theme"] = theme)),
    followWidth(nodes.root, (now) => {
      width = now;
      holdHeight(false);
      draw();
    }),
  ];

  return {
    update(next, moved = null) {
      const after = decodeAllocation(next);
      const { controls: kept } = state;
      state = moved === null ? carryOverAllocation(state, view, after) : { ...state, controls: decodeAllocationControls(moved, after) };
      view = after;
      engine = allocationEngine(view);
      forget();
      holdHeight(false);
      redraw();
      if (moved === null && JSON.stringify(state.controls) !== JSON.stringify(kept)) host.report(state.controls);
    },
    adopt(next) {
      forget();
      state = { ...state, controls: decodeAllocationControls(next, { ...view, controls: state.controls }) };
      draw();
    },
    destroy() {
      clearTimeout(saidTimer);
      unschedule();
      turns.stop();
      for (const remove of removers) remove();
      nodes.root.remove();
    },
  };
}
