import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Fact } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useUnsaved } from "../../app/use-unsaved.ts";
import { toast } from "../../lib/toasts.ts";
import { forgetEdits } from "../../lib/unsaved.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { EDITED } from "./edited.ts";

/**
 * Corrects a fact in its place. The old wording stays in its history, and Undo makes it hold again.
 */
export function CorrectFact({ agent, fact, onClose }: { agent: string; fact: Fact; onClose: () => void }) {
  const memory = useAgent(agent);
  const queries = useQueryClient();
  const { change } = useViewAddress();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(fact.text);
  useUnsaved(text !== fact.text, EDITED);
  useEffect(() => field.current?.select(), []);
  const write = async (id: string, next: string) => {
    const { id: stored } = await memory.facts.change(id, { text: next });
    await queries.invalidateQueries({ queryKey: ["facts", agent] });
    return stored;
  };
  const correct = useMutation({
    mutationFn: (next: string) => write(fact.id, next),
    onSuccess: (id) => {
      forgetEdits();
      change({ id, edit: undefined }, true);
      toast(texts.memories.corrected, {
        undo: async () => change({ id: await write(id, fact.text), edit: undefined }, true),
      });
    },
  });
  const cancel = () => {
    forgetEdits();
    onClose();
  };
  const isReady = text.trim() !== "" && text.trim() !== fact.text && !correct.isPending;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") cancel();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (isReady) correct.mutate(text.trim());
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) correct.mutate(text.trim());
      }}
    >
      <textarea
        ref={field}
        aria-label={texts.memories.newWording}
        dir="auto"
        rows={2}
        maxLength={2000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="w-full rounded-md border border-border bg-bg px-3 py-2 text-lg"
      />
      {correct.error && <ErrorBox error={correct.error} />}
      <div className="flex items-center gap-2">
        <Button type="submit" kind="primary" disabled={!isReady}>
          {texts.labels.save}
        </Button>
        <Button onClick={cancel}>{texts.labels.cancel}</Button>
        <span className="text-xs text-fg-2 max-md:hidden">{texts.memories.correctHint}</span>
      </div>
    </form>
  );
}
