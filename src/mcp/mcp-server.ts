import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import type { ErrorCode } from "../base/errors.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import { modelView } from "../service/tools/model-view.ts";
import type { OfferedTools } from "../service/tools/offer-tools.ts";
import { MEMORY_TOOLS } from "../service/tools/tool-table.ts";
import { unavailableAnswer } from "../service/tools/unavailable-tool.ts";
import { describeFile, fileUriTemplate, MAX_RESOURCE_BYTES, mimeType, pathOfUri } from "./file-resources.ts";

/**
 * The part of an error that may be shown: its code, and a sentence with the remedy; never a stack
 * trace or a cause.
 */
export interface ExplainedError {
  code: ErrorCode;
  text: string;
}

export interface McpServerOptions {
  version: string;
  /**
   * Whether the client may subscribe to changes of resources, which the era of the protocol without a
   * handshake allows.
   */
  subscribes?: boolean | undefined;
  explain(error: unknown): ExplainedError;
}

const PROMPT = { name: "memory_recall", title: "Memory Recall", description: "How and when to use the memory tools" };

/**
 * Creates a server of the Model Context Protocol for one agent's memory: its tools, its files as
 * resources, and the prompt section, which is also the server's instructions. It uses the SDK's
 * low-level server, because the lists depend on the caller.
 */
export async function createMcpServer(memory: MemoryAccess, options: McpServerOptions): Promise<Server> {
  const { prompt } = await memory.offered();
  const instructions = prompt === "" ? "The memory of this agent is switched off; it offers no tools." : prompt;
  const server = new Server(
    { name: "recollect", title: "Recollect memory", version: options.version },
    { capabilities: { tools: {}, resources: resourceCapability(memory, options), prompts: {} }, instructions },
  );
  addTools(server, memory, options);
  addResources(server, memory, options);
  addPrompt(server, memory, options);
  return server;
}

function resourceCapability({ changes }: MemoryAccess, { subscribes = false }: McpServerOptions) {
  return subscribes && changes ? { listChanged: true, subscribe: true } : {};
}

/**
 * Adds the tools. An answer is sent once, as text, so no tool has an output schema. A client that
 * gets both text and structured content shows its model the text, the structure (Claude Code) or
 * both, so each of them would have to contain everything.
 */
function addTools(server: Server, memory: MemoryAccess, { explain }: McpServerOptions): void {
  server.setRequestHandler("tools/list", () =>
    orProtocolError(explain, async () => ({ tools: (await memory.offered()).tools.map(withoutOutput) })),
  );
  server.setRequestHandler("tools/call", async ({ params }): Promise<CallToolResult> => {
    const { arguments: given = {} } = params;
    const name = meantTool(params.name);
    if (!MEMORY_TOOLS.some((tool) => tool.name === name))
      await orProtocolError(explain, async () => requireTool(name, await memory.offered()));
    try {
      const output = await memory.call(name, given);
      const view = modelView(output, typeof given.query === "string" ? given.query : "");
      return { content: [{ type: "text", text: JSON.stringify(view) }] };
    } catch (error) {
      // The failure is an answer, not a protocol error: the model reads it and can act on it.
      const { code, text } = explain(error);
      const answer = unavailableAnswer(name, code);
      return answer
        ? { content: [{ type: "text", text: JSON.stringify(answer) }] }
        : { content: [{ type: "text", text }], isError: true };
    }
  });
}

/** Matches the name of a server before the name of its tool. */
const SERVER = /^[\w.:-]*[._:-]$/;

/**
 * Returns the tool that a name means: models write it in other letters, or with the name of the server
 * before it, as hosts show it (`mcp__recollect__memory_search`).
 */
function meantTool(name: string): string {
  if (name.length > MAX_NAME_CHARS) return name;
  const folded = name.toLowerCase();
  const meant = MEMORY_TOOLS.find((tool) => folded === tool.name || SERVER.test(before(folded, tool.name)));
  return meant?.name ?? name;
}

/** Returns what stands before the end of a text; "" if the text does not end in this way. */
function before(text: string, end: string): string {
  return text.endsWith(end) ? text.slice(0, -end.length) : "";
}

/**
 * Removes a tool's output schema. An older server, reached over its API, still sends one, and a
 * tool that declares a schema must also return structured output that fits it.
 */
function withoutOutput<T extends object>(tool: T): T {
  const { outputSchema: _, ...rest } = tool as T & { outputSchema?: unknown };
  return rest as T;
}

/**
 * The most characters of an unknown tool's name that an error quotes. The client chooses the name,
 * and the error may end up in a log.
 */
const MAX_NAME_CHARS = 64;

/**
 * Refuses a name that no tool has, here or on a newer server.
 *
 * @throws ProtocolError that names the existing tools
 */
function requireTool(name: string, { tools }: OfferedTools): void {
  const names = tools.map((tool) => tool.name);
  if (names.includes(name)) return;
  const there =
    names.length === 0 ? "this agent's memory is switched off and has none" : `the tools are ${names.join(", ")}`;
  const shown = JSON.stringify(name.slice(0, MAX_NAME_CHARS).toWellFormed());
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${shown}; ${there}.`);
}

function addResources(server: Server, memory: MemoryAccess, { explain }: McpServerOptions): void {
  server.setRequestHandler("resources/list", ({ params }) =>
    orProtocolError(explain, async () => {
      const { files, nextCursor } = await memory.files(params?.cursor).catch((error: unknown) => {
        // As with tools: files that a key may not read are not listed for it.
        if (explain(error).code === "forbidden") return { files: [], nextCursor: undefined };
        throw error;
      });
      const resources = files.map((file) => describeFile(memory, file));
      return { resources, ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
  );
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: [
      {
        uriTemplate: fileUriTemplate(memory.agentId),
        name: "file",
        title: "A file of the agent's memory",
        description: "`path` as in a search result, percent-encoded except for its slashes",
      },
    ],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) =>
    orProtocolError(explain, async () => {
      const path = pathOfUri(memory.agentId, uri);
      if (path === undefined) throw new ResourceNotFoundError(uri);
      const { content, size } = await memory.file(path).catch((error: unknown) => {
        throw explain(error).code === "file_not_found" ? new ResourceNotFoundError(uri) : error;
      });
      if (size > MAX_RESOURCE_BYTES)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `The file has ${size} bytes; a resource has at most ${MAX_RESOURCE_BYTES}. Read it in parts with memory_get.`,
        );
      return { contents: [{ uri, mimeType: mimeType(path), text: content }] };
    }),
  );
}

function addPrompt(server: Server, memory: MemoryAccess, { explain }: McpServerOptions): void {
  server.setRequestHandler("prompts/list", () =>
    orProtocolError(explain, async () => ({ prompts: (await memory.offered()).prompt === "" ? [] : [PROMPT] })),
  );
  server.setRequestHandler("prompts/get", ({ params }) =>
    orProtocolError(explain, async () => {
      const { prompt } = await memory.offered();
      if (params.name !== PROMPT.name || prompt === "")
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          "There is no such prompt; list the prompts to see them.",
        );
      const message = { role: "user" as const, content: { type: "text" as const, text: prompt } };
      return { description: PROMPT.description, messages: [message] };
    }),
  );
}

/**
 * Turns any error into a protocol error. Resources and prompts have no other way to fail, and the
 * SDK would quote a plain error's message.
 */
async function orProtocolError<T>(explain: McpServerOptions["explain"], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { code, text } = explain(error);
    const isOurs =
      code === "internal" ||
      code.startsWith("database_") ||
      code.endsWith("_unavailable") ||
      code === "service_unreachable";
    throw new ProtocolError(isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, text);
  }
}
