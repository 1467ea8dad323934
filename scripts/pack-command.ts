import { globSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { isPackedAnew, PACKED } from "./command.js";
import { tablesAsJson } from "./tables-as-json.ts";

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

const SOURCE = join(import.meta.dirname, "../src");
/** Matches the place of a thread's module, see `src/base/worker-file.ts`. */
const WORKER_FILE = /workerFile\("([\w.-]+)", import\.meta\.url\)/g;

/**
 * Packs the source of the command and of its threads with their packages into a few files, unless they
 * are newer than the source. Loading 1,100 modules one by one takes half of the processor time of a search
 * by the command line, and in a thread that runs TypeScript Node.js takes 30 MB for it alone.
 */
export async function packCommand(): Promise<void> {
  if (isPackedAnew()) return;
  const folder = join(PACKED, "..");
  mkdirSync(folder, { recursive: true });
  // The files are written beside and then renamed, so that another process never starts half a command.
  const beside = mkdtempSync(join(folder, "packing-"));
  await build({
    input: Object.fromEntries([
      ["recollect", join(SOURCE, "start/cli.ts")],
      ...globSync("**/*.worker.ts", { cwd: SOURCE }).map((file) => [basename(file, ".ts"), join(SOURCE, file)]),
    ]),
    platform: "node",
    external: SEPARATE,
    // Migrations and other files are found beside the source, as without packing.
    plugins: [
      tablesAsJson,
      {
        name: "place of the source",
        transform: {
          filter: { code: /import\.meta\.(?:url|filename|dirname)/ },
          handler: (code, id) =>
            code
              .replaceAll(WORKER_FILE, (_, name: string) => JSON.stringify(join(folder, `${name}.mjs`)))
              .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
              .replaceAll("import.meta.filename", JSON.stringify(id))
              .replaceAll("import.meta.dirname", JSON.stringify(dirname(id))),
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
  const names = readdirSync(beside).sort((one) => (join(folder, one) === PACKED ? 1 : -1));
  for (const name of names) renameSync(join(beside, name), join(folder, name));
  rmSync(beside, { recursive: true });
}

if (import.meta.main) await packCommand();
