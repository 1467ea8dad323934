import type { RouteConfig } from "@hono/zod-openapi";
import { type ErrorCode, titleOf } from "../base/errors.ts";
import { STATUS } from "./render-error.ts";
import { errorBody } from "./schemas.ts";

/** The traits of a route that decide how it can fail. */
export interface RouteTraits {
  /** Method and path, such as `POST /v1/agents/{agentId}/files`. */
  endpoint: string;
  /** Whether a caller needs a key. */
  isKeyed: boolean;
  body: "json" | "archive" | undefined;
  /**
   * Whether the route takes an idempotency key (`isOnce`), and whether its write may depend on the
   * existing file (`isConditional`).
   */
  isOnce: boolean;
  isConditional: boolean;
}

type When = (route: RouteTraits) => boolean;

const on =
  (pattern: RegExp): When =>
  ({ endpoint }) =>
    pattern.test(endpoint);
const keyed: When = ({ isKeyed }) => isKeyed;
const writing: When = ({ endpoint, isKeyed }) => isKeyed && !endpoint.startsWith("GET ");
const ofAgent: When = on(/\{agentId\}/);
const withBody: When = ({ body }) => body !== undefined;
const withJson: When = ({ body }) => body === "json";
/** Routes that call a model's tools. */
const TOOL = /tools\/memory/;
const STORES =
  /^(PUT|POST|PATCH) .*\/(files|facts|messages|capture|ingest|text|memory_store|memory|archives|agents|keys|restore|rollback)\b/;
const SETTINGS = /^(POST|PATCH) \/v1\/(agents|tenants|agents\/\{agentId\}|tenant)$|bindings$|\/reindex$|archives$/;
const CHAT = /\/(ingest|text|capture|messages)$/;

/**
 * For each code: which routes can answer with it, and an example sentence such as the service
 * writes. null marks codes that no route answers with: only a client reports them, or a process
 * that stops before it serves. The OpenAPI document is generated from this table, and the tests
 * fail for an answer that is missing in it.
 */
