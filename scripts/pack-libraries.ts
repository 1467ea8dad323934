/**
 * Packs libraries into `dist/libraries`: the libraries that the built code imports and that
 * package.json does not name as dependencies. The code uses a small part of each. Most of their
 * packages are source maps, copies for other module systems, drivers of other databases and larger
 * models: 80 MB instead of 4. The libraries are `devDependencies`, so developers of Recollect have
 * the whole packages.
 * Runs in `npm run build`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { packageNameOf, writeLicenses } from "./library-licenses.ts";
import { tablesAsJson } from "./tables-as-json.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const LIBRARIES = join(DIST, "libraries");
/**
 * Matches the specifier in the code that TypeScript writes for an import, an export from a module,
 * or a dynamic import.
 */
const IMPORTED = /(\bfrom |\bimport |\bimport\()"([^".][^"]*)"/g;

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, object>;
const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = manifest;
const isInstalled = (name: string) => name in dependencies || name in peerDependencies;
const isPacked = (specifier: string) => {
  const name = packageNameOf(specifier);
  return name in devDependencies && !isInstalled(name);
};
const fileOf = (specifier: string) => `${specifier.replace(/^@/, "").replaceAll("/", "-")}.js`;

const built = readdirSync(DIST, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".js") && !name.startsWith("console"))
  .map((name) => join(DIST, name));
const packed = new Set<string>();
for (const file of built) {
  const code = readFileSync(file, "utf8");
  const rewritten = code.replace(IMPORTED, (whole, before: string, specifier: string) => {
    if (!isPacked(specifier)) return whole;
    packed.add(specifier);
    const path = relative(dirname(file), join(LIBRARIES, fileOf(specifier))).replaceAll("\\", "/");
    return `${before}"${path.startsWith(".") ? path : `./${path}`}"`;
  });
  if (rewritten !== code) writeFileSync(file, rewritten);
}

const build = await rolldown({
  cwd: ROOT,
  input: Object.fromEntries([...packed].map((specifier) => [fileOf(specifier).slice(0, -3), specifier])),
  platform: "node",
  plugins: [tablesAsJson],
  external: (id) => id.startsWith("node:") || isInstalled(packageNameOf(id)),
});
const { output } = await build.write({
  dir: LIBRARIES,
  format: "esm",
  chunkFileNames: "shared-[hash].js",
  comments: false,
});
const unnamed = output.flatMap((one) =>
  "exports" in one && one.isEntry && one.exports.join() === "default" ? [one.name] : [],
);
if (unnamed.length > 0)
  throw new Error(`Of CommonJS no names are exported; make it a dependency: ${unnamed.join(", ")}.`);
writeLicenses(
  output.flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : [])),
  join(LIBRARIES, "LICENSES.txt"),
);
