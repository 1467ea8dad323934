import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { clientPython } from "./client-python.ts";
import { withEntries, writeExamples } from "./entries.ts";
import { COMMAND, COMMAND_CACHES } from "./process.ts";

const ROOT = process.cwd();
/**
 * The address in the documents. Here every server takes a free port, and the address is replaced.
 */
const SHOWN_URL = "http://127.0.0.1:7420";
/**
 * Runs the blocks of one document one after the other, as a reader would, in a new home and folder.
 */
export interface DocRunner {
  /**
   * Runs shell commands and returns their standard output.
   *
   * @throws Error with all output if a command fails
   */
  sh(text: string): Promise<string>;
  ts(text: string): Promise<string>;
  python(text: string): Promise<string>;
  close(): Promise<void>;
}

/** Whether the block's last command leaves a server running. */
export function isServer(text: string): boolean {
  return /(^|\s|&&\s*)(recollect serve|npm start)(\s+#.*)?\s*$/.test(text);
}

export function startDocRunner(): DocRunner {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "recollect-docs-")));
  const folder = join(home, "work");
  const state = join(home, ".state");
  mkdirSync(folder);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeExamples(folder);
  writeFileSync(state, `cd ${JSON.stringify(folder)}\n`);
  writeCommands(join(home, ".bin"));
  // In a clone, the command stands in the root.
  symlinkSync(join(home, ".bin/recollect"), join(folder, "recollect"));
  let server: { child: ChildProcess; url: string } | undefined;
  let numberOfBlocks = 0;

  // Variables and the working folder that a block sets hold for the next block, as in one terminal.
  const script = (text: string) =>
    `set -eo pipefail; source ${state}; set -a\n${text}\nset +a; { export -p; printf 'cd %q\\n' "$PWD"; } > ${state}`;
  const here = (text: string) => text.replaceAll(SHOWN_URL, server?.url ?? SHOWN_URL);
  const shown = (text: string) => (server ? text.replaceAll(server.url, SHOWN_URL) : text).replaceAll(home, "~");

  const run = async (text: string) => {
    const child = spawn("bash", ["-c", script(here(text))], {
      env: environment(home),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const written = collect(child);
    const code = await new Promise((resolve) => child.on("close", resolve));
    if (code === 0) return shown(written.stdout);
    throw new Error(`The block ended with ${code}.\n${written.stdout}\n${written.stderr}`);
  };
  const serve = async (text: string) => {
    const lines = text.trimEnd().split("\n");
    if (lines.length > 1) await run(lines.slice(0, -1).join("\n"));
    // A second server replaces the first, as in the one terminal that readers use for it.
    if (server) await stop(server.child);
    const child = spawn("bash", ["-c", script(lines.at(-1) ?? "")], {
      env: environment(home),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const written = collect(child);
    const url = await listening(child, written);
    server = { child, url };
    return shown(written.stdout);
  };
  return {
    sh: (text) => (isServer(text) ? serve(text) : run(text)),
    ts: (text) => {
      const file = join(folder, `block-${++numberOfBlocks}.ts`);
      writeFileSync(file, withEntries(here(text)));
      return run(`node --disable-warning=ExperimentalWarning ${file}`);
    },
    python: (text) => {
      const file = join(folder, `block_${++numberOfBlocks}.py`);
      writeFileSync(file, here(text));
      const python = clientPython();
      if ("missing" in python) throw new Error(python.missing);
      return run(`${python.command} ${file}`);
    },
    close: async () => {
      if (server) await stop(server.child);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * Writes the commands that readers have on their PATH: the packages are installed already, and
 * `recollect` runs this source.
 */
function writeCommands(bin: string): void {
  const commands = {
    recollect: `exec node --disable-warning=ExperimentalWarning ${COMMAND} "$@"`,
    npx: `[ "$1" = recollect ] && exec "$@"; echo "npx $1 is not for here" >&2; exit 1`,
    npm: `case "$1 $2" in ci*|install*|"run packages"|"run build:adapters") ;; start*) exec recollect start;; run*) shift 3; exec recollect "$@";; *) exit 1;; esac`,
  };
  mkdirSync(bin);
  for (const [name, text] of Object.entries(commands)) {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

function environment(home: string): Record<string, string> {
  return {
    PATH: [join(home, ".bin"), dirname(process.execPath), process.env.PATH ?? ""].join(":"),
    HOME: home,
    NO_COLOR: "1",
    RECOLLECT_PORT: "0",
    PYTHONPATH: join(ROOT, "clients/python/src"),
    PYTHONDONTWRITEBYTECODE: "1",
    ...COMMAND_CACHES,
  };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const written = { stdout: "", stderr: "" };
  child.stdout?.on("data", (part: Buffer) => {
    written.stdout += part;
  });
  child.stderr?.on("data", (part: Buffer) => {
    written.stderr += part;
  });
  return written;
}

/** Returns the server's URL: `serve` logs it, and the tour prints it at its end. */
function listening(child: ChildProcess, written: { stdout: string; stderr: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const url =
        /"url":"([^"]+)"/.exec(written.stderr) ?? /keeps serving at (\S+) [\s\S]*Go on with:\n/.exec(written.stdout);
      if (url?.[1] !== undefined) resolve(url[1]);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.on("close", (code) => reject(new Error(`It ended with ${code}.\n${written.stdout}\n${written.stderr}`)));
  });
}

/** Ends the server together with the shell that started it. */
async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.on("close", resolve));
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  process.kill(-child.pid, "SIGTERM");
  await ended;
}

/** Returns the shell's errors about a block that it cannot parse. */
export function shellErrors(text: string): string {
  return spawnSync("bash", ["-n"], { input: text, encoding: "utf8" }).stderr;
}

/**
 * Returns the compiler's errors about blocks of TypeScript, each with its position in the document.
 */
export function typeErrors(blocks: readonly { at: string; text: string }[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "recollect-types-")));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const names = blocks.map(({ at, text }) => {
      const name = `${at.replace(/[/:]/g, "__")}.ts`;
      writeFileSync(join(folder, name), `${withEntries(text)}\nexport {};\n`);
      return name;
    });
    const compilerOptions = { noUnusedLocals: false, rewriteRelativeImportExtensions: false, types: ["node"] };
    const config = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: names };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    return spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
