import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The `recollect` command of the source, which build-command.ts packs for a quick start. */
export const COMMAND = fileURLToPath(new URL("../../node_modules/.cache/recollect/recollect.mjs", import.meta.url));

/**
 * Caches that keep compiled code from process to process: a start then takes two thirds of the
 * time.
 */
export const COMMAND_CACHES = {
  RECOLLECT_CACHE_DIR: join(tmpdir(), "recollect-test-cache"),
  NODE_COMPILE_CACHE: join(tmpdir(), "recollect-test-compiled"),
};

const LIMIT_MS = 240_000;

export interface RunningCommand {
  child: ChildProcess;
  /** Returns everything written so far. */
  output(): { stdout: string; stderr: string };
  /**
   * Resolves with the first match on standard error or output; rejects if the process ends without
   * it.
   */
  saw(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Resolves with the exit code; null if a signal ended the process. */
  ended: Promise<number | null>;
}

/**
 * Runs the `recollect` command as a separate process, with none of this process's settings.
 *
 * @param program the file of the command
 * @param cwd the folder to run it in
 */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  program: string = COMMAND,
  cwd?: string,
): RunningCommand {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME, NO_COLOR: "1", ...COMMAND_CACHES, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  child.stdout.on("data", (part: Buffer) => {
    stdout += part;
    wake();
  });
  child.stderr.on("data", (part: Buffer) => {
    stderr += part;
    wake();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const saw = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const check = () => {
        const match = stderr.match(pattern) ?? stdout.match(pattern);
        if (!match) return;
        waiting.delete(check);
        resolve(match);
      };
      waiting.add(check);
      check();
      const late = () => reject(new Error(`waited ${LIMIT_MS / 1000} s for ${pattern}\n${stdout}\n${stderr}`));
      setTimeout(late, LIMIT_MS).unref();
      void ended.then((code) =>
        reject(new Error(`The process ended with ${code} before ${pattern}.\n${stdout}\n${stderr}`)),
      );
    });
  return { child, output: () => ({ stdout, stderr }), saw, ended };
}

/** Starts `recollect serve` on any free port and resolves when it listens. */
export async function startServerProcess(env: Record<string, string>, args: readonly string[] = []) {
  const command = runCommand(["serve", "--port", "0", ...args], env);
  const [, url = ""] = await command.saw(/"url":"([^"]+)"/);
  return { ...command, url };
}

/** Sends one JSON request; with a key, as that key's holder. */
export async function callUrl<T>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
  more: Record<string, string> = {},
): Promise<{ status: number; body: T }> {
  const headers: Record<string, string> = {
    ...more,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(new URL(path, url), init);
  return { status: response.status, body: (await response.json()) as T };
}
