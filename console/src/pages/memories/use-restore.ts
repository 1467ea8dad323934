import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AgentClient, Fact, StoredFacts } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { messageOf } from "../../lib/connection.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";

/**
 * Makes an earlier fact hold again. The fact is stored anew and replaces the versions that hold now.
 */
export function useRestore(agent: string, versions: readonly Fact[]) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const { change } = useViewAddress();
  return useMutation({
    mutationFn: (fact: Fact) => storeAgain(memory, fact, versions),
    onSuccess: async ({ facts: [stored] }) => {
      await queries.invalidateQueries({ queryKey: ["facts", agent] });
      if (stored) change({ id: stored.id });
      toast(texts.memories.restored);
    },
    onError: (error) => toast(messageOf(error), { failed: true }),
  });
}

/** Stores an earlier fact anew, in place of the versions that hold now. */
export function storeAgain(memory: AgentClient, fact: Fact, versions: readonly Fact[]): Promise<StoredFacts> {
  const { text, subject, key, category, importance, tags, scope } = fact;
  const holding = versions.filter(({ validTo }) => !validTo).map(({ id }) => id);
  return memory.facts.add({
    text,
    category,
    importance,
    tags,
    scope,
    ...(holding.length > 0 ? { supersedes: holding } : {}),
    ...(subject ? { subject } : {}),
    ...(key ? { key } : {}),
  });
}
