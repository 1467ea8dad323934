import type { Command } from "commander";
import type { ErrorCode } from "../../base/errors.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { MemoryAccess } from "../../service/tools/memory-access.ts";
import type { OfferedTools } from "../../service/tools/offer-tools.ts";
import { type Service, withMemory } from "../shell/connected.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { agentId, userName } from "../shell/option-parsers.ts";
import { codeOf, sentenceOf } from "../shell/problem.ts";
import { AGENT_OPTION, connecting, type Run } from "../shell/shared-options.ts";

interface McpOptions extends RemoteOptions {
  user?: string;
}

/** Adds the command `recollect mcp`. */
export function addMcp(program: Command, context: CliContext, run: Run): void {
  const command = program.command("mcp").option("--agent <id>", AGENT_OPTION, agentId);
  connecting(
    command.option("--user <id>", "the user for whom the tools store, unless the model names a scope", userName),
  )
    .summary("serve a memory to an MCP client (Claude, Cursor, …)")
    .description("serve an agent's memory to an MCP client, on standard input and output")
    .addHelpText(
      ...guide(
        [
          "recollect mcp",
          "recollect mcp --user owner",
          "recollect mcp --agent support --url http://memory.example:7420",
        ],
        "recollect search, to see what the client would find",
        `The client starts this command; the client's configuration names the command and its environment. With RECOLLECT_URL and
RECOLLECT_API_KEY the command uses a server, which also serves the protocol itself at /v1/agents/<id>/mcp.`,
      ),
    )
    .action((options: McpOptions) => run(serve(context, options)));
}

/**
 * Serves an agent's memory on standard input and output until the client closes its end or the user
 * presses Ctrl-C. It uses the same server or embedded database as every other command.
 */
function serve(context: CliContext, options: McpOptions): Promise<number> {
  return withMemory(context, { ...options, ifMissing: "create" }, async (memory, service) => {
    const access = accessTo(memory, service, options.user, (text) => context.stderr.write(`${text}\n`));
    // One call before serving makes a wrong key or agent fail at once. The client then shows the
    // error in its log of this process, where its user looks. A server that is not up yet is no
    // failure: the client may start with the computer, before the server.
    await access.offered();
    await context.serveMcp(access, { explain, signal: context.stopping() });
    return 0;
  });
}

/**
 * Creates the access to an agent's memory over the HTTP API.
 *
 * @param user the user for whom tools store; undefined: everybody
 * @param tell writes a line for the user of the client, who sees it in the log of this process
 */
function accessTo(
  memory: AgentClient,
  { client }: Service,
  user: string | undefined,
  tell: (text: string) => void,
): MemoryAccess {
  let isTold = false;
  const tools = async () => (await memory.tools("mcp")) as unknown as OfferedTools;
  const offered = async () => {
    try {
      return await tools();
    } catch (error) {
      if (codeOf(error) !== "service_unreachable") throw error;
      if (!isTold) tell(sentenceOf(error));
      isTold = true;
      const { documentedTools } = await import("../../service/tools/unavailable-tool.ts");
      return documentedTools();
    }
  };
  return {
    agentId: memory.id,
    offered,
    call: async (name, input) => {
      const tool = (await tools()).tools.find((one) => one.name === name);
      const isHarmless = tool === undefined || tool.annotations.readOnlyHint || tool.annotations.idempotentHint;
      const forUser = user === undefined || tool?.annotations.readOnlyHint ? "" : `?user=${encodeURIComponent(user)}`;
      const path = `/v1/agents/${encodeURIComponent(memory.id)}/tools/${encodeURIComponent(name)}${forUser}`;
      return client.request("POST", path, {
        body: input,
        isOfModel: true,
        repeat: isHarmless ? "always" : "if not done",
      });
    },
    files: (cursor) => memory.files.list({ cursor }) as ReturnType<MemoryAccess["files"]>,
    file: (path) => memory.files.get(path),
    changes: (signal) => changesOf(memory, signal),
  };
}

async function* changesOf(memory: AgentClient, signal: AbortSignal) {
  try {
    for await (const { changes } of memory.watchChanges({ since: new Date().toISOString(), signal })) yield changes;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Returns the code and text of an error for the client. The texts of API errors are already meant
 * for clients.
 */
function explain(error: unknown): { code: ErrorCode; text: string } {
  const code = codeOf(error);
  if (code === undefined) return { code: "internal", text: "Something went wrong in `recollect mcp`. (internal)" };
  return { code, text: sentenceOf(error) };
}
