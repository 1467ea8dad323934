import { createMcpHandler } from "@modelcontextprotocol/server";
import { describeFault } from "../base/describe-fault.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import { createMcpServer, type ExplainedError } from "./mcp-server.ts";

/** An authorised HTTP request, with everything that is needed to answer it. */
export interface McpRequest {
  request: Request;
  /** The parsed body; undefined without one. */
  body: unknown;
  memory: MemoryAccess;
  explain(error: unknown): ExplainedError;
}

export interface McpEndpoint {
  answer(given: McpRequest): Promise<Response>;
  /** Ends the requests under way. */
  close(): Promise<void>;
}

/**
 * Serves the Model Context Protocol over streamable HTTP, stateless. Each request is answered by
 * its own server object, so any process can answer the next one, and no state outlives a revoked
 * key. Both eras of the protocol are supported: 2026-07-28, and the older versions that begin with
 * `initialize`. The HTTP edge has already checked origin, host and key.
 */
export function createMcpEndpoint({ version, logger }: { version: string; logger: Logger }): McpEndpoint {
  // The SDK makes a server for each request, and passes only the request itself to this code.
  const underWay = new WeakMap<Request, McpRequest>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const given = requestInfo && underWay.get(requestInfo);
      if (!given) throw new AppError("internal", "The SDK asks for a server for a request that it was not given.");
      return createMcpServer(given.memory, { version, explain: given.explain });
    },
    {
      // The server sends no notifications of changes, so no stream has to be held open.
      maxSubscriptions: 0,
      onerror: (error) => logger.debug({ err: describeFault(error) }, "an MCP request was refused"),
    },
  );
  return {
    answer: (given) => {
      underWay.set(given.request, given);
      return handler.fetch(given.request, given.body === undefined ? {} : { parsedBody: given.body });
    },
    close: () => handler.close(),
  };
}
