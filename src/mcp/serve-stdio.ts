import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

/**
 * Serves the Model Context Protocol on the process's standard input and output, which carry nothing
 * else. Resolves when the signal is aborted or the client closes its end, which is how a client
 * ends the server.
 */
export async function serveMcpOnStdio(
  memory: MemoryAccess,
  { input, output, signal, ...options }: McpServerOptions & { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(() => createMcpServer(memory, options), { transport });
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  await Promise.race([once(input, "end", { signal: either }), once(input, "close", { signal: either })]).catch(
    () => undefined,
  );
  ended.abort();
  await handle.close();
}
