import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { type RequestContext, runInContext } from "../../base/request-context.ts";
import { inSpan } from "../../observe/trace.ts";
import type { AppEnv, HttpDeps } from "../context.ts";

type Context = Parameters<Parameters<typeof createMiddleware<AppEnv>>[0]>[0];

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Makes each request a separate piece of work with one line in the log, an entry in the metrics,
 * and a span, which continues the caller's trace if the request has a `traceparent`. Of the URL
 * only the route's pattern is recorded, because a path names files.
 */
export function observeRequests({ logger, service: { metrics } }: HttpDeps) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const begun = performance.now();
    const work: RequestContext = { requestId: c.get("requestId"), statements: 0 };
    const method = METHODS.has(c.req.method) ? c.req.method : "OTHER";
    const options = { role: "server" as const, parent: c.req.header("traceparent") };
    await runInContext(work, () =>
      inSpan(method, options, async (span) => {
        if (span.isRecording()) work.traceId = span.spanContext().traceId;
        await next();
        const route = routeOf(c);
        const { status } = c.res;
        const ms = performance.now() - begun;
        const { tenantId, statements } = work;
        metrics.requests.observe({ method, route, status }, ms / 1000);
        if (tenantId !== undefined) metrics.tenantRequests.inc({ tenant: metrics.tenantLabel(tenantId) });
        // Probes arrive every few seconds, so they are logged at `debug`.
        const level = route.startsWith("/health/") ? "debug" : "info";
        logger[level]({ method, route, status, ms: Math.round(ms * 10) / 10, statements }, "request");
        if (!span.isRecording()) return;
        span.updateName(`${method} ${route}`);
        span.setAttributes({ "http.request.method": method, "http.route": route, "http.response.status_code": status });
        span.setAttributes({ "recollect.request_id": work.requestId, "recollect.statements": statements });
        span.setAttributes({ "recollect.tenant_id": tenantId, "recollect.agent_id": work.agentId });
      }),
    );
  });
}

/**
 * Returns the pattern of the route that answers, also when middleware refused the request before
 * it. A pattern of middleware alone does not count.
 */
function routeOf(c: Context): string {
  const path = matchedRoutes(c).at(-1)?.path ?? "*";
  return path.endsWith("*") ? "unmatched" : path;
}
