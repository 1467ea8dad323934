import type { Output } from "./context.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/**
 * How long work takes before a log gets a line about it, and then between two lines, in
 * milliseconds.
 */
const LINE_EVERY_MS = 10_000;

interface Shown {
  /** Formats an amount of work for a reader, such as bytes as megabytes. */
  show?: (done: number) => string;
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
  { show = String, everyMs = LINE_EVERY_MS }: Shown = {},
): Promise<Progress> {
  if (total === 0) return { update: () => undefined, stop: () => undefined };
  if (output.isTTY && total !== undefined) return startBar(output, label, total, show);
  const startedAt = performance.now();
  let done = 0;
  const timer = setInterval(() => {
    const far = total === undefined ? show(done) : `${show(done)}/${show(total)}`;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    output.write(`${[label, far].filter(Boolean).join(" ")} · ${seconds} s\n`);
  }, everyMs);
  // The timer must not keep the process running after the work has ended.
  timer.unref();
  return {
    update: (now) => {
      done = now;
    },
    stop: () => clearInterval(timer),
  };
}

async function startBar(
  output: Output,
  label: string,
  total: number,
  show: (done: number) => string,
): Promise<Progress> {
  const { SingleBar } = (await import("cli-progress")).default;
  const bar = new SingleBar({
    stream: output as unknown as NodeJS.WritableStream,
    format: `${label} {bar} {value}/{total} · {duration_formatted}`,
    formatValue: (value, _options, type) => (type === "value" || type === "total" ? show(value) : String(value)),
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
  });
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}
