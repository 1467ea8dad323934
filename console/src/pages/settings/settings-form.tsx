import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { AgentSettings } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useUnsaved } from "../../app/use-unsaved.ts";
import { flatten } from "../../lib/flatten.ts";
import { groupOf, SETTING_GROUPS, type SettingGroup, settingName } from "../../lib/setting-groups.ts";
import { layerOf } from "../../lib/setting-layer.ts";
import { patchOf, valueAt } from "../../lib/setting-patch.ts";
import { toast } from "../../lib/toasts.ts";
import { forgetEdits } from "../../lib/unsaved.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Empty } from "../../ui/empty.tsx";
import { Section } from "../../ui/section.tsx";
import { SaveBar } from "./save-bar.tsx";
import type { SettingChange } from "./setting-changes.tsx";
import { SettingRow } from "./setting-row.tsx";

interface SettingsFormProps {
  agent: string;
  settings: AgentSettings;
  writes: boolean;
}

/** Shows the settings in groups with a control for each, and a bar once something is changed. */
export function SettingsForm({ agent, settings, writes }: SettingsFormProps) {
  const { search } = useViewAddress();
  // The values that are not saved; undefined stands for the inherited value.
  const [draft, setDraft] = useState<ReadonlyMap<string, unknown>>(new Map());
  useUnsaved(draft.size > 0);
  const [asks, setAsks] = useState(false);
  const changes = [...draft].map(([path, to]): SettingChange => ({ path, from: valueAt(settings.settings, path), to }));
  const save = useSave(agent, settings, () => {
    setDraft(new Map());
    setAsks(false);
  });
  const set = (path: string, value: unknown) => {
    const next = new Map(draft);
    const isSame = JSON.stringify(value) === JSON.stringify(valueAt(settings.settings, path));
    if (isSame && value !== undefined) next.delete(path);
    else next.set(path, value);
    setDraft(next);
  };
  const drop = (path: string) => setDraft(new Map([...draft].filter(([one]) => one !== path)));
  const groups = grouped(shownPaths(settings, search));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.size > 0) setAsks(true);
  };
  return (
    <form className="flex min-h-0 grow flex-col" onSubmit={submit}>
      <div className="min-h-0 grow overflow-auto" data-scroll="">
        <div className="mx-auto flex w-full max-w-[75rem] items-start gap-6 p-5 max-md:p-4">
          <GroupLinks groups={groups} />
          <div className="flex min-w-0 grow flex-col gap-5">
            {groups.length === 0 && <Empty title={texts.settings.noneFound} />}
            {groups.map(([group, paths]) => (
              <div key={group} id={`settings-${group}`} className="scroll-mt-5">
                <Section title={texts.settings.groups[group]} note={texts.settings.groupNotes[group]}>
                  <ul className="flex flex-col divide-y divide-border">
                    {paths.map((path) => (
                      <SettingRow
                        key={path}
                        path={path}
                        settings={settings}
                        writes={writes}
                        isDraft={draft.has(path)}
                        draft={draft.get(path)}
                        onSet={(value) => set(path, value)}
                        onDrop={() => drop(path)}
                      />
                    ))}
                  </ul>
                </Section>
              </div>
            ))}
          </div>
        </div>
      </div>
      {draft.size > 0 && (
        <SaveBar
          changes={changes}
          settings={settings}
          asks={asks}
          error={save.error}
          isSaving={save.isPending}
          onDiscard={() => setDraft(new Map())}
          onSave={() => save.mutate(draft)}
          onClose={() => setAsks(false)}
        />
      )}
    </form>
  );
}

function useSave(agent: string, { own }: AgentSettings, onSaved: () => void) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const put = async (values: ReadonlyMap<string, unknown>) => {
    await client.agents.change(agent, { settings: patchOf(values) });
    await queries.invalidateQueries({ queryKey: ["settings", agent] });
  };
  return useMutation({
    mutationFn: put,
    onSuccess: (_, values) => {
      const before = new Map([...values.keys()].map((path) => [path, valueAt(own, path)]));
      forgetEdits();
      onSaved();
      toast(texts.labels.saved, { undo: () => put(before) });
    },
  });
}

function shownPaths(
  { settings, shapes, origins, descriptions }: AgentSettings,
  { find = "", changed }: Readonly<Record<string, string>>,
): string[] {
  const wanted = find.toLowerCase();
  // A setting without a value is among the shapes only. A setting that this page does not know is among the
  // values only.
  const all = new Set([...Object.keys(shapes), ...flatten(settings).map(([path]) => path)]);
  return [...all]
    .filter((path) => ![...all].some((other) => other.length < path.length && path.startsWith(`${other}.`)))
    .filter((path) => changed !== "true" || layerOf(path, origins) !== "default")
    .filter((path) => `${path} ${settingName(path)} ${descriptions[path] ?? ""}`.toLowerCase().includes(wanted));
}

function grouped(paths: readonly string[]): [SettingGroup, string[]][] {
  return SETTING_GROUPS.map((group): [SettingGroup, string[]] => [
    group,
    paths.filter((path) => groupOf(path) === group),
  ]).filter(([, own]) => own.length > 0);
}

/** Leads to the groups, on wide windows. */
function GroupLinks({ groups }: { groups: readonly [SettingGroup, string[]][] }) {
  const show = (group: SettingGroup) =>
    document.getElementById(`settings-${group}`)?.scrollIntoView({ block: "start", behavior: "smooth" });
  if (groups.length < 2) return null;
  return (
    <nav aria-label={texts.settings.groupsLabel} className="sticky top-5 flex w-44 shrink-0 flex-col max-lg:hidden">
      {groups.map(([group, paths]) => (
        <button
          key={group}
          type="button"
          onClick={() => show(group)}
          className="flex items-center justify-between rounded-md px-3 py-1.5 text-start text-sm text-fg-2 hover:bg-hover hover:text-fg"
        >
          {texts.settings.groups[group]}
          <span className="tabular text-xs text-fg-3">{paths.length}</span>
        </button>
      ))}
    </nav>
  );
}
