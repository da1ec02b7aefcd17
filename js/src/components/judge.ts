/** The judges as a component: a view and a host in, elements on the page, intents answered. */
import type { JudgeControls, JudgeView } from "../contract/judge.ts";
import { decodeJudge, decodeJudgeControls, movesOf, sameMoves, shownView } from "../contract/decode-judge.ts";
import type { JudgeIntent } from "../core/judge-intent.ts";
import { isSame } from "../contract/decode.ts";
import { judgeEngine, type JudgeEngine } from "../engine/judge.ts";
import { tableOf, type JudgeJob } from "../engine/judge-samples.ts";
import { copySelected, copyText } from "../interact/copy.ts";
import { listenJudges } from "../interact/judge.ts";
import { followWidth } from "../interact/size.ts";
import { judgePicture, type JudgePicture } from "../layout/judge-picture.ts";
import { drawCopyBox, drawPicker } from "../render/frame.ts";
import { drawJudges, makeJudges, type JudgeNodes } from "../render/judge.ts";
import { carryOverJudges, initialJudges, isMoved, modeOf, priorOf, stepJudges, type JudgeLocal } from "../state/judge.ts";
import { followTheme } from "../state/theme.ts";
import { startJudgeWorker } from "../state/worker.ts";
import { background } from "./background.ts";
import type { Component, Host } from "./component.ts";
import { answerer, REST_MS } from "./judge-answers.ts";

const FIRST_WIDTH = 900;
const SAID_MS = 2500;

/** What may have the focus when other elements are made. */
const HOLDING_FOCUS: readonly ((nodes: JudgeNodes) => HTMLButtonElement | HTMLSelectElement)[] = [({ undo }) => undo, ({ reset }) => reset, ({ cure }) => cure.take, ({ select }) => select];

const MISTYPED = { rate: "A rate is a number from 0 to 100", labels: "A prior is worth at least 0.1 labels" } as const;

/** Engines of a view's judges as they are and with their cure, each made when it is asked for. */
function enginesOf(view: JudgeView): (cured: boolean) => JudgeEngine {
  const known = new Map<JudgeView, JudgeEngine>();
  return (cured) => {
    const of = shownView(view, cured);
    const engine = known.get(of) ?? judgeEngine(of);
    known.set(of, engine);
    return engine;
  };
}

/**
 * Puts the judges into `el`.
 *
 * @param controls what the reader has moved already; the view's own where it does not fit.
 */
