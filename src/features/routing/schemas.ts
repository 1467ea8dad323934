import { z } from "@hono/zod-openapi";

const binding = z
  .object({
    agentId: z.string(),
    match: z
      .object({
        channel: z.string().optional(),
        accountId: z.string().optional(),
        peer: z.object({ kind: z.string(), id: z.string() }).optional(),
      })
      .optional(),
  })
  .openapi("Binding", { description: "A rule that routes messages to an agent" });
export const bindings = z.object({ bindings: z.array(binding) });
export const allBindings = bindings
  .extend({
    inherited: z.array(binding).openapi({ description: "Rules of the operator's files, which are compared last" }),
  })
  .openapi("Bindings");

export const destination = z
  .object({
    agentId: z.string(),
    matchedBy: z.enum(["peer", "account", "channel", "default"]),
    sessionKey: z.string(),
  })
  .openapi("Destination", { description: "The agent and session that a message is routed to" });
