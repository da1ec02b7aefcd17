/** The tree for anywidget: `export default { render }`; a saved page takes `mount`. */
import { mountTree } from "../components/tree.ts";
import { renderWith, type RenderProps } from "./render.ts";

export default { render: (props: RenderProps) => renderWith(mountTree, props) };
export { mountTree as mount };
