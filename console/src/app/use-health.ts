import { useQuery } from "@tanstack/react-query";
import type { Findings } from "recollect/client";
import { mayDo } from "../lib/connection.ts";
import { has } from "../lib/features.ts";
import { useConnection } from "./connection-context.ts";

const EVERY_MS = 60_000;

/** Reads what the service finds about itself and about an agent, if the key may. */
export function useHealth(agent: string) {
  const { client, key } = useConnection();
  return useQuery({
    queryKey: ["doctor", agent],
    queryFn: () => client.request<Findings>("GET", "/v1/doctor", { query: { agent } }),
    enabled: has("doctor") && mayDo(key, "search"),
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
  });
}
