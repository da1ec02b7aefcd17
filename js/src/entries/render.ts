/** A widget for anywidget: what `render` does, whichever widget it is. */
import type { Component, Mount } from "../components/component.ts";
import { mountProblem } from "../components/problem.ts";
import { connect, type Connection, type Model } from "../state/model.ts";

export interface RenderProps {
  readonly model: Model;
  readonly el: HTMLElement;
  readonly signal?: AbortSignal;
}

/** Shows the model's view in `el`; returns the cleanup, which may be called more than once. */
export function renderWith<Controls>(mount: Mount<Controls>, { model, el, signal }: RenderProps): () => void {
  let component: Component | null = null;
  let removeProblem: (() => void) | null = null;
  let connection: Connection<Controls> | null = null;

  const attempt = (show: () => void) => {
    removeProblem?.();
    removeProblem = null;
    try {
      show();
    } catch (error) {
      component?.destroy();
      component = null;
      removeProblem = mountProblem(el, error);
    }
  };
  const show = (view: unknown, controls: unknown) =>
    attempt(() => {
      if (component) component.update(view, controls);
      else component = mount(el, view, { report: (controls) => connection?.report(controls) }, model.get("controls"));
    });

  connection = connect(model, { view: show, controls: (controls) => attempt(() => component?.adopt(controls)) });
  show(model.get("_view"), null);
  const destroy = () => {
    connection?.destroy();
    connection = null;
    component?.destroy();
    component = null;
    removeProblem?.();
    removeProblem = null;
  };
  signal?.addEventListener("abort", destroy, { once: true });
  return destroy;
}
