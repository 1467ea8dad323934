import { createMcpHandler } from "@modelcontextprotocol/server";
import { describeFault } from "../base/describe-fault.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import { createMcpServer, type ExplainedError } from "./mcp-server.ts";

/** An HTTP request that has been authorised, with what it takes to answer it. */
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
 * The Model Context Protocol over streamable HTTP, stateless: each request is answered by a server of its own, so any process
 * can answer the next one, and nothing outlives a key that was revoked. Both eras of the protocol are spoken: 2026-07-28, and
 * those that begin with `initialize`. Origin, host and key are the HTTP edge's business and were checked before.
 */
export function createMcpEndpoint({ version, logger }: { version: string; logger: Logger }): McpEndpoint {
  // The SDK makes a server for each request and knows of us only the request itself.
  const underWay = new WeakMap<Request, McpRequest>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const given = requestInfo && underWay.get(requestInfo);
      if (!given) throw new AppError("internal", "The SDK asks for a server for a request that it was not given.");
      return createMcpServer(given.memory, { version, explain: given.explain });
    },
    {
      // Nothing of ours changes in a way that clients are told of, so no stream has to be held open.
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
