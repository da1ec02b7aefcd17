/** The judges for anywidget: `export default { render }`; a saved page takes `mount`. */
import { mountJudges } from "../components/judge.ts";
import { renderWith, type RenderProps } from "./render.ts";

export default { render: (props: RenderProps) => renderWith(mountJudges, props) };
export { mountJudges as mount };
