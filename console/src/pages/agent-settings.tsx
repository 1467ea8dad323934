import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection } from "../app/connection-context.ts";
import { useUnsaved } from "../app/use-unsaved.ts";
import { mayDo } from "../lib/connection.ts";
import { differencesOf } from "../lib/flatten.ts";
import { mergePatch } from "../lib/merge-patch.ts";
import { texts } from "../texts/texts.ts";
import { ErrorBox } from "../ui/error-box.tsx";
import { Words } from "../ui/words.tsx";

type Json = Record<string, unknown>;

interface AgentSettingsProps {
  agent: string;
  own: Json;
  /** The description of each setting, by dotted path. */
  descriptions: Record<string, string>;
}

/**
 * Edits the agent's own settings as JSON. Shows the effect of a change before it is saved; the
 * service checks the change.
 */
export function AgentSettings({ agent, own, descriptions }: AgentSettingsProps) {
  const { client, key } = useConnection();
  const queries = useQueryClient();
  const [text, setText] = useState(() => JSON.stringify(own, null, 2));
  const wanted = parsed(text);
  const [saved, setSaved] = useState(text);
  useUnsaved(text !== saved);
  const change = useMutation({
    mutationFn: async () => client.agents.change(agent, { settings: mergePatch(own, wanted ?? {}) }),
    onSuccess: () => {
      setSaved(text);
      return queries.invalidateQueries({ queryKey: ["settings", agent] });
    },
  });
  if (!mayDo(key, "tenant")) return null;
  return (
    <details className="card">
      <summary>{texts.labels.changeTheAgentsOwnSettings}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <label>
          {texts.labels.ownSettingsJson}
          <textarea rows={10} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        {wanted ? (
          <Effects own={own} wanted={wanted} descriptions={descriptions} />
        ) : (
          <p className="problem">{texts.settings.noJson}</p>
        )}
        {change.error && <ErrorBox error={change.error} />}
        {change.isSuccess && <p role="status">{texts.labels.saved}</p>}
        <button type="submit" className="primary" disabled={change.isPending || !wanted}>
          {texts.labels.save}
        </button>
      </form>
    </details>
  );
}

/** Lists the changed settings with their descriptions, and says whether the index is rebuilt. */
function Effects({ own, wanted, descriptions }: { own: Json; wanted: Json; descriptions: Record<string, string> }) {
  const changes = differencesOf(own, wanted);
  if (changes.length === 0) return <p className="quiet">{texts.settings.noChange}</p>;
  const rebuilds = changes.some(({ path }) => /New index\./.test(descriptions[path] ?? ""));
  return (
    <section aria-label={texts.labels.whatTheChangeDoes}>
      <ul>
        {changes.map(({ path, from, to }) => (
          <li key={path}>
            <code>{path}</code>: {shown(from)} → {shown(to)}.{" "}
            <span className="quiet">
              <Words text={descriptions[path] ?? texts.settings.unknown} />
            </span>
          </li>
        ))}
      </ul>
      <p>{rebuilds ? texts.settings.newIndex : texts.settings.atOnce}</p>
    </section>
  );
}

const shown = (value: unknown): string => (value === undefined ? texts.settings.notSet : JSON.stringify(value));

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
