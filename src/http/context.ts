import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Logger } from "../base/logger.ts";
import type { Caller, Deps } from "../service/deps.ts";

/** What middleware leaves for a handler. */
export interface AppEnv {
  Variables: { requestId: string; caller: Caller };
}

export type App = OpenAPIHono<AppEnv>;

/** What the HTTP edge needs besides the use cases' own dependencies. */
export interface HttpDeps {
  readonly service: Deps;
  readonly logger: Logger;
  readonly version: string;
  /** Whether requests on loopback need no key: the embedded database, and commands in this process. */
  readonly keyless: boolean;
  /** False once the process has been told to stop. */
  readonly accepting: () => boolean;
}
