import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAgent } from "../app/connection-context.ts";
import { useUnsaved } from "../app/use-unsaved.ts";
import { texts } from "../texts/texts.ts";
import { ErrorBox } from "../ui/error-box.tsx";

/** Adds one fact, given as a sentence. */
export function AddFact({ agent }: { agent: string }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const [text, setText] = useState("");
  useUnsaved(text !== "");
  const add = useMutation({
    mutationFn: () => memory.facts.add({ text }),
    onSuccess: () => {
      setText("");
      return queries.invalidateQueries({ queryKey: ["facts", agent] });
    },
  });
  return (
    <details>
      <summary>{texts.labels.addAFact}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <label>
          {texts.labels.whatHolds}
          <input required value={text} dir="auto" maxLength={2000} onChange={(event) => setText(event.target.value)} />
        </label>
        {add.error && <ErrorBox error={add.error} />}
        <button type="submit" className="primary" disabled={add.isPending}>
          {texts.labels.add}
        </button>
      </form>
    </details>
  );
}
