import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { requestId } from "hono/request-id";
import { AppError } from "../base/errors.ts";
import { invalidRequest } from "../service/tools/define-tool.ts";
import type { App, AppEnv, HttpDeps } from "./context.ts";
import { type ApiDocument, describeApi } from "./describe-api.ts";
import { authentication } from "./middleware/authentication.ts";
import { jsonBody } from "./middleware/json-body.ts";
import { observeRequests } from "./middleware/observe-requests.ts";
import { wellFormedUrl } from "./middleware/well-formed-url.ts";
import { referencePage } from "./reference-page.ts";
import { registerRoutes } from "./register-routes.ts";
import { renderError } from "./render-error.ts";
import { ARCHIVE_PATH, MAX_BODY_BYTES, MAX_SMALL_BODY_BYTES } from "./schemas.ts";

/** Characters of a request's id that a client may choose: it stands in logs, and in the jobs that come of the request. */
const MAX_REQUEST_ID = 128;

/** Assembles the HTTP API; it neither listens nor starts anything, so tests and the CLI call it in-process. */
export function buildApp(deps: HttpDeps): App {
  const app: App = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidRequest(result.error.issues);
    },
  });
  app.use(requestId({ limitLength: MAX_REQUEST_ID }));
  app.use(observeRequests(deps));
  // Before the body is read: who may not ask at all cannot make the server parse anything.
  app.use("/v1/*", authentication(deps));
  const [ofFiles, ofOthers] = [MAX_BODY_BYTES, MAX_SMALL_BODY_BYTES].map((maxSize) =>
    bodyLimit({ maxSize, onError: () => tooLarge(maxSize) }),
  ) as [MiddlewareHandler, MiddlewareHandler];
  // Only files and conversations are large, and archives, which are read as they come; to parse megabytes of settings would block the process for seconds.
  app.use((c, next) => {
    if (c.req.path === ARCHIVE_PATH) return next();
    return /^\/v1\/agents\/[^/]+\/(files|sessions|capture)(\/|$)/.test(c.req.path)
      ? ofFiles(c, next)
      : ofOthers(c, next);
  });
  app.use("/v1/*", wellFormedUrl);
  app.use("/v1/*", jsonBody);
  app.onError((error, c) => renderError(error, c, deps.logger));
  app.notFound((c) =>
    renderError(new AppError("not_found", "There is no such route; see the API reference."), c, deps.logger),
  );
  registerRoutes(app, deps);
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key, `rcl_…`",
  });
  serveReference(app, deps.version);
  return app;
}

/** The reference, for programs and for people; made once, when somebody asks. */
function serveReference(app: App, version: string): void {
  let made: { document: ApiDocument; page: string } | undefined;
  const reference = () => {
    const document = made?.document ?? describeApi(app, version);
    made ??= { document, page: referencePage(document) };
    return made;
  };
  app.get("/openapi.json", (c) => c.json(reference().document));
  app.get("/reference", (c) =>
    c.html(reference().page, 200, { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'" }),
  );
}

function tooLarge(maxSize: number): never {
  throw new AppError("payload_too_large", `The body of this request may have at most ${maxSize} bytes; send less.`);
}
