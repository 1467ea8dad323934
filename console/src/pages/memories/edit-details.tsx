import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import type { Fact, FactChange } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { FactFields, valuesOf } from "./fact-form.tsx";

/** Changes what a fact is about and how it counts; its sentence stays. */
export function EditDetails({ agent, fact, onClose }: { agent: string; fact: Fact; onClose: () => void }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const { change } = useViewAddress();
  const save = useMutation({
    mutationFn: (input: FactChange) => memory.facts.change(fact.id, input),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ["facts", agent] });
      onClose();
      // A new subject makes a new version.
      if (id !== fact.id) change({ id }, true);
      toast(texts.labels.saved);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { subject, ...values } = valuesOf(event.currentTarget);
    const isSame = subject === (fact.subject ?? "");
    save.mutate({ ...values, ...(isSame ? {} : { subject: subject || null }) });
  };
  return (
    <Dialog title={texts.memories.editDetails} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <p dir="auto" className="text-sm text-fg-2">
          {fact.text}
        </p>
        <FactFields fact={fact} />
        {save.error && <ErrorBox error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.labels.cancel}</Button>
          <Button type="submit" kind="primary" disabled={save.isPending}>
            {texts.labels.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
