import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ImportedAgent } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useUnsavedFields } from "../../app/use-unsaved.ts";
import { bytes, counted } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";

/** Makes an agent from an archive that this service or another one has exported. */
export function ArchiveImport({ onDone }: { onDone: () => Promise<unknown> }) {
  const { client } = useConnection();
  const [file, setFile] = useState<File>();
  const { fields, done } = useUnsavedFields();
  const send = useMutation({
    mutationFn: async ({ as, settings }: { as: string; settings: string }) => {
      const query = { settings, ...(as === "" ? {} : { as }) };
      const headers = { "content-type": "application/gzip" };
      const response = await client.open("POST", "/v1/archives", { body: file, query, headers });
      return (await response.json()) as ImportedAgent;
    },
    onSuccess: () => {
      done();
      return onDone();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    send.mutate({ as: String(values.get("as") ?? ""), settings: values.get("keep") === null ? "drop" : "keep" });
  };
  return (
    <details className="card">
      <summary>{texts.labels.importAnArchive}</summary>
      <form onSubmit={submit} {...fields}>
        <p className="quiet">{texts.archive.import}</p>
        <label>
          {texts.labels.archive}
          <input required type="file" accept=".archive,.gz" onChange={(event) => setFile(event.target.files?.[0])} />
        </label>
        <label>
          {texts.labels.asTheAgent}
          <input name="as" placeholder={texts.labels.itsOwnName} pattern="[a-z0-9][a-z0-9_\-]*" />
        </label>
        <label className="check">
          <input type="checkbox" name="keep" defaultChecked />
          {texts.labels.withItsSettingsAndLimits}
        </label>
        {send.error && <ErrorBox error={send.error} />}
        {send.isPending && (
          <p role="status">
            {sentences.importing(bytes(file?.size ?? 0))} <progress aria-label={texts.labels.import} />
          </p>
        )}
        {send.data && (
          <p role="status">
            {sentences.imported(
              send.data.id,
              counted(send.data.files, texts.nouns.file),
              counted(send.data.messages, texts.nouns.message),
              counted(send.data.facts, texts.nouns.fact),
            )}
          </p>
        )}
        <button type="submit" className="primary" disabled={send.isPending}>
          {texts.labels.import}
        </button>
      </form>
    </details>
  );
}
