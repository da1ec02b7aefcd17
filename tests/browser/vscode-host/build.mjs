// `node build.mjs <file>`: bundle the page's script into that file; the widget manager itself stays
// the file that its package ships.
import { build } from "esbuild";

await build({
  entryPoints: ["host.js"],
  outfile: process.argv[2],
  bundle: true,
  format: "esm",
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
  logLevel: "error",
});
