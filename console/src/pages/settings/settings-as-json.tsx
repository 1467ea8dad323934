import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentSettings } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { FormDialog } from "../../app/form-dialog.tsx";
import { differencesOf } from "../../lib/flatten.ts";
import { mergePatch } from "../../lib/merge-patch.ts";
import { toast } from "../../lib/toasts.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Field } from "../../ui/input.tsx";
import { SettingChanges } from "./setting-changes.tsx";

type Json = Record<string, unknown>;

/** Edits the agent's own settings as JSON, such as a block of a configuration to paste. */
export function SettingsAsJson({ agent, settings }: { agent: string; settings: AgentSettings }) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { change } = useViewAddress();
  const { own } = settings;
  const [text, setText] = useState(() => JSON.stringify(own, null, 2));
  const wanted = parsed(text);
  return (
    <FormDialog
      title={texts.settings.asJson}
      action={texts.labels.save}
      shownBy="edit"
      wide
      onClose={() => change({ edit: undefined })}
      send={() => {
        if (!wanted) throw new Error(texts.settings.noJson);
        return client.agents.change(agent, { settings: mergePatch(own, wanted) });
      }}
      onSent={async () => {
        await queries.invalidateQueries({ queryKey: ["settings", agent] });
        change({ edit: undefined }, true);
        toast(texts.labels.saved);
      }}
    >
      <Field label={texts.labels.ownSettingsJson} hint={texts.settings.jsonHint}>
        <textarea
          rows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="w-full rounded-md border border-border bg-bg p-3 font-mono text-xs text-fg"
        />
      </Field>
      {wanted ? (
        <SettingChanges changes={differencesOf(own, wanted)} settings={settings} />
      ) : (
        <p className="text-sm text-bad">{texts.settings.noJson}</p>
      )}
    </FormDialog>
  );
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
