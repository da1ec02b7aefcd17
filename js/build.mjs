// Builds the browser files into ../src/rat_widgets/static (or the directory given as argument).
import { build } from "esbuild";
import { mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

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

await mkdir(out, { recursive: true });
await Promise.all([
  build({ ...shared, format: "esm", entryPoints: ["src/entries/tree.ts"], outfile: join(out, "tree.js") }),
  build({ ...shared, format: "esm", entryPoints: ["src/entries/judge.ts"], outfile: join(out, "judge.js") }),
  build({ ...shared, format: "iife", entryPoints: ["src/entries/report.ts"], outfile: join(out, "report.js") }),
  build({ ...shared, entryPoints: ["src/styles/tree.css"], outfile: join(out, "tree.css") }),
  build({ ...shared, entryPoints: ["src/styles/judge.css"], outfile: join(out, "judge.css") }),
]);

for (const name of ["tree.js", "judge.js", "report.js", "tree.css", "judge.css"]) {
  const { size } = await stat(join(out, name));
  console.log(`${name.padEnd(10)} ${(size / 1000).toFixed(1).padStart(6)} kB`);
}
