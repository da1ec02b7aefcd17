// Bundle the page's script; the widget manager itself stays the file that its package ships.
import { build } from "esbuild";

await build({
  entryPoints: ["host.js"],
  outfile: "build/host.js",
  bundle: true,
  format: "esm",
  target: "es2022",
  define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
  logLevel: "error",
});