export function mountJudges(el: Element, value: unknown, host: Host<JudgeControls>, controls: unknown = null): Component {
  const page = el.ownerDocument;
  const unique = Math.random().toString(36).slice(2, 10);
  let view: JudgeView = decodeJudge(value);
  let state: JudgeLocal = initialJudges(view, decodeJudgeControls(controls, view));
  /** The view with the judges as they are taken to err. */
  const shown = () => shownView(view, state.controls.cured);
  let engineOf = enginesOf(view);
  /** The judges that the elements are made for, and that the worker knows. */
  let { judges } = shown();
  let nodes = makeJudges(page, judges, unique);
  let picture: JudgePicture | null = null;
  let width = FIRST_WIDTH;
  let saidTimer: ReturnType<typeof setTimeout> | undefined;
  let frame = 0;
  /** A move waits for the next frame. */
  let isDue = false;
  const work = background({ start: startJudgeWorker, model: () => tableOf(shown()), inSlices: (job: JudgeJob) => engineOf(state.controls.cured).sample(job), restMs: REST_MS });
  const answers = answerer((cured) => engineOf(cured), work, () => draw());

  const draw = () => {
    unschedule();
    const active = (nodes.root.getRootNode() as Document | ShadowRoot).activeElement;
    const focused = HOLDING_FOCUS.find((of) => of(nodes) === active);
    conform();
    const { controls: moves } = state;
    const now = sameMoves(movesOf(view), moves) ? null : answers.of(moves);
    const fit = view.moves === null ? null : answers.fit(moves.group);
    if (now === null) answers.rest();
    const posture = { controls: moves, open: state.open, modeOf: (rate: string) => modeOf(state, rate), priorOf: (rate: string) => priorOf(shown(), moves, rate) };
    picture = judgePicture(shown(), posture, { now: now?.now ?? null, asQuick: now?.asQuick ?? null, fit }, width);
    drawJudges(nodes, picture, state.past.length > 0, isMoved(state) || state.asked.length > 0);
    // What was read out follows a better answer, and what others have set.
    if (nodes.heard.textContent !== "") hear();
    // What had the focus keeps it; a button that goes hands it to the finding.
    const holder = focused?.(nodes);
    if (holder && "disabled" in holder && holder.disabled) nodes.finding.focus();
    else if (holder !== undefined && holder !== active) holder.focus();
  };

  /** Other elements, and another table for the worker, where the judges are others. */
  const conform = () => {
    const { judges: now } = shown();
    if (now === judges) return;
    answers.rest();
    work.renew();
    const isOther = !isSame(now, judges);
    judges = now;
    if (!isOther) return;
    for (const remove of removers) remove();
    const made = makeJudges(page, now, unique);
    nodes.root.replaceWith(made.root);
    nodes = made;
    removers = follow();
    drawPicker(nodes, view);
  };

  const hear = () => {
    const { textContent: said } = nodes.headline;
    if (nodes.heard.textContent !== said) nodes.heard.textContent = said;
  };

  const unschedule = () => {
    if (frame !== 0) page.defaultView?.cancelAnimationFrame(frame);
    frame = 0;
    isDue = false;
  };

  /** The first move of a frame is answered at once, and of those after it the last, with the next frame. */
  const schedule = () => {
    const window = page.defaultView;
    if (window && frame !== 0) {
      isDue = true;
      return;
    }
    draw();
    if (window) frame = window.requestAnimationFrame(onFrame);
  };

  const onFrame = () => {
    frame = 0;
    if (isDue) schedule();
  };

  const holdHeight = (hold: boolean) => {
    nodes.finding.style.minHeight = hold ? `${nodes.finding.offsetHeight}px` : "";
  };

  const say = (text: string) => {
    clearTimeout(saidTimer);
    nodes.said.textContent = text;
    if (text) saidTimer = setTimeout(() => say(""), SAID_MS);
  };

  const copy = async (asked: JudgeIntent & { readonly type: "copy" }) => {
    if (!picture) return;
    const text = asked.what === "cure" ? (picture.cure?.python[asked.line]?.[1] ?? "") : picture[asked.what];
    if (await copyText(page, text)) return say("Copied");
    drawCopyBox(nodes, text);
    if (!copySelected(page)) return;
    drawCopyBox(nodes, null);
    say("Copied");
  };

  const answer = (intent: JudgeIntent) => {
    if (intent.type === "copy") return void copy(intent);
    if (intent.type === "dismiss") return drawCopyBox(nodes, null);
    if (intent.type === "mistyped") {
      draw();
      return say(MISTYPED[intent.what]);
    }
    const before = state;
    state = stepJudges(state, intent, view);
    const isSlid = intent.type === "rate" && !intent.isSettled;
    if (state !== before) show(before, intent.type === "rate", isSlid);
    // What is no part of a drag is followed by no other move at once.
    if (!isSlid) work.hurry();
    if (intent.type === "rate" && intent.isSettled) {
      if (isDue) draw();
      hear();
    }
  };

  const show = (before: JudgeLocal, isRate: boolean, isSlid: boolean) => {
    // The sliders must not move under the pointer when a sentence above them gets shorter.
    if (!isSlid || before.moving !== state.moving) holdHeight(state.controls.group === before.controls.group);
    // While a slider moves nothing is read out; once it is let go the new finding is.
    nodes.headline.setAttribute("aria-live", isRate ? "off" : "polite");
    nodes.heard.textContent = "";
    if (isSlid) schedule();
    else draw();
    if (!isSame(state.controls, before.controls)) host.report(state.controls);
  };

  el.append(nodes.root);
  width = nodes.root.clientWidth || FIRST_WIDTH;
  drawPicker(nodes, view);
  try {
    draw();
  } catch (error) {
    answers.forget();
    work.destroy();
    nodes.root.remove();
    throw error;
  }
  answers.makeReady(state.controls.group);
  const follow = () => [
    listenJudges(nodes.root, answer),
    followTheme(page, (theme) => (nodes.root.dataset["theme"] = theme)),
    followWidth(nodes.root, (now) => {
      width = now;
      holdHeight(false);
      draw();
    }),
  ];
  let removers = follow();


  return {
    update(next, moved = null) {
      const after = decodeJudge(next);
      const { controls: kept } = state;
      const isOther = !isSame(after.judges, view.judges);
      state = moved === null ? carryOverJudges(state, view, after) : { ...state, controls: decodeJudgeControls(moved, after) };
      if (isOther && moved !== null) state = initialJudges(after, state.controls);
      view = after;
      engineOf = enginesOf(view);
      answers.forget();
      work.renew();
      holdHeight(false);
      drawPicker(nodes, view);
      draw();
      answers.makeReady(state.controls.group);
      if (moved === null && !isSame(state.controls, kept)) host.report(state.controls);
    },
    adopt(next) {
      state = { ...state, controls: decodeJudgeControls(next, { ...view, controls: state.controls }) };
      draw();
    },
    destroy() {
      clearTimeout(saidTimer);
      unschedule();
      answers.forget();
      work.destroy();
      for (const remove of removers) remove();
      nodes.root.remove();
    },
  };
}
