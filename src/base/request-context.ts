import { AsyncLocalStorage } from "node:async_hooks";

/** The request or job that code runs for. It holds ids and counts only, since every log line has them. */
export interface RequestContext {
  /** Of the request, or of the one that the job came from. */
  readonly requestId?: string | undefined;
  readonly jobId?: string | undefined;
  /** Of the trace, when it is recorded. */
  traceId?: string | undefined;
  tenantId?: string | undefined;
  agentId?: string | undefined;
  /** Messages sent to the database so far. */
  statements: number;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `fn` in this context. Whatever it calls and awaits finds the context with `currentContext`. */
export function runInContext<T>(context: RequestContext, fn: () => T): T {
  return storage.run(context, fn);
}

/** Runs `fn` for the service itself: work that a request begins and that goes on after it. */
export function runOutsideContext<T>(fn: () => T): T {
  return storage.exit(fn);
}

/** The request or job that this code runs for; undefined at the start and in the service's own timers. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Adds the tenant and agent to the context once they are verified. Never what a caller merely claims: these go into logs. */
export function updateContext(known: Pick<RequestContext, "tenantId" | "agentId" | "traceId">): void {
  const context = storage.getStore();
  if (context) Object.assign(context, known);
}

/** The ids of the current context for a log line. */
export function contextIds(): Record<string, string | undefined> {
  const context = storage.getStore();
  if (!context) return {};
  const { requestId, jobId, traceId, tenantId, agentId } = context;
  return { requestId, jobId, traceId, tenantId, agentId };
}
