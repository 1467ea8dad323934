import { SingleBar } from "cli-progress";
import type { Output } from "./context.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** A progress bar on a terminal; nothing elsewhere: a pipe or a log is no place for what is over in a moment. */
export function startProgress(output: Output, label: string, total: number): Progress {
  if (total === 0 || !output.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    stream: output as unknown as NodeJS.WritableStream,
    format: `${label} {bar} {value}/{total} · {duration_formatted}`,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
  });
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}
