import { useQuery } from "@tanstack/react-query";
import { mayRead } from "../lib/connection.ts";
import { useConnection } from "./connection-context.ts";

const EVERY_MS = 15_000;

/** Reads the counts of an agent's memory and the state of its index, if the key may read them. */
export function useStatus(agent: string) {
  const { client, key } = useConnection();
  return useQuery({
    queryKey: ["status", agent],
    queryFn: () => client.agent(agent).status(),
    enabled: mayRead(key, agent),
    refetchInterval: EVERY_MS,
  });
}
