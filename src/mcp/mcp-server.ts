import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import type { ErrorCode } from "../base/errors.ts";
import type { MemoryAccess } from "../service/memory-access.ts";
import { describeFile, fileUriTemplate, MAX_RESOURCE_BYTES, mimeType, pathOfUri } from "./file-resources.ts";

/** What may be said of an error: its code, and a sentence with the remedy; never a stack trace or a cause. */
export interface ExplainedError {
  code: ErrorCode;
  text: string;
}

export interface McpServerOptions {
  version: string;
  explain(error: unknown): ExplainedError;
}

const PROMPT = { name: "memory_recall", title: "Memory Recall", description: "How and when to use the memory tools" };

/**
 * A server of the Model Context Protocol for one agent's memory: its tools, its files as resources, and the prompt section,
 * which is also the server's instructions. Built on the SDK's low-level server, since what is listed depends on the caller.
 */
export async function createMcpServer(memory: MemoryAccess, options: McpServerOptions): Promise<Server> {
  const { prompt } = await memory.offered();
  const instructions = prompt === "" ? "The memory of this agent is switched off; it offers no tools." : prompt;
  const server = new Server(
    { name: "recollect", title: "Recollect memory", version: options.version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions },
  );
  addTools(server, memory, options);
  addResources(server, memory, options);
  addPrompt(server, memory, options);
  return server;
}

function addTools(server: Server, memory: MemoryAccess, { explain }: McpServerOptions): void {
  server.setRequestHandler("tools/list", () =>
    orProtocolError(explain, async () => ({ tools: (await memory.offered()).tools })),
  );
  server.setRequestHandler("tools/call", async ({ params }): Promise<CallToolResult> => {
    try {
      const output = await memory.call(params.name, params.arguments ?? {});
      return { content: [{ type: "text", text: JSON.stringify(output) }], structuredContent: { ...output } };
    } catch (error) {
      const { code, text } = explain(error);
      if (code === "not_found") throw new ProtocolError(ProtocolErrorCode.InvalidParams, text);
      // An answer, not a protocol error: the model reads it and can do what it says.
      return { content: [{ type: "text", text }], isError: true };
    }
  });
}

function addResources(server: Server, memory: MemoryAccess, { explain }: McpServerOptions): void {
  server.setRequestHandler("resources/list", ({ params }) =>
    orProtocolError(explain, async () => {
      const { files, nextCursor } = await memory.files(params?.cursor).catch((error: unknown) => {
        // As with tools: what a key may not read is not listed for it.
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
        description: "`path` as in a search result, percent-encoded, with its slashes as they are",
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

/** Resources and prompts have no other way to fail than a protocol error; the SDK would quote a plain error's message. */
async function orProtocolError<T>(explain: McpServerOptions["explain"], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { code, text } = explain(error);
    const isOurs = code === "internal" || code.endsWith("_unavailable") || code === "service_unreachable";
    throw new ProtocolError(isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, text);
  }
}
