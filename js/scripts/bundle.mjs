// Bundles of an entry and the workers that it starts. What both need is there once: as a function
// that the page calls, and whose text is most of the worker's script.
import { build, transform } from "esbuild";

const settings = { minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning" };

const IMPORT = /import(?:\{([^}]*)\}from)?"\.\/([\w-]+)\.js";/g;
const EXPORT = /export\{([^}]*)\};\s*$/;

/** "a as b, c" of an import or an export as the properties of an object. */
const properties = (names, key, name) => names.split(",").map((one) => one.split(" as ")).map((pair) => `${pair.at(key)}:${pair.at(name)}`).join(",");

/** A chunk that esbuild made: what it is called, which chunks it needs, and its text without imports and exports. */
function chunkOf({ path, text }) {
  const called = path.split(/[\\/]/).at(-1).replace(/\.js$/, "");
  const needs = [...text.matchAll(IMPORT)].map(([, , name]) => name);
  // One without names is for what the chunk does when it is run, and it is run anyway.
  const taken = text.replace(IMPORT, (_, names, name) => (names === undefined ? "" : `const{${properties(names, 0, -1)}}=${moduleOf(name)};`));
  if (/\bimport\s*[{"(]/.test(taken)) throw new Error(`${path}: an import is left; has esbuild changed how it writes them?`);
  const [end, given] = EXPORT.exec(taken) ?? ["", ""];
  return { called, needs, body: taken.slice(0, taken.length - end.length), end, result: given && `return{${properties(given, -1, 0)}}` };
}

const functionOf = (name) => `ratPart_${name.replaceAll("-", "_")}`;
const moduleOf = (name) => `ratModule_${name.replaceAll("-", "_")}`;

/** The chunks that some names need, each after those that it needs itself. */
function inOrder(names, chunks, found = []) {
  for (const name of names) {
    if (found.includes(name)) continue;
    inOrder(chunks.get(name).needs, chunks, found);
    found.push(name);
  }
  return found;
}

const partsIn = (chunk, chunks) => inOrder(chunk.needs, chunks);
const called = (name, chunks) => `(${chunks.get(name).needs.map(moduleOf)})`;

/** An expression for the text of a worker's script. */
function scriptOf(worker, chunks) {
  const shared = partsIn(worker, chunks).map((name) => `const ${moduleOf(name)}=(\${${functionOf(name)}})${called(name, chunks)};`);
  return `\`${shared.join("")}\`+${JSON.stringify(worker.body)}`;
}

/**
 * The text of an entry's bundle.
 *
 * @param entry the path of the entry, without its ending.
 * @param workers paths of workers' entries by their names: the source finds the script of `judge`
 *   as RAT_JUDGE_WORKER.
 */
export async function bundle(entry, { format, root, workers = {} }) {
  const names = Object.keys(workers);
  const define = Object.fromEntries(names.map((name) => [`RAT_${name.toUpperCase()}_WORKER`, `ratWorkers.${name}`]));
  const entryPoints = [{ in: `${entry}.ts`, out: "entry" }, ...names.map((name) => ({ in: `${workers[name]}.ts`, out: `worker-${name}` }))];
  const { outputFiles } = await build({ ...settings, absWorkingDir: root, bundle: true, splitting: true, format: "esm", define, entryPoints, outdir: "out", write: false });
  const chunks = new Map(outputFiles.map(chunkOf).map((chunk) => [chunk.called, chunk]));
  const main = chunks.get("entry");
  const scripts = names.map((name) => [name, chunks.get(`worker-${name}`)]);
  const functions = inOrder([...main.needs, ...scripts.flatMap(([, { needs }]) => needs)], chunks).map((name) => {
    const { needs, body, result } = chunks.get(name);
    return `const ${functionOf(name)}=(${needs.map(moduleOf)})=>{${body}${result}};`;
  });
  const modules = partsIn(main, chunks).map((name) => `const ${moduleOf(name)}=${functionOf(name)}${called(name, chunks)};`);
  const texts = scripts.map(([name, worker]) => `get ${name}(){return ${scriptOf(worker, chunks)}}`);
  const joined = [...functions, `const ratWorkers={${texts}};`, ...modules, main.body, main.end].join("\n");
  const { code } = await transform(joined, { ...settings, format });
  return code;
}
