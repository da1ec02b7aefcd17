// Builds the browser files into ../src/rat_widgets/static (or the directory given as argument).
import { build } from "esbuild";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./scripts/bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../src/rat_widgets/static"));

const WIDGETS = ["tree", "judge", "allocation"];
// Those that have draws made in a worker.
const WORKED = ["tree", "judge"];
// Saved pages: of one kind of view each, and of all kinds.
const PAGES = [...WIDGETS.map((name) => `${name}-page`), "report"];

const workersOf = (name) => WORKED.filter((one) => name === "report" || name.replace("-page", "") === one).map((one) => [one, `src/entries/${one}-worker`]);
const script = async (name, format) => {
  const text = await bundle(`src/entries/${name}`, { format, root: here, workers: Object.fromEntries(workersOf(name)) });
  await writeFile(join(out, `${name}.js`), text);
};
const sheet = async (name) => {
  const made = await build({ absWorkingDir: here, bundle: true, minify: true, charset: "utf8", logLevel: "warning", entryPoints: [`src/styles/${name}.css`], outdir: "out", write: false });
  // Values of custom properties are left as they were written.
  const text = made.outputFiles[0].text.replace(/(--[\w-]+:) +/g, "$1").replace(/ *, +/g, ",");
  await writeFile(join(out, `${name}.css`), text);
};

await mkdir(out, { recursive: true });
await Promise.all([
  ...WIDGETS.map((name) => script(name, "esm")),
  ...PAGES.map((name) => script(name, "iife")),
  ...WIDGETS.map(sheet),
]);

for (const name of [...WIDGETS.map((name) => `${name}.js`), ...PAGES.map((name) => `${name}.js`), ...WIDGETS.map((name) => `${name}.css`)]) {
  const { size } = await stat(join(out, name));
  console.log(`${name.padEnd(18)} ${(size / 1000).toFixed(1).padStart(6)} kB`);
}
