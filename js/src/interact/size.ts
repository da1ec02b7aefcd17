/** Follows the width of an element, once a frame; returns the remover. */
export function followWidth(node: HTMLElement, tell: (width: number) => void): () => void {
  const view = node.ownerDocument.defaultView;
  if (!view?.ResizeObserver) return () => undefined;
  let frame = 0;
  let width = -1;
  const observer = new view.ResizeObserver(() => {
    view.cancelAnimationFrame(frame);
    frame = view.requestAnimationFrame(() => {
      const now = Math.round(node.clientWidth);
      if (now === width || now === 0) return;
      width = now;
      tell(now);
    });
  });
  observer.observe(node);
  return () => {
    view.cancelAnimationFrame(frame);
    observer.disconnect();
  };
}
