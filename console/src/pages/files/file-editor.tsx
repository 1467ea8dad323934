import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import type { File } from "recollect/client";
import { useAgent } from "../../app/connection-context.ts";
import { useLeave, useUnsaved } from "../../app/use-unsaved.ts";
import { lineDiff } from "../../lib/line-diff.ts";
import { toast } from "../../lib/toasts.ts";
import { forgetEdits } from "../../lib/unsaved.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Diff } from "../../ui/diff.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { EDITED } from "./no-file.ts";
import { useFileChanged } from "./use-file-changed.ts";

interface FileEditorProps {
  agent: string;
  file: File;
  onClose: () => void;
}

/** Edits a file. The edit is saved only if the file has not changed since it was opened. */
export function FileEditor({ agent, file, onClose }: FileEditorProps) {
  const memory = useAgent(agent);
  const leave = useLeave();
  const changed = useFileChanged(agent, file.path);
  // The file is read again from time to time. The edit is compared with the text that was opened.
  const [opened] = useState(file);
  const [text, setText] = useState(opened.content);
  const [compares, setCompares] = useState(false);
  const isDirty = text !== opened.content;
  useUnsaved(isDirty, EDITED);
  const save = useMutation({
    mutationFn: (written: string) => memory.files.put(opened.path, written, { ifMatch: opened.hash }),
    onSuccess: async () => {
      forgetEdits();
      await changed();
      onClose();
      toast(texts.labels.saved);
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (isDirty && !save.isPending) save.mutate(text);
  };
  return (
    <form
      className="flex min-h-0 grow flex-col border-t border-border"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(text);
      }}
    >
      {compares && (
        <div className="min-h-0 grow overflow-auto p-4">
          <Diff text={lineDiff(opened.content, text)} />
        </div>
      )}
      <textarea
        aria-label={texts.labels.content}
        value={text}
        dir="auto"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        className={`min-h-48 w-full grow resize-none bg-bg p-5 font-mono text-sm leading-6 text-fg outline-none focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent ${compares ? "hidden" : ""}`}
      />
      <div className="sticky bottom-0 flex flex-col gap-2 border-t border-border bg-surface px-5 py-3 max-md:px-4">
        {save.error && <ErrorBox error={save.error} />}
        <div className="flex flex-wrap items-center gap-2">
          <span role="status" className="text-sm text-fg-2">
            {isDirty ? texts.files.unsaved : texts.files.unchanged}
          </span>
          <span className="ms-auto flex flex-wrap gap-2">
            <Button kind="ghost" aria-pressed={compares} disabled={!isDirty} onClick={() => setCompares(!compares)}>
              {compares ? texts.files.backToText : texts.files.compare}
            </Button>
            <Button onClick={() => leave(onClose)}>{isDirty ? texts.files.discard : texts.labels.close}</Button>
            <Button type="submit" kind="primary" disabled={save.isPending || !isDirty}>
              {texts.labels.save}
              <Kbd>{texts.files.saveKey}</Kbd>
            </Button>
          </span>
        </div>
      </div>
    </form>
  );
}
