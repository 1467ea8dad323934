import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { originOf } from "../../src/cli/folder/origin-of.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import type { CliContext, Output } from "../../src/cli/shell/context.ts";
import { commandsOfFeatures } from "../../src/start/enabled-features.ts";
import { VERSION } from "../../src/start/version.ts";
import { type FakeApi, startFakeApi } from "./fake-api.ts";
import type { TestApp } from "./test-app.ts";

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface CliHarness {
  api: FakeApi;
  /** A temporary folder, the working directory of the commands. */
  folder: string;
  /** The origin of the folder's files. */
  origin: string;
  write(path: string, content: string | Buffer): void;
  run(argv: string[], overrides?: Partial<CliContext>): Promise<Ran>;
  /** The number of connections that were opened and not closed. */
  openConnections(): number;
  close(): Promise<void>;
}

/**
 * Returns a stream that collects the text of a command; by default the stream is not a terminal.
 */
export function captureOutput(isTTY = false): Output & { text: string } {
  const output = {
    text: "",
    isTTY,
    columns: 80,
    write: (text: string) => {
      output.text += text;
      return true;
    },
  };
  return output;
}

/** Starts the CLI in this process, on a fake API over HTTP and a real folder. */
export async function startCliHarness(): Promise<CliHarness> {
  const api = await startFakeApi();
  const folder = mkdtempSync(join(tmpdir(), "recollect-cli-"));
  let open = 0;
  const connect: CliContext["connect"] = async ({ url = api.url }) => {
    open++;
    return {
      fetch: (path, init) => fetch(new URL(path, url), init),
      close: async () => {
        open--;
      },
      description: url,
    };
  };
  return {
    api,
    folder,
    origin: await originOf(folder, ""),
    write: (path, content) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    run: (argv, overrides = {}) => runCaptured(argv, { connect, cwd: folder, ...overrides }),
    openConnections: () => open,
    close: async () => {
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns a function that runs the CLI in this process on a real app, as it works on an embedded
 * database. With a key it acts as the key's holder.
 */
export function cliOn(
  app: TestApp,
  key?: string,
  overrides: Partial<CliContext> = {},
): (...argv: string[]) => Promise<Ran> {
  const connect: CliContext["connect"] = async () => ({
    keyed: key !== undefined,
    fetch: async (path, init) => {
      const headers = new Headers(init?.headers);
      if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
      return app.runtime.app.request(path, { ...init, headers });
    },
    close: async () => undefined,
    description: "the app of this test",
  });
  return (...argv) => runCaptured(argv, { connect, ...overrides });
}

const NO_PROFILES: CliContext["profiles"] = {
  file: "",
  read: () => ({ profiles: [] }),
  write: () => {
    throw new Error("not expected");
  },
};

/** Returns the surroundings of a command. Parts that are not given must not be used. */
export function cliContext(given: Partial<CliContext> & Pick<CliContext, "stdout" | "stderr">): CliContext {
  const unexpected = () => Promise.reject(new Error("not expected"));
  return {
    connect: unexpected,
    serve: unexpected,
    work: unexpected,
    migrate: unexpected,
    cluster: unexpected,
    restoreAgent: unexpected,
    start: unexpected,
    serveMcp: unexpected,
    readInput: unexpected,
    input: () => {
      throw new Error("not expected");
    },
    profiles: NO_PROFILES,
    stopping: () => new AbortController().signal,
    cwd: tmpdir(),
    version: VERSION,
    colour: false,
    errorColour: false,
    ...given,
  };
}

/** Runs a command in this process and returns its output. */
export async function runCaptured(
  argv: readonly string[],
  given: Partial<CliContext>,
  features = commandsOfFeatures(),
): Promise<Ran> {
  const [stdout, stderr] = [captureOutput(), captureOutput()];
  const code = await runCli(argv, cliContext({ stdout, stderr, ...given }), features);
  return { code, out: stdout.text, err: stderr.text };
}
