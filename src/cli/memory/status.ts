import { agentPath, callApi } from "../shell/api-client.ts";
import { fields } from "../shell/call.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";

interface Status {
  jobs?: Record<string, Record<string, number>>;
}

/** `recollect status`. */
export async function status(context: CliContext, options: RemoteOptions): Promise<number> {
  const connection = await context.connect(options);
  try {
    const answer = await callApi<Status>(connection, "GET", agentPath(options.agent, "status"));
    context.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : fields(shownOf(answer)));
    return 0;
  } finally {
    await connection.close();
  }
}

/** Nine kinds of jobs of which none is there are twenty-seven lines that say nothing. */
function shownOf({ jobs, ...rest }: Status): object {
  if (!jobs) return rest;
  const some = Object.entries(jobs).filter(([, counts]) => Object.values(counts).some((count) => count > 0));
  return { ...rest, jobs: Object.fromEntries(some) };
}
