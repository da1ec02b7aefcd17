// Builds the browser files into ../src/rat_widgets/static (or the directory given as argument).
import { build } from "esbuild";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./scripts/bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../src/rat_widgets/static"));

const WIDGETS = ["tree", "judge", "allocation"];
// Those that have draws made in a worker.
const WORKED = ["tree", "judge"];
const workersOf = (name) => WORKED.filter((one) => name === "report" || name === one).map((one) => [one, `src/entries/${one}-worker`]);
const script = async (name, format) => {
  const text = await bundle(`src/entries/${name}`, { format, root: here, workers: Object.fromEntries(workersOf(name)) });
  await writeFile(join(out, `${name}.js`), text);
};
// A saved page of one kind of view is the widget's module and this; of several kinds it is `report`.
const page = () => build({ absWorkingDir: here, bundle: true, minify: true, target: "es2022", charset: "utf8", logLevel: "warning", format: "iife", globalName: "ratPage", entryPoints: ["src/entries/page.ts"], outfile: join(out, "page.js") });

const sheet = async (name) => {
  const made = await build({ absWorkingDir: here, bundle: true, minify: true, charset: "utf8", logLevel: "warning", entryPoints: [`src/styles/${name}.css`], outdir: "out", write: false });
  // Values of custom properties are left as they were written.
  const text = made.outputFiles[0].text.replace(/(--[\w-]+:) +/g, "$1").replace(/ *, +/g, ",");
  await writeFile(join(out, `${name}.css`), text);
};

await mkdir(out, { recursive: true });
await Promise.all([
  ...WIDGETS.map((name) => script(name, "esm")),
  script("report", "iife"),
  page(),
  ...WIDGETS.map(sheet),
]);

const MADE = [...WIDGETS, "report", "page"].map((name) => `${name}.js`).concat(WIDGETS.map((name) => `${name}.css`));
// What earlier versions made would go into a wheel.
if (process.argv[2] === undefined) {
  for (const name of await readdir(out)) if (/\.(js|css)$/.test(name) && !MADE.includes(name)) await rm(join(out, name));
}
for (const name of MADE) {
  const { size } = await stat(join(out, name));
  console.log(`${name.padEnd(18)} ${(size / 1000).toFixed(1).padStart(6)} kB`);
}
