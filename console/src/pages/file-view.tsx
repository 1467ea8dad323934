import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type File, RecollectError } from "recollect/client";
import { useAgent, useConnection } from "../app/connection-context.ts";
import { useLeave, useUnsaved } from "../app/use-unsaved.ts";
import { useViewAddress } from "../app/view-address.ts";
import { mayDo } from "../lib/connection.ts";
import { bytes, counted, moment } from "../lib/format.ts";
import { forgetEdits } from "../lib/unsaved.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Confirm } from "../ui/confirm.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { FileChunks } from "./file-chunks.tsx";
import { FileVersions, useFileChanged } from "./past/file-versions.tsx";

type Mode = "read" | "source" | "chunks" | "history" | "edit";

/**
 * Shows one file: rendered, as source, as chunks, with its earlier versions, or in an editor.
 *
 * @param line the line to show; 0: the beginning
 */
export function FileView({ agent, path, line }: { agent: string; path: string; line: number }) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const { search, change } = useViewAddress();
  const changed = useFileChanged(agent, path);
  const [mode, setMode] = useState<Mode>(search.version ? "history" : line > 0 ? "source" : "read");
  const [erasing, setErasing] = useState(false);
  const leave = useLeave();
  const show = (other: Mode) => other !== mode && leave(() => setMode(other));
  const file = useQuery({ queryKey: ["file", agent, path], queryFn: () => memory.files.get(path) });
  if (file.isPending) return <Loading what={path} />;
  const restored = () => {
    setMode("read");
    change({ version: undefined, show: undefined, deleted: undefined });
  };
  // An edit stays open even if the file is deleted meanwhile. Saving the edit then reports this.
  const isEdited = mode === "edit" && file.data !== undefined;
  if (!isEdited && file.error instanceof RecollectError && file.error.status === 404)
    return (
      <article>
        <h2 dir="auto">{path}</h2>
        <p className="quiet">{texts.versions.gone}</p>
        <FileVersions agent={agent} path={path} onRestored={restored} />
      </article>
    );
  if (file.error && !isEdited) return <ErrorBox error={file.error} onRetry={() => void file.refetch()} />;
  const { content, hash, size, lines, mtime, origin } = file.data;
  const erase = async () => {
    await memory.files.delete(path, { ifMatch: hash });
    forgetEdits();
    await changed("gone");
    change({ path: undefined, line: undefined, version: undefined, show: undefined });
  };
  return (
    <article>
      <h2 dir="auto">{path}</h2>
      <p className="quiet">
        {sentences.file(bytes(size), counted(lines, texts.files.line), moment(mtime))}
        {origin && sentences.syncedFrom(origin)}
      </p>
      <fieldset className="row" aria-label={texts.labels.view}>
        <button type="button" aria-pressed={mode === "read"} onClick={() => show("read")}>
          {texts.labels.read}
        </button>
        <button type="button" aria-pressed={mode === "source"} onClick={() => show("source")}>
          {texts.labels.source}
        </button>
        <button type="button" aria-pressed={mode === "chunks"} onClick={() => show("chunks")}>
          {texts.labels.chunks}
        </button>
        <button type="button" aria-pressed={mode === "history"} onClick={() => show("history")}>
          {texts.labels.history}
        </button>
        {mayDo(key, "agent:write") && (
          <>
            <button type="button" aria-pressed={mode === "edit"} onClick={() => show("edit")}>
              {texts.labels.edit}
            </button>
            <button type="button" className="danger" onClick={() => setErasing(true)}>
              {texts.labels.delete}
            </button>
          </>
        )}
      </fieldset>
      {mode === "read" && <Markdown text={content} />}
      {mode === "source" && <Source content={content} line={line} />}
      {mode === "chunks" && <FileChunks agent={agent} path={path} content={content} />}
      {mode === "history" && <FileVersions agent={agent} path={path} onRestored={restored} />}
      {mode === "edit" && <Editor agent={agent} file={file.data} onSaved={() => setMode("read")} />}
      {erasing && (
        <Confirm
          title={texts.labels.deleteTheFile}
          message={texts.files.erase}
          name={path}
          action={texts.labels.delete}
          onConfirm={erase}
          onClose={() => setErasing(false)}
        />
      )}
    </article>
  );
}

/** Shows the text with its line numbers, which citations refer to. */
function Source({ content, line }: { content: string; line: number }) {
  const rows = content.split("\n");
  const show = (element: HTMLLIElement | null) => element?.scrollIntoView({ block: "center" });
  return (
    <ol className="source" dir="auto">
      {rows.slice(0, 20_000).map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is what stands at its number.
        <li key={at} {...(at + 1 === line ? { ref: show, "aria-current": "true" as const } : {})}>
          {row}
        </li>
      ))}
    </ol>
  );
}

/** Edits a file. The edit is saved only if the file has not changed since it was opened. */
function Editor({ agent, file, onSaved }: { agent: string; file: File; onSaved: () => void }) {
  const memory = useAgent(agent);
  const changed = useFileChanged(agent, file.path);
  // The file is read again from time to time. The edit is compared with the text that was opened.
  const [opened] = useState(file);
  const [text, setText] = useState(opened.content);
  useUnsaved(text !== opened.content, "path");
  const save = useMutation({
    mutationFn: () => memory.files.put(opened.path, text, { ifMatch: opened.hash }),
    onSuccess: async () => {
      forgetEdits();
      await changed();
      onSaved();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <label>
        {texts.labels.content}
        <textarea rows={24} value={text} dir="auto" onChange={(event) => setText(event.target.value)} />
      </label>
      {save.error && <ErrorBox error={save.error} />}
      <button type="submit" className="primary" disabled={save.isPending || text === opened.content}>
        {texts.labels.save}
      </button>
    </form>
  );
}
