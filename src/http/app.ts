import { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { requestId } from "hono/request-id";
import { AppError } from "../base/errors.ts";
import { DEFAULT_CALLER } from "../service/default-tenant.ts";
import type { App, AppEnv, HttpDeps } from "./context.ts";
import { jsonBody } from "./middleware/json-body.ts";
import { wellFormedUrl } from "./middleware/well-formed-url.ts";
import { renderError } from "./render-error.ts";
import { registerAgentsStatus } from "./routes/agents.status.ts";
import { registerFilesBatch } from "./routes/files.batch.ts";
import { registerFilesDelete } from "./routes/files.delete.ts";
import { registerFilesGet } from "./routes/files.get.ts";
import { registerFilesList } from "./routes/files.list.ts";
import { registerFilesPut } from "./routes/files.put.ts";
import { registerHealth } from "./routes/health.ts";
import { registerMemoryGet } from "./routes/tools.memory-get.ts";
import { registerMemorySearch } from "./routes/tools.memory-search.ts";
import { MAX_BODY_BYTES } from "./schemas.ts";

/** Assembles the HTTP API; it neither listens nor starts anything, so tests and the CLI call it in-process. */
export function buildApp(deps: HttpDeps): App {
  const app: App = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const problems = result.error.issues
        .slice(0, 5)
        .map((issue) => `${issue.path.join(".") || "request"}: ${issue.message}`);
      throw new AppError("invalid_request", `The request is not valid. ${problems.join("; ")}.`);
    },
  });
  app.use(requestId());
  app.use(async (c, next) => {
    c.set("caller", DEFAULT_CALLER);
    await next();
  });
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: () => tooLarge() }));
  app.use("/v1/*", wellFormedUrl);
  app.use("/v1/*", jsonBody);
  app.onError((error, c) => renderError(error, c, deps.logger));
  app.notFound((c) =>
    renderError(new AppError("not_found", "There is no such route; see the API reference."), c, deps.logger),
  );
  registerHealth(app, deps);
  registerFilesBatch(app, deps);
  registerFilesList(app, deps);
  registerFilesPut(app, deps);
  registerFilesGet(app, deps);
  registerFilesDelete(app, deps);
  registerMemorySearch(app, deps);
  registerMemoryGet(app, deps);
  registerAgentsStatus(app, deps);
  app.doc31("/openapi.json", { openapi: "3.1.0", info: { title: "Recollect", version: deps.version } });
  return app;
}

function tooLarge(): never {
  throw new AppError(
    "payload_too_large",
    `A request body has at most ${MAX_BODY_BYTES} bytes; send fewer or smaller files.`,
  );
}
