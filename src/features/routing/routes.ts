import { z } from "@hono/zod-openapi";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { MAX_BINDINGS } from "../../settings/bindings.ts";
import { readBindings, routeMessage, setBindings } from "./route-message.ts";
import { allBindings, bindings, destination } from "./schemas.ts";

/** The most JSON values of a request: a binding has eight. */
const MAX_BINDING_VALUES = 10 * MAX_BINDINGS;
/** The use case checks each binding, so that its error can name the bad one. */
const newBindings = z.strictObject({ bindings: z.array(z.unknown()).max(MAX_BINDINGS) });

const label = z
  .string()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");
const messageOrigin = z.strictObject({
  channel: label.optional(),
  accountId: label.optional(),
  peer: z.strictObject({ kind: label, id: label }).optional(),
  context: label
    .optional()
    .openapi({ description: "The conversation, which becomes part of the session's key; default: the peer" }),
});
const route = routesOf("Routing");

/** The rules that send messages to agents. */
export const routingRoutes = [
  route("GET /v1/bindings", {
    operationId: "bindingsGet",
    summary: "The tenant's routing rules, followed by those of the operator's files",
    description:
      "The rules are tried from the most exact to the most general; the answer lists them in the order in which they were given.",
    scope: "agent:read",
    answer: json(allBindings, "The rules in order"),
    run: async (deps, caller) => {
      const { bindings, inherited } = await readBindings(deps, caller);
      return { bindings, inherited: [...inherited] };
    },
  }),
  route("PUT /v1/bindings", {
    operationId: "bindingsPut",
    summary: "Replace the tenant's routing rules",
    description: "At most 1,000.",
    scope: "tenant",
    body: json(
      newBindings,
      "Each: { agentId, match: { channel?, accountId?, peer? } }; without `match` it is the default route",
    ),
    bodyValues: MAX_BINDING_VALUES,
    answer: json(bindings, "The rules as they are now"),
    run: async (deps, caller, { body }) => ({ bindings: await setBindings(deps, caller, body.bindings) }),
  }),
  route("POST /v1/route", {
    operationId: "routeMessage",
    summary: "Find the agent for a message",
    description:
      "A rule that names the peer beats one that names the account, which beats one that names only the channel. Among " +
      "equals the first wins. Without any match the message goes to the default agent.",
    scope: "agent:read",
    body: json(messageOrigin, "Where the message came from"),
    answer: json(destination, "The agent and the session's key"),
    run: (deps, caller, { body }) => routeMessage(deps, caller, body),
  }),
];
