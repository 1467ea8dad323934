import { ArrowRight } from "lucide-react";
import type { AgentSettings } from "recollect/client";
import { settingName } from "../../lib/setting-groups.ts";
import { texts } from "../../texts/texts.ts";
import { Words } from "../../ui/words.tsx";

export interface SettingChange {
  path: string;
  /** Undefined: the value of a weaker layer counts. */
  from: unknown;
  to: unknown;
}

/** Lists changed settings with their old and new values, and says whether the index is rebuilt. */
export function SettingChanges({ changes, settings }: { changes: readonly SettingChange[]; settings: AgentSettings }) {
  const { settings: words } = texts;
  if (changes.length === 0) return <p className="text-sm text-fg-2">{words.noChange}</p>;
  return (
    <section aria-label={texts.labels.whatTheChangeDoes} className="flex flex-col gap-2">
      <ul className="flex flex-col divide-y divide-border rounded-md bg-sunken px-3">
        {changes.map(({ path, from, to }) => (
          <li key={path} className="flex flex-col gap-1 py-2 text-sm">
            <span className="flex flex-wrap items-center gap-2">
              <strong>{settingName(path)}</strong>
              <code className="font-mono text-xs text-fg-2">{path}</code>
            </span>
            <span className="flex flex-wrap items-center gap-2">
              <del className="rounded bg-taken-out px-1.5 no-underline">{shown(from)}</del>
              <ArrowRight aria-hidden="true" className="size-3.5 text-fg-3" />
              <ins className="rounded bg-put-in px-1.5 no-underline">{shown(to)}</ins>
            </span>
            {settings.descriptions[path] === undefined && (
              <span className="text-xs text-bad">
                <Words text={words.unknown} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <p className="text-sm">{effectOf(changes, settings)}</p>
    </section>
  );
}

/** Returns what saving does to the index. */
export function effectOf(changes: readonly SettingChange[], { descriptions }: AgentSettings): string {
  const rebuilds = changes.some(({ path }) => /New index\./.test(descriptions[path] ?? ""));
  return rebuilds ? texts.settings.newIndex : texts.settings.atOnce;
}

function shown(value: unknown): string {
  if (value === undefined) return texts.settings.inherited;
  return typeof value === "string" ? value : JSON.stringify(value);
}
