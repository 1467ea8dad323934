import { createRoute, type RouteConfig, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { admit, admitToAgent } from "../service/agent/admit.ts";
import type { Caller } from "../service/core/core-deps.ts";
import type { Deps } from "../service/deps.ts";
import type { scope } from "./administration-schemas.ts";
import { fingerprintOf } from "./body/check-body.ts";
import { type BodyReader, createBodyReader, requireType, takesEmpty } from "./body/read-body.ts";
import { createDocumentReader, documentTypeOfBody, requireTextOrDocument } from "./body/read-document.ts";
import type { AppEnv, HttpDeps, Route } from "./context.ts";
import { errorResponsesOf, type RouteTraits } from "./error-responses.ts";
import { type PathParams, paramsOf } from "./path-params.ts";
import { ARCHIVE_TYPE, type json } from "./schemas.ts";
import { conditionalHeaders, type onceHeaders, onceOf, tenantHeader, writerOf } from "./write-headers.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type JsonContent<Schema extends z.ZodType> = ReturnType<typeof json<Schema>>;
/** A body or answer of any media type: an archive, a stream. */
interface AnyContent {
  description: string;
  content: Record<string, { schema: z.ZodType }>;
}

/** A request whose parts have passed their schemas. */
interface Asked<Endpoint extends string, Query extends z.ZodType, Body extends z.ZodType> {
  c: Context<AppEnv>;
  caller: Caller;
  params: PathParams<Endpoint>;
  query: z.output<Query>;
  body: z.output<Body>;
}

interface Description<Query, Body extends z.ZodType> {
  operationId: string;
  summary: string;
  /** Facts that a client needs besides the summary. The reference shows them after the scope. */
  description: string;
  /** The scope that a caller needs, for the reference; the use case enforces it. */
  scope: z.output<typeof scope> | "any" | "none";
  /**
   * The headers of a write that is made once under their idempotency key; `caller` then has the
   * key.
   */
  headers?: typeof onceHeaders | typeof conditionalHeaders | undefined;
  /**
   * Whether the reference documents the header `Recollect-Tenant`, with which an operator names the
   * tenant. Every route takes it. `required`: the use case refuses a request without it.
   */
  tenantHeader?: "optional" | "required";
  query?: Query;
  body?: JsonContent<Body> | AnyContent;
  /**
   * The schema that bodies are checked with, if the route takes more than the reference says. `run`
   * then gets what this schema returns.
   */
  taken?: z.ZodType;
  /** The most JSON values of a body whose schema sets no limit: settings, other APIs' messages. */
  bodyValues?: number;
  /** The status of success; 200 when absent. */
  status?: 201 | 202;
  /** Answers besides success and the errors that every route can give. */
  also?: RouteConfig["responses"];
}

/**
 * `run` returns the body of the answer. `handle` is called once per app and returns the function
 * that makes the whole response.
 */
type Handler<Answer extends z.ZodType, Given> =
  | { answer: JsonContent<Answer>; run(deps: Deps, caller: Caller, given: Given): Promise<z.input<Answer>> }
  | { answer: AnyContent; handle(deps: HttpDeps): (given: Given) => Response | Promise<Response> };

/**
 * Returns the function that defines one route: its method and path, its entry in the reference
 * under this tag, and its use case.
 */
export function routesOf(tag: string) {
  return <
    Endpoint extends `${Method} /${string}`,
    Answer extends z.ZodType,
    Query extends z.ZodObject = z.ZodObject,
    Body extends z.ZodType = z.ZodUnknown,
  >(
    endpoint: Endpoint,
    entry: Description<Query, Body> & Handler<Answer, Asked<Endpoint, Query, Body>>,
  ): Route => {
    const config = describe(tag, endpoint, entry);
    const { headers, status = 200 } = entry;
    return (app, deps) => {
      const handle =
        "handle" in entry
          ? entry.handle(deps)
          : async (asked: Asked<Endpoint, Query, Body>) =>
              asked.c.json((await entry.run(deps.service, asked.caller, asked)) as object, status);
      const receive = receiverOf(deps, endpoint, entry);
      app.openAPIRegistry.registerPath(config);
      // This code reads and checks bodies, not the library, so that a body is read only after its
      // caller is admitted, and within limits.
      // Headers are read by the code that uses them.
      const { body: _, headers: __, ...request } = config.request ?? {};
      app.openapi({ ...config, request, hide: true }, async (c) => {
        const valid = <T>(part: "param" | "query") => c.req.valid(part as never) as T;
        const params = valid<PathParams<Endpoint>>("param");
        const once = headers && onceOf(c);
        const { body, fingerprint, free } = await receive(c, params as { agentId?: string } | undefined, once);
        c.set("body", body);
        try {
          const caller = writerOf(c, fingerprint);
          return await handle({
            c,
            caller,
            params,
            query: valid<z.output<Query>>("query"),
            body: body as z.output<Body>,
          });
        } finally {
          free();
        }
      });
    };
  };
}

type Receive = (
  c: Context<AppEnv>,
  params: { agentId?: string } | undefined,
  once: readonly string[] | undefined,
) => Promise<Awaited<ReturnType<BodyReader["read"]>>>;

/**
 * Returns the function that admits a route's caller and reads the request's body. A streamed body
 * is left to the route.
 */
function receiverOf(
  deps: HttpDeps,
  endpoint: string,
  { scope, body, bodyValues, taken }: Description<z.ZodObject, z.ZodType>,
): Receive {
  const none = (once: readonly string[] | undefined) => ({
    body: undefined,
    fingerprint: once && fingerprintOf(once, ""),
    free: () => undefined,
  });
  const isOpen = scope === "any" || scope === "none";
  if (body && isOpen) throw new Error(`${endpoint} takes a body from callers without a key`);
  const json = body?.content["application/json"];
  const jsonReader = json && createBodyReader(deps, json.schema, { values: bodyValues, taken, route: endpoint });
  const documents = body && "application/pdf" in body.content ? createDocumentReader(deps) : undefined;
  return async (c, params, once) => {
    if (isOpen) return none(once);
    const caller = c.get("caller");
    admit(caller, scope, params?.agentId);
    const reader = documents && documentTypeOfBody(c) !== undefined ? documents : jsonReader;
    if (body && !reader) requireType(c, ARCHIVE_TYPE, "an archive");
    if (!reader) return none(once);
    if (documents && reader === jsonReader) requireTextOrDocument(c);
    const agentId = params?.agentId;
    return reader.read(c, once, async () => {
      if (agentId !== undefined) await admitToAgent(deps.service, caller, scope, agentId);
    });
  };
}

/** The sentence about who may call a route that needs no particular scope. */
const SCOPE_RULE: Readonly<Record<string, string>> = {
  any: "Any key may call it.",
  none: "Needs no key.",
};

function describe(
  tag: string,
  endpoint: string,
  entry: Description<z.ZodObject, z.ZodType> & { answer: AnyContent },
): RouteConfig {
  const [method = "", path = ""] = endpoint.split(" ");
  const { operationId, summary, scope, headers, query, status = 200, answer, also } = entry;
  const open = scope === "none";
  const json = entry.body?.content["application/json"];
  const required = json ? { required: !takesEmpty(endpoint, json.schema) } : {};
  const named = entry.tenantHeader === undefined ? headers : tenantHeader(entry.tenantHeader === "required");
  const request = { headers: named, params: paramsOf(path), query, body: entry.body && { ...required, ...entry.body } };
  return createRoute({
    method: method.toLowerCase() as RouteConfig["method"],
    path,
    operationId,
    tags: [tag],
    summary,
    description: `${SCOPE_RULE[scope] ?? `Needs the scope \`${scope}\`.`} ${entry.description}`,
    // A bearer scheme has no scopes in OpenAPI; the extension has the scope for programs.
    security: open ? [] : [{ apiKey: [] }],
    ...(SCOPE_RULE[scope] ? {} : { "x-required-scope": scope }),
    request: request as NonNullable<RouteConfig["request"]>,
    responses: { [status]: answer, ...errorResponsesOf(traitsOf(endpoint, entry)), ...also },
  });
}

function traitsOf(endpoint: string, { scope, body, headers }: Description<z.ZodObject, z.ZodType>): RouteTraits {
  return {
    // The path in OpenAPI's form, without Hono's mark for a parameter with slashes.
    endpoint: endpoint.replace("{.+}", ""),
    isKeyed: scope !== "none",
    body: body && ("application/json" in body.content ? "json" : "archive"),
    isOnce: headers !== undefined,
    isConditional: headers === conditionalHeaders,
  };
}
