import { z } from "@hono/zod-openapi";
import { listErasures, readErasure } from "../../service/admin/erase-agent.ts";
import { readAudit } from "../../service/admin/read-audit.ts";
import { auditPage, receipt } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, paged, pageQuery } from "../schemas.ts";

const route = routesOf("Administration");

const OF_REMOVED = "Also answers for a tenant that was removed.";

/** The record of administrative actions: the audit log, and receipts of erasures. */
export const auditRoutes = [
  route("GET /v1/audit", {
    operationId: "auditList",
    summary: "The tenant's administrative actions, newest first",
    description: `Names who did what to which agent, key or tenant, without any content of a memory. ${OF_REMOVED}`,
    scope: "tenant",
    tenantHeader: "optional",
    query: pageQuery,
    answer: json(auditPage, "One page"),
    run: (deps, caller, { query }) => readAudit(deps, caller, query),
  }),
  route("GET /v1/erasures", {
    operationId: "erasuresList",
    summary: "Receipts of erased agents, newest first",
    description: `A receipt proves which agent was erased, when and by whom, and counts what was deleted. ${OF_REMOVED}`,
    scope: "tenant",
    tenantHeader: "optional",
    query: pageQuery,
    answer: json(
      paged({ erasures: z.array(receipt.omit({ pathHashes: true, nextCursor: true })) }),
      "One page, without the paths' hashes",
    ),
    run: (deps, caller, { query }) => listErasures(deps, caller, query),
  }),
  route("GET /v1/erasures/{receiptId}", {
    operationId: "erasuresGet",
    summary: "One receipt, with a page of the hashes of the erased paths",
    description: `The hashes let the owner of a path prove that its file was erased, while the receipt names no path. ${OF_REMOVED}`,
    scope: "tenant",
    tenantHeader: "optional",
    query: pageQuery,
    answer: json(receipt, "The receipt"),
    run: (deps, caller, { params, query }) => readErasure(deps, caller, params.receiptId, query),
  }),
];
