import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestOptions } from "vitest";
import { skipped } from "../support/needs.ts";
import { COMMAND_CACHES, startServerProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const INSTALLED = resolve(import.meta.dirname, "node_modules");

/** The programs of the hosts, as `npm ci` in this folder installs them. */
export const PROGRAMS = {
  claude: join(INSTALLED, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, "claude"),
  codex: join(INSTALLED, "@openai/codex/bin/codex.js"),
};

/** Options of a suite that runs the program of a host. */
export function needsHost(name: keyof typeof PROGRAMS): TestOptions {
  return existsSync(PROGRAMS[name]) ? {} : skipped(`needs ${name}: npm ci --prefix test/hosts --include=optional`);
}

/**
 * Asks until the program has told the model a text from the memory. A busy machine may answer a hook too
 * late, and the turn then goes on without memory.
 */
export async function untilRecalled(ask: () => Promise<{ told: string }>): Promise<string> {
  let told = "";
  const recalled = async () => {
    ({ told } = await ask());
    return told.includes("recalled-memory");
  };
  await until(recalled, () => `the recalled memory in ${told.length} characters`);
  return told;
}

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  seconds: number;
}

/** A user's machine: a home, a project, a server with a keyless memory. */
export interface Machine {
  home: string;
  project: string;
  /** The address of the server, the same after a restart. */
  url: string;
  /** Runs a program in the project, with none of this process's settings. */
  run(file: string, args: readonly string[], env?: Record<string, string>): Promise<Ran>;
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  close(): Promise<void>;
}

/** The limit of a program's run, which a busy machine may need. */
const LIMIT_MS = 240_000;

/** Sets a machine up, with the server running. */
export async function startMachine(): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), "recollect-host-"));
  const [home, project, data] = ["home", "project", "data"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [home, project, data]) mkdirSync(path);
  const serve = (port: string) => startServerProcess({ RECOLLECT_DATA_DIR: data, HOME: home }, ["--port", port]);
  let server: Awaited<ReturnType<typeof serve>> | undefined = await serve("0");
  const { url } = server;
  const stopServer = async () => {
    server?.child.kill("SIGTERM");
    await server?.ended;
    server = undefined;
  };
  return {
    home,
    project,
    url,
    run: (file, args, env = {}) => runProgram(file, args, { cwd: project, env: { HOME: home, ...env } }),
    stopServer,
    startServer: async () => {
      server = await serve(new URL(url).port);
    },
    close: async () => {
      await stopServer();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function runProgram(
  file: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ran> {
  const began = performance.now();
  const { PATH = "" } = process.env;
  const isScript = file.endsWith(".js") || file.endsWith(".mjs");
  const [program, all] = isScript ? [process.execPath, [file, ...args]] : [file, args];
  return new Promise((done) => {
    const options = { cwd, env: { PATH, TERM: "dumb", ...COMMAND_CACHES, ...env }, timeout: LIMIT_MS };
    const child = execFile(program, all, options, (error, stdout, stderr) => {
      const seconds = (performance.now() - began) / 1000;
      done({ code: error ? child.exitCode : 0, stdout, stderr, seconds });
    });
    child.stdin?.end();
  });
}
