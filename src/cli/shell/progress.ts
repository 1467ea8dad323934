import type { Output } from "./context.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** How long work is before a log gets a line about it, and then another, in milliseconds. */
const LINE_EVERY_MS = 10_000;

interface Shown {
  /** A number of the work as people read it, such as bytes as megabytes. */
  show?: (done: number) => string;
  everyMs?: number;
}

/**
 * Says how far long work is, until it is stopped: a bar on a terminal; elsewhere a line every ten seconds, so that what takes
 * minutes does not look dead in a log, and what is over in a moment leaves no trace.
 *
 * @param total what `update` counts up to; undefined where nobody knows, then a terminal has lines too
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
  // Work that has ended is no reason to stay.
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
