import type { AgentStatus } from "../../client/client.ts";
import { callAgent, fields } from "../shell/call.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";

/** `recollect status`. */
export function status(context: CliContext, options: RemoteOptions): Promise<number> {
  return callAgent(
    context,
    options,
    (memory) => memory.status(),
    (answer) => fields(shownOf(answer)),
  );
}

/** Nine kinds of jobs of which none is there are twenty-seven lines that say nothing. */
function shownOf({ jobs, ...rest }: Partial<AgentStatus>): object {
  if (!jobs) return rest;
  const some = Object.entries(jobs).filter(([, counts]) => Object.values(counts).some((count) => count > 0));
  return { ...rest, jobs: Object.fromEntries(some) };
}
