import { SingleBar } from "cli-progress";
import type { Output } from "./context.ts";

export interface Progress {
  update(done: number): void;
  stop(): void;
}

/** A progress bar on a terminal; elsewhere a plain line at each quarter, so that a log shows life without filling up. */
export function startProgress(output: Output, label: string, total: number): Progress {
  if (total === 0) return { update: () => undefined, stop: () => undefined };
  if (!output.isTTY) return plainLines(output, label, total);
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

function plainLines(output: Output, label: string, total: number): Progress {
  let written = 0;
  const update = (done: number) => {
    const quarter = Math.floor((done * 4) / total);
    if (quarter <= written) return;
    written = quarter;
    output.write(`${label} ${done}/${total}\n`);
  };
  return { update, stop: () => undefined };
}
