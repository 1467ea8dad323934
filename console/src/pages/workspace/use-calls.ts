import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type ActivitySummary, type CallsOfOne, RecollectError } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayManage } from "../../lib/connection.ts";

/** How often a memory was used: searches, recalls and captures. */
export interface Calls {
  times: number;
  failed: number;
}

/**
 * Reads how the memories of the tenant were used within some days. The answer is null if the
 * service is older than the sums.
 */
export function useCalls(by: "agent" | "actor" | "none", days = 30) {
  const { client, key } = useConnection();
  return useQuery({
    queryKey: ["calls", by, days],
    queryFn: () => readCalls(() => client.activitySummary({ by, days })),
    enabled: mayManage(key),
    staleTime: 30_000,
  });
}

async function readCalls(read: () => Promise<ActivitySummary>): Promise<ActivitySummary | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RecollectError && error.status === 404) return null;
    throw error;
  }
}

/** Returns how often each agent was used within a month; undefined: not known. */
export function useCallsByAgent(): ReadonlyMap<string, Calls> | undefined {
  return useSums("agent", ({ agentId }) => agentId);
}

/** Returns how often each key was used within a month, by the beginning of the key. */
export function useCallsByKey(): ReadonlyMap<string, Calls> | undefined {
  return useSums("actor", ({ actor }) => actor);
}

function useSums(by: "agent" | "actor", idOf: (one: CallsOfOne) => string | undefined) {
  const { data } = useCalls(by);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is a constant of the caller.
  return useMemo(() => {
    if (!data) return undefined;
    const sums = new Map<string, Calls>();
    for (const one of data.groups) {
      const id = idOf(one) ?? "";
      const { times, failed } = sums.get(id) ?? { times: 0, failed: 0 };
      sums.set(id, { times: times + one.times, failed: failed + one.failed });
    }
    return sums;
  }, [data]);
}
