import { z } from "@hono/zod-openapi";
import { decodeCursor, pageOf } from "../../base/page-cursor.ts";
import { changeTenant, createTenant, listAllTenants, readTenant } from "../../service/admin/manage-tenants.ts";
import { removeTenant } from "../../service/admin/remove-tenant.ts";
import { withTranslated } from "../../service/admin/translate-change.ts";
import { tenant, tenantLimits, tenantPage, tenantReceipt, tenantUsage, warnings } from "../administration-schemas.ts";
import { routesOf } from "../route.ts";
import { json, jsonObject, MAX_SETTINGS_VALUES, name, pageQuery } from "../schemas.ts";

const wanted = z.strictObject({ name, settings: jsonObject.optional(), limits: jsonObject.optional() });

const change = z
  .strictObject({
    name: name.optional(),
    settings: jsonObject.optional(),
    limits: jsonObject.optional(),
    disabled: z.boolean().optional(),
  })
  .refine((change) => Object.keys(change).length > 0, "must change something");

const changedTenant = tenant.extend({ warnings }).openapi("ChangedTenant");

const route = routesOf("Tenants");

export const tenantRoutes = [
  route("GET /v1/tenants", {
    operationId: "tenantsList",
    summary: "List all tenants by name",
    description: "Shows every tenant of the service, also disabled ones.",
    scope: "admin",
    query: pageQuery,
    answer: json(tenantPage, "One page"),
    run: async (deps, caller, { query: { cursor, limit } }) => {
      const rows = await listAllTenants(deps, caller, { after: decodeCursor(cursor), limit: limit + 1 });
      const { page, next } = pageOf(rows, limit, (row) => row.name);
      return { tenants: page, ...next };
    },
  }),
  route("POST /v1/tenants", {
    operationId: "tenantsCreate",
    summary: "Create a tenant",
    description:
      "A tenant owns agents and keys, and knows nothing of other tenants. Make its first key with the header `Recollect-Tenant`.",
    scope: "admin",
    body: json(wanted, "The tenant"),
    bodyValues: MAX_SETTINGS_VALUES,
    status: 201,
    answer: json(changedTenant, "Use the header Recollect-Tenant, or create a key for it"),
    run: (deps, caller, { body }) => withTranslated(body, (wanted) => createTenant(deps, caller, wanted)),
  }),
  route("GET /v1/tenant", {
    operationId: "tenantGet",
    summary: "The caller's tenant, with its usage",
    description: "Shows the tenant of the key, or the one that the operator names in the header `Recollect-Tenant`.",
    scope: "tenant",
    tenantHeader: "optional",
    answer: json(tenant.extend({ usage: tenantUsage, effectiveLimits: tenantLimits }), "It"),
    run: readTenant,
  }),
  route("PATCH /v1/tenant", {
    operationId: "tenantPatch",
    summary: "Change the caller's tenant; name, limits and disabled need the scope admin",
    description:
      "Leaves out what the body does not name. A disabled tenant's keys are refused. A request that disables a tenant " +
      "has to name it with the header Recollect-Tenant.",
    scope: "tenant",
    tenantHeader: "optional",
    body: json(change, "settings and limits are JSON merge patches"),
    bodyValues: MAX_SETTINGS_VALUES,
    answer: json(changedTenant, "The current state"),
    run: (deps, caller, { body }) => withTranslated(body, (change) => changeTenant(deps, caller, change)),
  }),
  route("DELETE /v1/tenant", {
    operationId: "tenantDelete",
    summary: "Remove a tenant that has no agents left, with its keys; name it with the header Recollect-Tenant",
    description:
      "It cannot be undone. The refusal `tenant_not_empty` has the ids of the first 1,000 agents in `details.agents`. " +
      "`recollect tenants erase` erases the agents first. The operator still reads the tenant's receipts and audit log, " +
      "with its id in the header. Archives, dumps, the write-ahead log and logs outside of the database stay.",
    scope: "admin",
    tenantHeader: "required",
    answer: json(tenantReceipt, "The receipt, which is kept: the tenant and its keys are removed"),
    run: removeTenant,
  }),
];
