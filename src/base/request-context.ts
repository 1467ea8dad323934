import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The request or job that code runs for. It holds only ids and counts, because its ids are in every
 * log line.
 */
export interface RequestContext {
  /** The id of the request, or of the request that the job came from. */
  readonly requestId?: string | undefined;
  readonly jobId?: string | undefined;
  /** The id of the trace, when the trace is recorded. */
  traceId?: string | undefined;
  tenantId?: string | undefined;
  agentId?: string | undefined;
  /** Messages sent to the database so far. */
  statements: number;
}

const storage = new AsyncLocalStorage<RequestContext>();

/**
 * Runs `fn` in this context. All code that `fn` calls and awaits finds the context with
 * `currentContext`.
 */
export function runInContext<T>(context: RequestContext, fn: () => T): T {
  return storage.run(context, fn);
}

/**
 * Runs `fn` without a context, for work of the service itself that a request begins and that goes
 * on after the request.
 */
export function runOutsideContext<T>(fn: () => T): T {
  return storage.exit(fn);
}

/**
 * Returns the request or job that this code runs for; undefined at the start and in the service's
 * own timers.
 */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/**
 * Adds the tenant and agent to the context once they are verified. Ids that a caller merely claims
 * must not be added, because they go into logs.
 */
export function updateContext(known: Pick<RequestContext, "tenantId" | "agentId" | "traceId">): void {
  const context = storage.getStore();
  if (context) Object.assign(context, known);
}

/** Returns the ids of the current context for a log line. */
export function contextIds(): Record<string, string | undefined> {
  const context = storage.getStore();
  if (!context) return {};
  const { requestId, jobId, traceId, tenantId, agentId } = context;
  return { requestId, jobId, traceId, tenantId, agentId };
}
