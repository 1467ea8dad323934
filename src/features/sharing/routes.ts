import { z } from "@hono/zod-openapi";
import { leftShare, share, shareList, shareTerms, withdrawnShare } from "../../http/link-schemas.ts";
import { routesOf } from "../../http/route.ts";
import { json } from "../../http/schemas.ts";
import { onceHeaders } from "../../http/write-headers.ts";
import { leaveMemory, offerMemory, readShares, takeMemory, withdrawMemory } from "./manage-shares.ts";

const route = routesOf("Sharing");

/** The memories that agents of a tenant let each other read. */
export const shareRoutes = [
  route("GET /v1/agents/{agentId}/shares", {
    operationId: "sharesList",
    summary: "The agents that this agent offers its memory to",
    description: "Shows for each offer which folders and sources it covers, and whether the other agent reads it.",
    scope: "agent:read",
    answer: json(shareList, "By the other agent's id"),
    run: async (deps, caller, { params }) => ({
      shares: await readShares(deps, caller, params.agentId, "offered by"),
    }),
  }),
  route("PUT /v1/agents/{agentId}/shares/{otherId}", {
    operationId: "sharesOffer",
    summary: "Offer this agent's memory to another, read-only",
    description: "Facts and conversations with a scope are never shared.",
    scope: "tenant",
    headers: onceHeaders,
    body: json(shareTerms, "All of it, or folders of its files"),
    answer: json(share, "The offer; the other agent reads the memory once it accepts"),
    run: (deps, caller, { params, body }) =>
      offerMemory(deps, caller, { sharer: params.agentId, reader: params.otherId }, body),
  }),
  route("DELETE /v1/agents/{agentId}/shares/{otherId}", {
    operationId: "sharesWithdraw",
    summary: "Withdraw an offer to another agent, which no longer reads the memory from its next request on",
    description: "Nothing is copied when a memory is shared, so nothing remains with the other agent.",
    scope: "tenant",
    headers: onceHeaders,
    answer: json(withdrawnShare, "The offer is withdrawn"),
    run: (deps, caller, { params }) => withdrawMemory(deps, caller, { sharer: params.agentId, reader: params.otherId }),
  }),
  route("GET /v1/agents/{agentId}/reads", {
    operationId: "readsList",
    summary: "The agents that offer their memory to this agent, and which of them it reads",
    description: "An offer is read only once this agent has taken it.",
    scope: "agent:read",
    answer: json(shareList, "By the other agent's id"),
    run: async (deps, caller, { params }) => ({
      shares: await readShares(deps, caller, params.agentId, "offered to"),
    }),
  }),
  route("PUT /v1/agents/{agentId}/reads/{otherId}", {
    operationId: "readsTake",
    summary: "Accept another agent's offer: this agent then reads that memory too",
    description: "An agent reads at most eight others. Hits of another memory stand under `@<agent>/…`.",
    scope: "tenant",
    headers: onceHeaders,
    body: json(z.strictObject({}), "Nothing"),
    answer: json(share, "The memory that is read"),
    run: (deps, caller, { params }) => takeMemory(deps, caller, { sharer: params.otherId, reader: params.agentId }),
  }),
  route("DELETE /v1/agents/{agentId}/reads/{otherId}", {
    operationId: "readsLeave",
    summary: "Stop reading another agent's memory",
    description: "The offer stays, and may be taken again.",
    scope: "tenant",
    headers: onceHeaders,
    answer: json(leftShare, "The memory is no longer read; the offer stays"),
    run: (deps, caller, { params }) => leaveMemory(deps, caller, { sharer: params.otherId, reader: params.agentId }),
  }),
];
