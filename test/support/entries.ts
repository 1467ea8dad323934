import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = process.cwd();
const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as { exports: Record<string, { types?: string }> };

/**
 * The source files of the packages that users import, so that no build is needed:
 * `recollect/client` and `@recollect/client` are `src/client/client.ts`.
 */
const ENTRIES = new Map<string, string>([
  ...Object.entries(exports).flatMap(([name, { types }]): [string, string][] =>
    types === undefined
      ? []
      : [[`recollect${name.slice(1)}`, join(ROOT, types.replace("dist/", "src/").replace(".d.ts", ".ts"))]],
  ),
  ["@recollect/client", join(ROOT, "src/client/client.ts")],
]);

/** Returns a user's program with its imports replaced, so that it can run and be checked here. */
export function withEntries(text: string): string {
  return text.replace(/(from\s+)"(@?recollect[\w/-]*)"/g, (all, from, name) =>
    ENTRIES.has(name) ? `${from}${JSON.stringify(ENTRIES.get(name))}` : all,
  );
}

/** Writes `examples/` to a folder that has `node_modules`, so that its programs run there. */
export function writeExamples(folder: string): void {
  cpSync("examples", join(folder, "examples"), { recursive: true });
  for (const name of readdirSync("examples").filter((file) => file.endsWith(".ts")))
    writeFileSync(join(folder, "examples", name), withEntries(readFileSync(join("examples", name), "utf8")));
}
