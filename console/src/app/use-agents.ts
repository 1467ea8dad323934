import { useQuery } from "@tanstack/react-query";
import { mayDo } from "../lib/connection.ts";
import { useConnection } from "./connection-context.ts";

/** Reads the first 200 agents of the tenant, if the key may see agents other than its own. */
export function useAgents() {
  const { client, key } = useConnection();
  return useQuery({
    queryKey: ["agents", "first"],
    queryFn: () => client.agents.list({ limit: 200 }),
    enabled: key.agentId === null && mayDo(key, "agent:read"),
  });
}
