/** The planner for anywidget: `export default { render }`; a saved page takes `mount`. */
import { mountAllocation } from "../components/allocation.ts";
import { renderWith, type RenderProps } from "./render.ts";

export default { render: (props: RenderProps) => renderWith(mountAllocation, props) };
export { mountAllocation as mount };
