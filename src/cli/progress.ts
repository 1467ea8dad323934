import { SingleBar } from "cli-progress";
import type { Output } from "./context.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** A progress bar on a terminal; elsewhere nothing, since a log file has no use for one. */
export function startProgress(output: Output, label: string, total: number): Progress {
  if (!output.isTTY || total === 0) return { update: () => undefined, stop: () => undefined };
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
