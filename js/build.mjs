// Builds the browser files into ../src/rat_widgets/static (or the directory given as argument).
import { build } from "esbuild";
import { mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../src/rat_widgets/static"));

const shared = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};

const WIDGETS = ["tree", "judge", "allocation"];
// Those that have draws made in a worker.
const WORKED = ["tree", "judge"];
// Saved pages: of one kind of view each, and of all kinds.
const PAGES = [...WIDGETS.map((name) => `${name}-page`), "report"];

/** A worker's script, deflated, which the bundles carry so that a page has nothing to fetch. */
async function workerText(name) {
  const { outputFiles } = await build({ ...shared, format: "iife", entryPoints: [`src/entries/${name}-worker.ts`], write: false });
  return deflateRawSync(outputFiles[0].contents, { level: 9 }).toString("base64");
}

const workers = await Promise.all(WORKED.map(async (name) => [name, await workerText(name)]));
const define = Object.fromEntries(workers.map(([name, text]) => [`RAT_${name.toUpperCase()}_WORKER`, JSON.stringify(text)]));

const script = (name, format) => build({ ...shared, define, format, entryPoints: [`src/entries/${name}.ts`], outfile: join(out, `${name}.js`) });
const sheet = (name) => build({ ...shared, entryPoints: [`src/styles/${name}.css`], outfile: join(out, `${name}.css`) });

await mkdir(out, { recursive: true });
await Promise.all([
  ...WIDGETS.map((name) => script(name, "esm")),
  ...PAGES.map((name) => script(name, "iife")),
  ...WIDGETS.map(sheet),
]);

for (const [name, text] of workers) console.log(`${`${name}-worker`.padEnd(18)} ${(text.length / 1000).toFixed(1).padStart(6)} kB in each of its bundles`);
for (const name of [...WIDGETS.map((name) => `${name}.js`), ...PAGES.map((name) => `${name}.js`), ...WIDGETS.map((name) => `${name}.css`)]) {
  const { size } = await stat(join(out, name));
  console.log(`${name.padEnd(18)} ${(size / 1000).toFixed(1).padStart(6)} kB`);
}
