import { z } from "@hono/zod-openapi";
import { createKey, listKeys, revokeKey } from "../../service/admin/manage-keys.ts";
import { readOwnKey } from "../../service/admin/read-own-key.ts";
import { timestamp } from "../../service/core/scalar-schemas.ts";
import { apiKey, keyInUse, scope } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, name, paged, pageQuery } from "../schemas.ts";

const wanted = z.strictObject({
  name,
  scopes: z.array(scope).min(1).max(5),
  agentId: z.string().max(63).optional().openapi({ description: "The only agent that the key may reach" }),
  expiresAt: timestamp.optional().openapi({ description: "Default: the expiry of the key that makes it, if any" }),
  requestsPerMinute: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .openapi({ description: "Default: that of the key that makes it, else the server's" }),
});

const route = routesOf("Keys");

export const keyRoutes = [
  route("GET /v1/key", {
    operationId: "keyGet",
    summary:
      "Read what the key of this request is for: its name, tenant and scopes, and its agent if it is bound to one",
    description: "A client uses it to find out which agent it works for, and what it may do.",
    scope: "any",
    answer: json(keyInUse, "The key"),
    run: (deps, caller) => readOwnKey(deps, caller),
  }),
  route("GET /v1/keys", {
    operationId: "keysList",
    summary: "List the tenant's API keys, oldest first",
    description: "Shows names, scopes and times, and never a key itself, which is stored only as a hash.",
    scope: "tenant",
    query: pageQuery,
    answer: json(paged({ keys: z.array(apiKey) }), "One page"),
    run: (deps, caller, { query }) => listKeys(deps, caller, query),
  }),
  route("POST /v1/keys", {
    operationId: "keysCreate",
    summary: "Create an API key",
    description:
      "The new key has no more scopes, no later expiry and no more requests a minute than the key that makes it. A key " +
      "that is bound to an agent has none of the scopes `tenant` and `admin`.",
    scope: "tenant",
    body: json(wanted, "What the key is for"),
    status: 201,
    answer: json(apiKey.extend({ key: z.string() }), "The key; it is shown only here"),
    run: (deps, caller, { body }) => createKey(deps, caller, body),
  }),
  route("DELETE /v1/keys/{keyId}", {
    operationId: "keysRevoke",
    summary: "Revoke an API key",
    description: "It fails from the next request on, in every process.",
    scope: "tenant",
    answer: json(
      apiKey.extend({
        warning: z.string().optional().openapi({ description: "No key with the scope `admin` is left" }),
      }),
      "The key no longer works anywhere",
    ),
    run: (deps, caller, { params }) => revokeKey(deps, caller, params.keyId),
  }),
];
