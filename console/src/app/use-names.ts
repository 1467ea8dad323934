import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ApiKey, TenantPage } from "recollect/client";
import { mayDo, mayManage } from "../lib/connection.ts";
import { texts } from "../texts/texts.ts";
import { useConnection } from "./connection-context.ts";

const MOST = 1000;

/**
 * Returns a function that names what the service calls by an identifier: the prefix of a key, the
 * id of a tenant, and `local`, `system` and `operator`. The function returns undefined for an id
 * without a name.
 */
export function useNames(): (id: string) => string | undefined {
  const { client, key } = useConnection();
  const keys = useQuery({
    queryKey: ["keys", "names"],
    queryFn: () => client.request<{ keys: ApiKey[] }>("GET", "/v1/keys", { query: { limit: MOST } }),
    enabled: mayManage(key),
    staleTime: 60_000,
  });
  const tenants = useQuery({
    queryKey: ["tenants", "names"],
    queryFn: () => client.request<TenantPage>("GET", "/v1/tenants", { query: { limit: MOST } }),
    enabled: mayDo(key, "admin"),
    staleTime: 60_000,
  });
  return useMemo(() => {
    const { tenantId, tenantName, ownTenant } = key;
    const known = new Map<string, string>([
      ...Object.entries(texts.operator.actors),
      ...(tenants.data?.tenants.map(({ id, name }) => [id, name] as const) ?? []),
      [ownTenant.id, ownTenant.name],
      [tenantId, tenantName],
      ...(keys.data?.keys.map(({ prefix, name }) => [prefix, name] as const) ?? []),
    ]);
    return (id) => known.get(id);
  }, [key, keys.data, tenants.data]);
}
