// Checks that imports only point downwards:
// entries > components > { interact | render | state } > layout > engine > core > contract.
// Folders in braces never import each other. styles/ holds no code.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const LAYERS = [["contract"], ["core"], ["engine"], ["layout"], ["interact", "render", "state"], ["components"], ["entries"]];
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']/g;

/** Rank of a folder; undefined when it is not a layer. */
function rank(folder) {
  const at = LAYERS.findIndex((names) => names.includes(folder));
  return at === -1 ? undefined : at;
}

/** Sentences about imports that break the rule, for one file's text. */
export function violations(file, text, src) {
  const folder = relative(src, file).split(sep)[0];
  const found = [];
  if (rank(folder) === undefined) return [`${relative(src, file)}: no layer is called "${folder}".`];
  for (const [, target] of text.matchAll(IMPORT)) {
    if (!target.startsWith(".")) {
      found.push(`${relative(src, file)} imports the package "${target}"; the bundle has no dependencies.`);
      continue;
    }
    const other = relative(src, resolve(dirname(file), target)).split(sep)[0];
    const allowed = other === folder || (rank(other) ?? Infinity) < rank(folder);
    if (!allowed) found.push(`${relative(src, file)} (${folder}) imports ${target} (${other}), which is not below it.`);
  }
  return found;
}

/** Every TypeScript file under a folder. */
export function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const src = join(dirname(fileURLToPath(import.meta.url)), "../src");
  const all = files(src);
  const broken = all.flatMap((file) => violations(file, readFileSync(file, "utf8"), src));
  for (const sentence of broken) console.error(sentence);
  console.log(`${all.length} files, ${broken.length} imports against the layers.`);
  process.exit(broken.length === 0 ? 0 : 1);
}
