import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useAgent } from "../../app/connection-context.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";

/** Takes another agent's offer, so that the agent reads the other's memory. */
export function TakeMemory({ agent, sharer }: { agent: string; sharer: string }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const take = useMutation({
    mutationFn: () => memory.reads.take(sharer),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["reads", agent] }),
  });
  return (
    <>
      <button type="button" className="primary" onClick={() => take.mutate()} disabled={take.isPending}>
        {texts.labels.take}
      </button>
      {take.error && <ErrorBox error={take.error} />}
    </>
  );
}
