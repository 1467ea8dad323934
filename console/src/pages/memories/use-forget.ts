import { useQueryClient } from "@tanstack/react-query";
import type { Fact } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { messageOf } from "../../lib/connection.ts";
import { doLater } from "../../lib/delayed.ts";
import { counted } from "../../lib/format.ts";
import { TOAST_MS, toast } from "../../lib/toasts.ts";
import { texts } from "../../texts/texts.ts";
import { factKey } from "./use-facts.ts";

/**
 * Returns a function that forgets facts ten seconds later. Until then they are only hidden, and Undo
 * shows them again.
 */
export function useForget(agent: string): (facts: readonly Fact[]) => void {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  return (facts) => {
    const takeBack = facts.map(({ id }) =>
      doLater(factKey(agent, id), TOAST_MS, async () => {
        try {
          const { stillIn = [] } = await memory.facts.forget(id);
          if (stillIn.length > 0) toast(texts.memories.stillIn(stillIn.join(", ")));
        } catch (error) {
          toast(messageOf(error), { failed: true });
        }
        await queries.invalidateQueries({ queryKey: ["facts", agent] });
      }),
    );
    const [one] = facts;
    const text =
      facts.length === 1 && one
        ? texts.memories.forgotten(one.text)
        : texts.memories.forgottenMany(counted(facts.length, texts.nouns.fact));
    toast(text, {
      undo: () => {
        for (const back of takeBack) back();
      },
    });
  };
}
