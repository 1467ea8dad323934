import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ErrorCode } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Caller } from "../service/core/core-deps.ts";
import type { Deps } from "../service/deps.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";

/** What middleware leaves for a handler. */
export interface AppEnv {
  Variables: { requestId: string; caller: Caller };
}

export type App = OpenAPIHono<AppEnv>;

/** Answers requests of the Model Context Protocol that are authorised; made by the MCP edge. */
export type AnswerMcp = (given: {
  request: Request;
  body: unknown;
  memory: MemoryAccess;
  explain(error: unknown): { code: ErrorCode; text: string };
}) => Promise<Response>;

/** What the HTTP edge needs besides the use cases' own dependencies. */
export interface HttpDeps {
  readonly service: Deps;
  readonly logger: Logger;
  readonly version: string;
  /** Whether requests on loopback need no key: the embedded database, and commands in this process. */
  readonly keyless: boolean;
  /** False once the process has been told to stop. */
  readonly accepting: () => boolean;
  readonly answerMcp: AnswerMcp;
}
