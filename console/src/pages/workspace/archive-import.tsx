import { useState } from "react";
import type { ImportedAgent } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { FormDialog, textOf } from "../../app/form-dialog.tsx";
import { bytes, counted } from "../../lib/format.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Check } from "../../ui/check.tsx";
import { Field, Input } from "../../ui/input.tsx";

/** Makes an agent from an archive that this service or another one has exported. */
export function ArchiveImport({ onDone }: { onDone: () => Promise<unknown> }) {
  const { client } = useConnection();
  const { change } = useViewAddress();
  const [file, setFile] = useState<File>();
  const send = async (values: FormData) => {
    const as = textOf(values, "as");
    const query = { settings: values.get("keep") === null ? "drop" : "keep", ...(as === "" ? {} : { as }) };
    const headers = { "content-type": "application/gzip" };
    const response = await client.open("POST", "/v1/archives", { ...(file ? { body: file } : {}), query, headers });
    return (await response.json()) as ImportedAgent;
  };
  return (
    <FormDialog
      title={texts.labels.importAnArchive}
      action={texts.labels.import}
      shownBy="new"
      onClose={() => change({ new: undefined })}
      send={send}
      onSent={async ({ id, files, messages, facts }) => {
        await onDone();
        change({ new: undefined }, true);
        toast(
          sentences.imported(
            id,
            counted(files, texts.nouns.file),
            counted(messages, texts.nouns.message),
            counted(facts, texts.nouns.fact),
          ),
        );
      }}
      progress={
        <p role="status" className="text-sm text-fg-2">
          {sentences.importing(bytes(file?.size ?? 0))} <progress aria-label={texts.labels.import} />
        </p>
      }
    >
      <p className="text-sm text-fg-2">{texts.archive.import}</p>
      <Field label={texts.labels.archive}>
        <input
          required
          type="file"
          accept=".archive,.gz"
          className="text-sm file:me-3 file:h-8 file:rounded-md file:border file:border-border file:bg-surface file:px-3"
          onChange={(event) => setFile(event.target.files?.[0])}
        />
      </Field>
      <Field label={texts.labels.asTheAgent}>
        <Input name="as" placeholder={texts.labels.itsOwnName} pattern="[a-z0-9][a-z0-9_\-]*" />
      </Field>
      <Check name="keep" defaultChecked label={texts.labels.withItsSettingsAndLimits} />
    </FormDialog>
  );
}
