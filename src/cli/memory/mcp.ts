import { AppError } from "../../base/errors.ts";
import type { MemoryAccess } from "../../service/tools/memory-access.ts";
import type { OfferedTools } from "../../service/tools/offer-tools.ts";
import { agentPath, callApi } from "../shell/api-client.ts";
import type { CliContext, Connection } from "../shell/context.ts";

/**
 * `recollect mcp`: serves an agent's memory on standard input and output, until the client closes its end or Ctrl-C. The memory
 * is that of the server or the embedded database that every other command would use.
 */
export async function mcp(
  context: CliContext,
  options: { agent: string; url?: string; profile?: string },
): Promise<number> {
  const connection = await context.connect(options);
  try {
    const memory = memoryOver(connection, options.agent);
    // Once before serving: a wrong key or agent is then said where its reader looks, in the client's log of this process.
    await memory.offered();
    await context.serveMcp(memory, { explain, signal: context.stopping() });
    return 0;
  } finally {
    await connection.close();
  }
}

/** An agent's memory over the HTTP API. */
function memoryOver(connection: Connection, agentId: string): MemoryAccess {
  const offered = () => callApi<OfferedTools>(connection, "GET", agentPath(agentId, "tools?format=mcp"));
  return {
    agentId,
    offered,
    call: async (name, input) => {
      const tool = (await offered()).tools.find((one) => one.name === name);
      const repeatable = tool === undefined || tool.annotations.readOnlyHint || tool.annotations.idempotentHint;
      return callApi(connection, "POST", agentPath(agentId, `tools/${encodeURIComponent(name)}`), input, {
        repeatable,
      });
    },
    files: (cursor) => callApi(connection, "GET", agentPath(agentId, `files${query({ cursor })}`)),
    file: (path) =>
      callApi(connection, "GET", agentPath(agentId, `files/${path.split("/").map(encodeURIComponent).join("/")}`)),
  };
}

function query(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** What the client is told of an error; those of the API have passed its own edge. */
function explain(error: unknown) {
  if (!(error instanceof AppError))
    return { code: "internal" as const, text: "Something went wrong in `recollect mcp`. (internal)" };
  const requestId = error.code === "internal" ? error.details?.requestId : undefined;
  const where = typeof requestId === "string" ? `, request ${requestId}` : "";
  return { code: error.code, text: `${error.message} (${error.code}${where})` };
}
