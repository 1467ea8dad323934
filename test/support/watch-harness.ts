import type { WatchReport } from "../../src/cli/folder/watch-report.ts";
import type { CliContext } from "../../src/cli/shell/context.ts";
import { type CliHarness, captureOutput } from "./cli-harness.ts";
import { until } from "./until.ts";

export interface Watching {
  /** Returns the reports so far, with `--json`. */
  said(): WatchReport[];
  /** Waits for a report with this name and returns the last one. */
  saw<Name extends WatchReport["event"]>(name: Name): Promise<Extract<WatchReport, { event: Name }>>;
  out(): string;
  err(): string;
  /** Stops the command like Ctrl-C; resolves to the exit code. */
  stop(): Promise<number>;
  ended: Promise<number>;
}

/**
 * Runs `recollect watch .` in the harness's folder until it is stopped; resolves when the first
 * comparison is done.
 */
export async function startWatch(cli: CliHarness, ...argv: string[]): Promise<Watching> {
  const watching = beginWatch(cli, ["--json", "--debounce", "100", ...argv]);
  await Promise.race([watching.saw("synced"), watching.ended]);
  return watching;
}

/** Starts the same command without waiting, and with the given arguments and kind of output. */
export function beginWatch(cli: CliHarness, argv: string[], isTTY = false): Watching {
  const controller = new AbortController();
  const [stdout, stderr] = [captureOutput(isTTY), captureOutput(isTTY)];
  const overrides: Partial<CliContext> = { stdout, stderr, stopping: () => controller.signal };
  const ended = cli.run(["watch", ".", ...argv], overrides).then((ran) => ran.code);
  const said = () => {
    const lines = stdout.text.split("\n").filter((line) => line.startsWith("{"));
    return lines.map((line) => JSON.parse(line) as WatchReport);
  };
  return {
    said,
    saw: async (name) => {
      const find = () => said().findLast((report) => report.event === name);
      await until(
        () => find() !== undefined,
        () => `${name} in ${stdout.text}${stderr.text}`,
      );
      return find() as never;
    },
    out: () => stdout.text,
    err: () => stderr.text,
    stop: () => {
      controller.abort();
      return ended;
    },
    ended,
  };
}
