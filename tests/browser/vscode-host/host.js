// A page that does with a widget what VS Code's notebook does: its own widget manager, a kernel
// reached through messages only, and widget modules fetched as AMD scripts from the environment.
import { KernelManager, ServerConnection } from "@jupyterlab/services";

const MANAGER = new URL("../node_modules/@vscode/jupyter-ipywidgets8/dist/ipywidgets.js", import.meta.url);
const WIDGET = "application/vnd.jupyter.widget-view+json";

/** Start a kernel and a widget manager on it. */
async function start(address, token) {
  const { activate } = await import(MANAGER.href);
  activate();
  window.vscIPyWidgets8.load();

  const serverSettings = ServerConnection.makeSettings({
    baseUrl: address,
    wsUrl: address.replace("http", "ws"),
    token,
    appendToken: true,
  });
  const kernels = new KernelManager({ serverSettings });
  const kernel = await kernels.startNew({ name: "python3" });
  await kernel.info;

  const loader = {
    widgetsRegisteredInRequireJs: new Set(),
    loadWidgetScript: async (module) => {
      window.requirejs.config({ paths: { [module]: `${location.origin}/nbextensions/${module}/index` } });
    },
    successHandler: () => undefined,
    errorHandler: (name, module, version, error) => {
      throw new Error(`${module} ${version} has no ${name}: ${error}`);
    },
  };
  const manager = new window.vscIPyWidgets.WidgetManager(kernel, document.body, loader, () => undefined);

  /** Run a cell: what it printed, its error, and its widgets shown under one another. */
  async function run(code) {
    const said = { text: "", error: "" };
    const shown = [];
    const future = kernel.requestExecute({ code, store_history: false });
    future.onIOPub = ({ header, content }) => {
      if (header.msg_type === "stream") said.text += content.text;
      if (header.msg_type === "error") said.error = content.traceback.join("\n");
      const widget = content.data?.[WIDGET];
      if (widget) shown.push(widget.model_id);
    };
    await future.done;
    for (const id of shown) await show(id);
    return said;
  }

  async function show(id) {
    const output = document.body.appendChild(document.createElement("div"));
    output.className = "cell-output";
    const view = await manager.create_view(await manager.get_model(id));
    await manager.display_view(undefined, view, { node: output });
  }

  const end = async () => {
    await kernel.shutdown();
    kernels.dispose();
  };
  return { run, end };
}

window.startHost = start;
