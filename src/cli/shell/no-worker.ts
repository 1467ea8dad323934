import type { AgentStatus } from "../../client/client.ts";
import type { Output } from "./context.ts";

/**
 * Returns a function that reports once that the command waits for work that no worker does. A
 * server that is older than this command does not send `workerAlive`; then nothing is reported.
 */
export function createNoWorkerNotice(stderr: Output): (status: Pick<Partial<AgentStatus>, "workerAlive">) => void {
  let said = false;
  return ({ workerAlive = true }) => {
    if (workerAlive || said) return;
    said = true;
    stderr.write(
      "No worker runs, so the data waits to be indexed: start one with `recollect worker`, or `recollect serve` without --no-worker. " +
        "The data is stored; Ctrl-C ends only the waiting.\n",
    );
  };
}
