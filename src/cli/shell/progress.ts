import type { Output } from "./context.ts";
import { countText } from "./size.ts";

export interface Progress {
  /** @param note shown beside the amount, such as the number of chunks that the files have */
  update(done: number, note?: string): void;
  stop(): void;
}

/**
 * How long work takes before a log gets a line about it, and then between two lines, in
 * milliseconds.
 */
const LINE_EVERY_MS = 10_000;

/** The least time, in milliseconds, that an estimate is based on. */
const ESTIMATE_AFTER_MS = 3000;

interface Shown {
  /** Formats an amount of work for a reader, such as bytes as megabytes. */
  show?: (done: number) => string;
  /** The name of the counted things, such as `files`. */
  unit?: string;
  everyMs?: number;
}

/**
 * Reports the progress of long work until it is stopped. A terminal gets a bar. Any other output
 * gets a line every ten seconds, so that work of minutes does not look dead in a log, and short
 * work leaves no trace.
 *
 * @param total the number that `update` counts up to; undefined if it is unknown, and then a
 *   terminal gets lines too
 */
export async function startProgress(
  output: Output,
  label: string,
  total: number | undefined,
  { show = countText, unit = "", everyMs = LINE_EVERY_MS }: Shown = {},
): Promise<Progress> {
  if (total === 0) return { update: () => undefined, stop: () => undefined };
  const startedAt = performance.now();
  /** The amount that was done before this work began, such as the part of an interrupted upload. */
  let before: number | undefined;
  let done = 0;
  let note = "";
  const rest = () => {
    const elapsedMs = performance.now() - startedAt;
    const left = total === undefined ? undefined : timeLeft(done - (before ?? 0), total - done, elapsedMs);
    return { seconds: Math.round(elapsedMs / 1000), left: left === undefined ? "" : `about ${left} left` };
  };
  const take = (now: number, its = "") => {
    before ??= now;
    done = now;
    note = its;
  };
  if (output.isTTY && total !== undefined) {
    const bar = await startBar(output, [label, unit], total, show);
    const draw = () => bar.update(done, { rest: [note, rest().left].filter(Boolean).join(" · ") });
    const update = (now: number, its?: string) => {
      take(now, its);
      draw();
    };
    return { update, stop: () => bar.stop() };
  }
  const timer = setInterval(() => {
    const far = total === undefined ? show(done) : `${show(done)}/${show(total)}`;
    const { seconds, left } = rest();
    const head = [label, far, far && unit].filter(Boolean).join(" ");
    output.write(`${[head, note, `${seconds} s`, left].filter(Boolean).join(" · ")}\n`);
  }, everyMs);
  // The timer must not keep the process running after the work has ended.
  timer.unref();
  return { update: take, stop: () => clearInterval(timer) };
}

/**
 * Estimates from the speed until now how long the rest of the work takes, for a reader: `40 s`,
 * `12 min`, `3 h`. Returns undefined while too little is done.
 *
 * @param done the amount that was done in `elapsedMs`
 */
export function timeLeft(done: number, left: number, elapsedMs: number): string | undefined {
  if (done <= 0 || left <= 0 || elapsedMs < ESTIMATE_AFTER_MS) return undefined;
  const seconds = (left * elapsedMs) / done / 1000;
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = seconds / 60;
  return minutes < 90 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}

async function startBar(
  output: Output,
  [label, unit]: [string, string],
  total: number,
  show: (done: number) => string,
) {
  const { SingleBar } = (await import("cli-progress")).default;
  const bar = new SingleBar({
    stream: output as unknown as NodeJS.WritableStream,
    format: `${label} {bar} {value}/{total}${unit && ` ${unit}`} · {duration_formatted} {rest}`,
    formatValue: (value, _options, type) => (type === "value" || type === "total" ? show(value) : String(value)),
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
  });
  bar.start(total, 0, { rest: "" });
  return bar;
}
