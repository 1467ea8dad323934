import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { requestId } from "hono/request-id";
import { AppError } from "../base/errors.ts";
import { invalidRequest } from "../service/tools/define-tool.ts";
import { MEMORY_TOOLS } from "../service/tools/tool-table.ts";
import { discardRest } from "./body/discard-rest.ts";
import { serveConsole } from "./console.ts";
import type { App, AppEnv, HttpDeps } from "./context.ts";
import { errorExamples } from "./error-responses.ts";
import { answerUnavailable } from "./middleware/answer-unavailable.ts";
import { authentication } from "./middleware/authentication.ts";
import { crossOrigin } from "./middleware/cross-origin.ts";
import { endHeadBody } from "./middleware/head-requests.ts";
import { observeRequests } from "./middleware/observe-requests.ts";
import { stateVersion } from "./middleware/state-version.ts";
import { wellFormedHost, wellFormedUrl } from "./middleware/well-formed-url.ts";
import { serveReference } from "./reference.ts";
import { registerRoutes } from "./register-routes.ts";
import { renderError } from "./render-error.ts";

/**
 * The most characters of a request id that a client chooses. The id is written to the log and to
 * the jobs that the request starts.
 */
const MAX_REQUEST_ID = 128;

/**
 * Assembles the HTTP API. It does not listen or start anything, so tests and the CLI call it
 * in-process.
 */
export function buildApp(deps: HttpDeps): App {
  const app: App = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidRequest(result.error.issues);
    },
  });
  app.use(requestId({ limitLength: MAX_REQUEST_ID }));
  app.use(stateVersion(deps.service.version));
  app.use(endHeadBody);
  app.use(discardRest);
  app.use(observeRequests(deps));
  app.use(wellFormedHost);
  if (deps.corsOrigins.length > 0) app.use(crossOrigin(deps.corsOrigins));
  // Authentication runs before any body is read, and so do the checks of scope and agent
  // (route.ts): a caller without access cannot make the server parse anything.
  app.use("/v1/*", authentication(deps));
  app.use("/v1/*", wellFormedUrl);
  app.onError(async (error, c) => (await answerUnavailable(deps, error, c)) ?? renderError(error, c, deps.logger));
  app.notFound((c) => renderError(noRoute(app, c, deps.off), c, deps.logger));
  registerRoutes(app, deps);
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description:
      "An API key, `rcl_…`. Its scope `admin` includes every scope, `tenant` every scope but `admin`, and `agent:read` " +
      "includes `search`. A key with the scope `admin` selects a tenant with the header `Recollect-Tenant: <id>`.",
  });
  for (const [code, example] of errorExamples()) app.openAPIRegistry.registerComponent("examples", code, example);
  serveReference(app, deps.readReference, deps.service.version);
  serveConsole(app, deps.readConsole, deps.service.version);
  return app;
}

const METHODS = ["GET", "PUT", "POST", "PATCH", "DELETE"];

/** Returns the end of the sentence about a missing route. For a tool it names the tools, because a model may misspell a name. */
function missingAt(path: string, off: readonly string[]): string {
  if (!/\/tools\/[^/]+$/.test(path)) return `route; see the API reference.${switchedOff(path, off)}`;
  return `tool; the tools are ${MEMORY_TOOLS.map(({ name }) => name).join(", ")}.${switchedOff(path, off)}`;
}

/**
 * Returns a sentence that names the features to which a missing route may belong. Their routes are
 * known only to their services, which are not loaded.
 */
function switchedOff(path: string, off: readonly string[]): string {
  if (off.length === 0 || !path.startsWith("/v1/")) return "";
  return ` Features that are switched off on this server (RECOLLECT_FEATURES): ${off.join(", ")}.`;
}

/**
 * Returns the error of a request that no route takes. If its path has other methods, they stand in
 * `Allow`.
 *
 * @param off the names of the features that are switched off
 */
function noRoute(app: App, c: Context<AppEnv>, off: readonly string[]): AppError {
  const allowed = METHODS.filter((method) => {
    const [matches] = app.router.match(method, c.req.path);
    // Middleware matches every method, and its method is `ALL`.
    return matches.some(([[, route]]) => route.method === method);
  });
  if (allowed.length === 0) return new AppError("not_found", `There is no such ${missingAt(c.req.path, off)}`);
  // Every path that has GET has HEAD.
  const methods = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : method)).join(", ");
  c.header("Allow", methods);
  return new AppError(
    "method_not_allowed",
    `This path has no ${c.req.method}. Use ${methods}.${switchedOff(c.req.path, off)}`,
  );
}
