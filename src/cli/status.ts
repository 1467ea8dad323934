import { agentPath, callApi } from "./api-client.ts";
import { fields } from "./call.ts";
import type { CliContext, RemoteOptions } from "./context.ts";

/** `recollect status`. */
export async function status(context: CliContext, options: RemoteOptions): Promise<number> {
  const connection = await context.connect(options);
  try {
    const answer = await callApi<Record<string, unknown>>(connection, "GET", agentPath(options.agent, "status"));
    context.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : fields(answer));
    return 0;
  } finally {
    await connection.close();
  }
}
