import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { COMMAND } from "./process.ts";

/**
 * Packages that the command loads itself: they have native parts or start threads of their own, or
 * must be the copy that a test loads too.
 */
const SEPARATE = [
  /^onnxruntime/,
  /^node-llama/,
  /^@electric-sql/,
  /^@opentelemetry/,
  /^pino/,
  /^chokidar/,
  /^piscina/,
  /^testcontainers/,
];

/**
 * Packs the source of the command with its packages into one file, unless that file is newer than
 * the source. Loading 750 modules of ours and those of the packages one by one took 1.8 of the 4.6
 * seconds of processor time of `recollect agents list`, and the tests start hundreds of commands.
 */
export default async function setup(): Promise<void> {
  const packed = statSync(COMMAND, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if ([...sources("src"), "package-lock.json"].every((path) => statSync(path).mtimeMs <= packed)) return;
  mkdirSync(join(COMMAND, ".."), { recursive: true });
  // The file is written beside and then renamed, so that another run never starts half a command.
  const beside = mkdtempSync(join(COMMAND, "..", "packing-"));
  await build({
    input: { recollect: "src/start/cli.ts" },
    platform: "node",
    external: SEPARATE,
    // Threads, migrations and other files are found beside the source, as without packing.
    plugins: [
      {
        name: "place of the source",
        transform: {
          filter: { code: "import.meta.url" },
          handler: (code, id) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
        },
      },
    ],
    output: {
      dir: beside,
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name].mjs",
    },
    logLevel: "silent",
  });
  for (const name of readdirSync(beside)) renameSync(join(beside, name), join(COMMAND, "..", name));
  rmSync(beside, { recursive: true });
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
