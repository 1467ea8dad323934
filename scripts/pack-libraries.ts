/**
 * Packs libraries into `dist/libraries`: those that the built code imports and that package.json names as no dependency. Of each a
 * small part is used, and most of what they install are source maps, copies for other module systems, drivers of other databases
 * and larger models: 80 MB in place of 4. They stand under `devDependencies`, so whoever works on Recollect has them whole.
 * Run by `npm run build`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { packageNameOf, writeLicenses } from "./library-licenses.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const LIBRARIES = join(DIST, "libraries");
/** The name in what TypeScript writes for an import, an export from, or an import at run time. */
const IMPORTED = /(\bfrom |\bimport |\bimport\()"([^".][^"]*)"/g;
/** Packed by `pack-wasm.ts`; imported only where that was not done. */
const PACKED_ELSEWHERE = new Set(["onnxruntime-web"]);

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, object>;
const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = manifest;
const isInstalled = (name: string) => name in dependencies || name in peerDependencies;
const isPacked = (specifier: string) => {
  const name = packageNameOf(specifier);
  return name in devDependencies && !isInstalled(name) && !PACKED_ELSEWHERE.has(name);
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
