import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ErrorCode } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Caller } from "../service/core/core-deps.ts";
import type { Deps } from "../service/deps.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import type { BodyMemory } from "./body/body-memory.ts";
import type { BuiltFiles } from "./built-files.ts";
import type { TakeStreamPlace } from "./streams/stream-places.ts";

/** What middleware leaves for a handler. */
export interface AppEnv {
  Variables: {
    requestId: string;
    caller: Caller;
    /** The request's body, once it has been read and checked. */
    body?: unknown;
  };
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
  /** Origins whose pages may call the API from a browser; none unless the operator names some. */
  readonly corsOrigins: readonly string[];
  /** False once the process has been told to stop. */
  readonly accepting: () => boolean;
  readonly answerMcp: AnswerMcp;
  readonly takeStreamPlace: TakeStreamPlace;
  readonly bodyMemory: BodyMemory;
  /** Reads the console's files; undefined: none is served. */
  readonly readConsole: () => BuiltFiles | undefined;
  /** Reads the files of the reference's viewer; undefined: they were not built. */
  readonly readReference: () => BuiltFiles | undefined;
}
