import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { FactInput } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useUnsaved } from "../../app/use-unsaved.ts";
import { toast } from "../../lib/toasts.ts";
import { forgetEdits } from "../../lib/unsaved.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Field } from "../../ui/input.tsx";
import { FactFields, valuesOf } from "./fact-form.tsx";
import { addressOfPerson, type Person } from "./use-people.ts";

interface AddFactProps {
  agent: string;
  /** The person whose facts are shown; the new fact is for the same person. */
  person: Person | undefined;
  onClose: () => void;
}

/** Adds one fact, given as a sentence. */
export function AddFact({ agent, person, onClose }: AddFactProps) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const { change } = useViewAddress();
  const [text, setText] = useState("");
  useUnsaved(text !== "", "add");
  const add = useMutation({
    mutationFn: (input: FactInput) => memory.facts.add(input),
    onSuccess: async ({ facts: [stored] }) => {
      forgetEdits();
      await queries.invalidateQueries({ queryKey: ["facts", agent] });
      change({ add: undefined, ...(stored ? { id: stored.id } : {}) }, true);
      toast(texts.memories.added);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { subject, ...values } = valuesOf(event.currentTarget);
    const { user } = addressOfPerson(person?.id ?? "");
    add.mutate({ text: text.trim(), ...values, ...(subject ? { subject } : {}), ...(user ? { scope: { user } } : {}) });
  };
  return (
    <Dialog title={texts.labels.addAFact} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label={texts.labels.fact} hint={texts.memories.addHint}>
          <textarea
            required
            rows={3}
            dir="auto"
            maxLength={2000}
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder={texts.memories.addExample}
            className="w-full rounded-md border border-border bg-bg px-3 py-2 text-lg text-fg"
          />
        </Field>
        <FactFields subject={person?.name} />
        {add.error && <ErrorBox error={add.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.labels.cancel}</Button>
          <Button type="submit" kind="primary" disabled={add.isPending || text.trim() === ""}>
            {texts.labels.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
