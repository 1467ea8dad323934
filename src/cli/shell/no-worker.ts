import type { AgentStatus } from "../../client/client.ts";
import type { Output } from "./context.ts";

/** Says once of what a command waits for that nobody works on it. A server that is older than this command does not tell. */
export function createNoWorkerNotice(stderr: Output): (status: Pick<Partial<AgentStatus>, "workerAlive">) => void {
  let said = false;
  return ({ workerAlive = true }) => {
    if (workerAlive || said) return;
    said = true;
    stderr.write(
      "No worker runs, so what was sent waits: start one with `recollect worker`, or `recollect serve` without --no-worker. " +
        "It is stored; Ctrl-C ends the waiting only.\n",
    );
  };
}
