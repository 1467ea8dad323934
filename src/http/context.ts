import type { OpenAPIHono } from "@hono/zod-openapi";
import type { ErrorCode } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Caller } from "../service/core/core-deps.ts";
import type { Deps } from "../service/deps.ts";
import type { MemoryAccess } from "../service/tools/memory-access.ts";
import type { BodyMemory } from "./body/body-memory.ts";
import type { BuiltFiles } from "./built-files.ts";
import type { TakeStreamPlace } from "./streams/stream-places.ts";

/** Values that middleware leaves for a handler. */
export interface AppEnv {
  Variables: {
    requestId: string;
    caller: Caller;
    /** The request's body, once it has been read and checked. */
    body?: unknown;
  };
}

export type App = OpenAPIHono<AppEnv>;

/** Adds a route to an app and to its OpenAPI document. */
export type Route = (app: App, deps: HttpDeps) => void;

/** Answers an authorised request of the Model Context Protocol. The MCP edge implements it. */
export type AnswerMcp = (given: {
  request: Request;
  body: unknown;
  memory: MemoryAccess;
  explain(error: unknown): { code: ErrorCode; text: string };
}) => Promise<Response>;

/** Dependencies of the HTTP edge besides the use cases' own. */
export interface HttpDeps {
  readonly service: Deps;
  readonly logger: Logger;
  /** The routes of the features. */
  readonly routes: readonly Route[];
  /** The names of the features that are switched off. */
  readonly off: readonly string[];
  /**
   * Whether requests on loopback need no key: true for the embedded database and for commands that
   * run in this process.
   */
  readonly keyless: boolean;
  /** Origins whose pages may call the API from a browser; empty unless the operator names some. */
  readonly corsOrigins: readonly string[];
  /** Returns false once the process has been told to stop. */
  readonly accepting: () => boolean;
  readonly answerMcp: AnswerMcp;
  readonly takeStreamPlace: TakeStreamPlace;
  readonly bodyMemory: BodyMemory;
  /** Reads the console's files; returns undefined if no console is served. */
  readonly readConsole: () => BuiltFiles | undefined;
  /** Reads the files of the reference's viewer; returns undefined if they were not built. */
  readonly readReference: () => BuiltFiles | undefined;
}
