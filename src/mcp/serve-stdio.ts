import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { once } from "../base/once.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import { resourceEvents } from "./change-events.ts";
import { createLineTransport } from "./line-transport.ts";
import { createMcpServer, type McpServerOptions } from "./mcp-server.ts";

/**
 * Serves the Model Context Protocol on the process's standard input and output, which carry nothing
 * else. Resolves when the signal is aborted, or when the client has closed its end, which is how a
 * client ends the server, and has its answers.
 */
export async function serveMcpOnStdio(
  memory: MemoryAccess,
  { input, output, signal, ...options }: McpServerOptions & { input: Readable; output: Writable; signal: AbortSignal },
): Promise<void> {
  const transport = createLineTransport(input, output);
  const ended = new AbortController();
  let server: Promise<Server> | undefined;
  const serve = (era: "legacy" | "modern") => {
    server = createMcpServer(memory, { ...options, subscribes: era === "modern" });
    return server;
  };
  const handle = serveStdio(({ era }) => serve(era), { transport });
  // A feed is a stream of the server, so it is opened for the first subscription only.
  transport.onlisten = once(() => void follow(memory, () => server, ended.signal));
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([transport.finished(), stopped]);
  ended.abort();
  await handle.close();
}

/** Passes changes on to the client's subscriptions, which the SDK keeps, until the feed ends. */
async function follow(
  memory: MemoryAccess,
  server: () => Promise<Server> | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const event of resourceEvents(memory, signal))
      if (event.kind === "resource_updated") await (await server())?.sendResourceUpdated({ uri: event.uri });
      else await (await server())?.sendResourceListChanged();
  } catch {
    // The feed could not be opened or has ended. Tools and resources are served without it.
  }
}
