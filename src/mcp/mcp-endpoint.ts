import { createMcpHandler, type ServerEventBus } from "@modelcontextprotocol/server";
import { describeFault } from "../base/describe-fault.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { isObject } from "../base/objects.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import { acceptingBoth, formOf, inForm } from "./answer-form.ts";
import { resourceEvents } from "./change-events.ts";
import { createMcpServer, type ExplainedError } from "./mcp-server.ts";
import { messageAsMeant } from "./message-as-meant.ts";
import { type PacedStream, paced } from "./paced-stream.ts";

/** The request that opens a stream of changes. */
const SUBSCRIBE = "subscriptions/listen";
/** A stream of changes ends after this time, and the client subscribes again. */
const LONGEST_SUBSCRIPTION_MS = 300_000;

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
  const onerror = (error: unknown) => logger.debug({ err: describeFault(error) }, "an MCP request was refused");
  const handler = createMcpHandler(
    ({ requestInfo, era }) => {
      const given = requestInfo && underWay.get(requestInfo);
      if (!given) throw new AppError("internal", "The SDK asks for a server for a request that it was not given.");
      return createMcpServer(given.memory, { version, explain: given.explain, subscribes: era === "modern" });
    },
    { maxSubscriptions: 0, onerror },
  );
  const subscriptions = new Set<{ close(): Promise<void> }>();
  /**
   * Answers a subscription by a handler of its own, since the SDK's source of events is one for each
   * handler, and events are of one agent. The SDK keeps each event until it is read, so an event is
   * passed on only when the client has read those before.
   */
  const subscribe = async (request: Request, { body, memory, explain }: McpRequest) => {
    const ended = new AbortController();
    const opened = Promise.withResolvers<PacedStream>();
    const bus: ServerEventBus = {
      subscribe: (listener) => {
        subscriptions.add(own);
        const end = setTimeout(() => ended.abort(), LONGEST_SUBSCRIPTION_MS).unref();
        const pump = async () => {
          const stream = await opened.promise;
          for await (const event of resourceEvents(memory, ended.signal)) {
            await stream.isWanted();
            if (ended.signal.aborted) return;
            listener(event);
          }
        };
        // A refusal, for example because the key was revoked, ends the stream.
        void pump()
          .catch(onerror)
          .finally(() => own.close());
        return () => {
          clearTimeout(end);
          ended.abort();
          subscriptions.delete(own);
        };
      },
      publish: () => undefined,
    };
    const own = createMcpHandler(() => createMcpServer(memory, { version, explain, subscribes: true }), {
      bus,
      maxSubscriptions: 1,
      onerror,
    });
    const response = await own.fetch(request, { parsedBody: body });
    if (response.body === null) return response;
    const stream = paced(response.body, ended.signal);
    opened.resolve(stream);
    return new Response(stream.body, response);
  };
  return {
    answer: async (given) => {
      const request = acceptingBoth(given.request);
      underWay.set(request, given);
      const body = messageAsMeant(given.body);
      if (isObject(body) && body.method === SUBSCRIBE) return subscribe(request, { ...given, body });
      const response = await handler.fetch(request, body === undefined ? {} : { parsedBody: body });
      return inForm(response, formOf(given.request.headers.get("accept")));
    },
    close: async () => {
      await Promise.all([handler, ...subscriptions].map((one) => one.close()));
    },
  };
}