const ERRORS: Record<ErrorCode, readonly [when: When, detail: string] | null> = {
  invalid_request: [keyed, "The request is not valid. query: must not be empty."],
  invalid_json: [withJson, "The body is not valid JSON."],
  invalid_encoding: [keyed, "The text has a NUL character; remove it."],
  // A parameter of any route can be badly encoded.
  invalid_path: [on(/\{|archives$/), "A path must not have `..`."],
  invalid_agent_id: [
    (route) => ofAgent(route) || on(/\/(agents|keys|bindings|archives|doctor|storage)$/)(route),
    "An agent id has 1 to 63 lower-case letters, digits, dashes or underscores.",
  ],
  invalid_session_key: [
    on(/\{session\}|\{path\}|\/files$|\/capture$|archives$|\/hooks\//),
    "A session key has 1 to 200 printable characters.",
  ],
  invalid_settings: [
    on(SETTINGS),
    "The settings are not valid. settings.query.maxResult: unknown key, did you mean query.maxResults?",
  ],
  archive_invalid: [on(/archives$/), "Line 12 of the archive is not valid; export it again."],
  unauthenticated: [keyed, "Send a valid API key: Authorization: Bearer rcl_…"],
  forbidden: [keyed, "The key lacks the scope agent:write."],
  tenant_disabled: [keyed, "The tenant is disabled; ask the operator to enable it."],
  agent_disabled: [ofAgent, "The agent is disabled."],
  not_found: [on(/mcp$/), "There is no such route; see the API reference."],
  // Any path answers so to a method that it does not have. Only MCP's has such methods as routes.
  method_not_allowed: [on(/^(GET|DELETE) .*\/mcp$/), "This path has no PUT. Use GET, HEAD, PATCH, DELETE."],
  agent_not_found: [
    (route) => ofAgent(route) || on(/\/(keys|bindings|doctor|route|storage)$|^POST \/v1\/agents$/)(route),
    "There is no such agent, or this key is for another one. The first write creates it, if the key may create agents.",
  ],
  file_not_found: [on(/\{path\}|\/files$|\/chunks$|tools\/memory$/), "The agent has no such file; list its files."],
  session_not_found: [on(/\{session\}/), "There is no such session; list the sessions."],
  fact_not_found: [
    on(/\{factId\}|memory_forget|memory_store|\/facts$|\/chunks$/),
    "There is no such fact, or it was forgotten.",
  ],
  key_not_found: [on(/\{keyId\}/), "There is no such key in this tenant."],
  // Any request of the operator can name a tenant in a header.
  tenant_not_found: [keyed, "There is no such tenant."],
  branch_not_found: [on(/\/(branch|merge)$/), "This agent is not a branch of another agent."],
  merge_conflict: [on(/\/merge$/), "Both agents have changed notes/a.md since the branch was made."],
  share_not_found: [
    on(/(shares|reads)\/\{otherId\}/),
    "There is no such share; the other agent has to offer it first.",
  ],
  receipt_not_found: [on(/\{receiptId\}/), "There is no such receipt."],
  job_not_found: [on(/\{jobId\}/), "The job does not exist, or it ended and was removed."],
  upload_too_slow: [withBody, "The body came too slowly; send it again."],
  agent_exists: [
    on(/^POST \/v1\/(agents|archives)$|\/branches$/),
    "There is an agent of this id; change it, or use another id.",
  ],
  tenant_exists: [on(/^(POST|PATCH) \/v1\/tenants?$/), "There is a tenant of this name."],
  tenant_not_empty: [on(/^DELETE \/v1\/tenant$/), "The tenant still has agents; erase them first."],
  fact_superseded: [
    on(/^PATCH .*\{factId\}|\/facts$|memory_store/),
    "Another fact has replaced this one; change the new fact.",
  ],
  scope_conflict: [
    on(/^POST .*\/(facts|messages)$|memory_store/),
    "A fact can replace facts of its own scope only; store it with the scope of that fact.",
  ],
  idempotency_key_in_use: [
    ({ isOnce }) => isOnce,
    "A request with this key is running; send it again to get its answer.",
  ],
  origin_conflict: [
    on(/^POST .*\/files$|^PUT .*\{path\}/),
    "Files of the batch belong to another origin; leave them out, or use takeOver.",
  ],
  file_changed: [
    (route) => route.isConditional || on(/\/files$|tools\/memory$|\/rollback$/)(route),
    "The file has changed; read it, and write again.",
  ],
  version_not_found: [on(/\{version\}/), "There is no such version; list the file's versions."],
  snapshot_not_found: [on(/\{snapshot\}|\/branches$/), "There is no such snapshot; list the snapshots."],
  eval_not_found: [on(/\{evalSet\}/), "There is no such set of questions, or no such run; list them."],
  snapshot_exists: [on(/^POST .*\/snapshots$/), "There is a snapshot of this name; use another."],
  rollback_too_large: [
    on(/\/(rollback|branches)$|\{snapshot\}\/diff$/),
    "Too much has changed since; restore the files that matter.",
  ],
  payload_too_large: [
    (route) => withBody(route) || on(/\{version\}\/diff$/)(route),
    "The body is too large; send fewer or smaller files per request.",
  ],
  quota_exceeded: [on(STORES), "The agent may have 1,000 files; delete some, or have the limit raised."],
  unsupported_media_type: [withBody, "Send the body as application/json."],
  converter_missing: [on(/^PUT .*\{path\}/), "Documents of this kind need a package: npm install unpdf."],
  document_unreadable: [
    on(/^PUT .*\{path\}/),
    "The document is protected by a password; remove the password and send it again.",
  ],
  idempotency_key_reused: [({ isOnce }) => isOnce, "The key was used for another request; use another key."],
  rate_limited: [keyed, "The key has used up its requests of this minute; wait."],
  config_invalid: [
    (route) => on(SETTINGS)(route) || on(CHAT)(route) || on(/tools\/memory|search$|recall$|\/keys$/)(route),
    "The service is not set up for this; the message names what is missing.",
  ],
  internal: [keyed, "Recollect failed. The log has the details under the request id."],
  embedder_rejected: [(route) => on(SETTINGS)(route) || writesText(route), "The provider refuses the key."],
  embedder_unavailable: [
    (route) => on(SETTINGS)(route) || writesText(route),
    "The provider does not answer; try again.",
  ],
  model_rejected: [on(CHAT), "The chat model refuses the text."],
  model_unavailable: [on(CHAT), "The chat model does not answer; try again."],
  database_unavailable: [keyed, "The database does not answer; try again."],
  database_busy: [keyed, "The database has no connection left; try again."],
  database_timeout: [keyed, "The database ended a statement at its time limit; try again with less."],
  outcome_unknown: [
    writing,
    "The connection to the database was lost before it confirmed this write; read it back before you send it again.",
  ],
  database_read_only: [writing, "The database takes no writes now; reads and searches work."],
  database_unsupported: [writing, "The service's login may not create roles; the message says what to run."],
  database_full: [keyed, "The database's disk is full; nothing was stored."],
  agent_migration_failed: [ofAgent, "The agent's schema could not be migrated yet; see recollect fleet status."],
  schema_too_new: [ofAgent, "A newer Recollect has migrated the data; start that version."],
  overloaded: [withBody, "The server holds as many large bodies as it can; wait."],
  data_folder_in_use: null,
  service_unreachable: null,
};

/** Returns whether a route's use case embeds its input, or looks for an embedder to plan with. */
function writesText(route: RouteTraits): boolean {
  return on(STORES)(route) || on(TOOL)(route) || on(/search$|recall$|why-not$|\/sync$|status$|events$/)(route);
}

/** Returns the codes that a route can answer with, in the order of the table. */
export function errorCodesOf(route: RouteTraits): ErrorCode[] {
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code]?.[0](route));
}

/**
 * Returns a route's error responses by status: the schema of a problem, and an example for each
 * code.
 */
export function errorResponsesOf(route: RouteTraits): RouteConfig["responses"] {
  const byStatus = Object.groupBy(errorCodesOf(route), (code) => STATUS[code]);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes = []]) => {
      const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
      const description = codes.map((code) => `\`${code}\``).join(", ");
      return [status, { description, content: { "application/problem+json": { schema: errorBody, examples } } }];
    }),
  );
}

/** Returns an example of each code that some route answers with, for the document's components. */
export function errorExamples(): [ErrorCode, object][] {
  return (Object.entries(ERRORS) as [ErrorCode, (typeof ERRORS)[ErrorCode]][]).flatMap(([code, entry]) =>
    entry ? [[code, { summary: titleOf(code), value: exampleOf(code, entry[1]) }]] : [],
  );
}

function exampleOf(code: ErrorCode, detail: string): object {
  const requestId = "0d9c8f52-1f0e-4c43-9d57-8b8f5f6a3c11";
  return {
    type: `urn:recollect:error:${code}`,
    title: titleOf(code),
    status: STATUS[code],
    detail,
    instance: `urn:recollect:request:${requestId}`,
    code,
    requestId,
    error: { code, message: detail, requestId },
  };
}
