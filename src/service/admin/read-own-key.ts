import { findApiKeys } from "../../db/control/api-keys.ts";
import { DEFAULT_TENANT_ID, findTenant } from "../../db/control/tenants.ts";
import { LOCAL_CALLER } from "../core/authenticate.ts";
import type { Caller } from "../core/core-deps.ts";
import type { Deps } from "../deps.ts";

/** The key of a request: its name, its tenant, and the tenant in which it acts. */
interface OwnKey {
  /** The tenant in which the request acts. */
  tenantId: string;
  tenantName: string;
  /** The key's own tenant. An operator's key may act in another tenant. */
  ownTenant: { id: string; name: string };
  /** null when the request came without a key. */
  keyName: string | null;
  /** The first characters of the key, which logs, changes and activity show; null without a key. */
  prefix: string | null;
  expiresAt: string | null;
  scopes: string[];
  agentId: string | null;
}

/** Returns the caller's key. Any caller may see its own key, so no scope is checked. */
export async function readOwnKey(deps: Deps, caller: Caller): Promise<OwnKey> {
  const { tenantId, actor, scopes, agentId = null } = caller;
  const found = actor === LOCAL_CALLER.actor ? undefined : (await findApiKeys(deps.db, [actor])).get(actor);
  const ownId = found?.key.tenantId ?? DEFAULT_TENANT_ID;
  const nameOf = async (id: string) => (await findTenant(deps.db, id))?.name ?? "";
  const tenantName = await nameOf(tenantId);
  const ownTenant = { id: ownId, name: ownId === tenantId ? tenantName : await nameOf(ownId) };
  return {
    tenantId,
    tenantName,
    ownTenant,
    keyName: found?.key.name ?? null,
    prefix: found?.key.prefix ?? null,
    expiresAt: found?.key.expiresAt?.toISOString() ?? null,
    scopes: [...scopes],
    agentId,
  };
}
