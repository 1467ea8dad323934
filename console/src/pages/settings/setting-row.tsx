import { RotateCcw, Undo2 } from "lucide-react";
import { useId } from "react";
import type { AgentSettings } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { cn } from "../../lib/cn.ts";
import { mayDo } from "../../lib/connection.ts";
import { settingName } from "../../lib/setting-groups.ts";
import { layerOf } from "../../lib/setting-layer.ts";
import { valueAt } from "../../lib/setting-patch.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Words } from "../../ui/words.tsx";
import { SettingControl } from "./setting-control.tsx";

interface SettingRowProps {
  path: string;
  settings: AgentSettings;
  writes: boolean;
  /** Whether the value is changed and not saved; `draft` is the new value, undefined: inherited. */
  isDraft: boolean;
  draft: unknown;
  onSet: (value: unknown) => void;
  onDrop: () => void;
}

/** Shows a setting: its name, what it does, its control, and which layer it comes from. */
export function SettingRow({ path, settings, writes, isDraft, draft, onSet, onDrop }: SettingRowProps) {
  const { key } = useConnection();
  const id = useId();
  const { shapes, origins, descriptions, own, settings: values } = settings;
  const shape = shapes[path];
  const inherits = isDraft && draft === undefined;
  const mayThis = shape?.setBy === "tenant" || (shape?.setBy === "operator" && mayDo(key, "admin"));
  const isOwn = valueAt(own, path) !== undefined;
  const { settings: words } = texts;
  return (
    <li
      className={cn(
        "grid grid-cols-[minmax(0,1fr)_18rem] gap-x-6 gap-y-2 py-3 max-md:grid-cols-1",
        isDraft && "shadow-[inset_2px_0_0_var(--color-accent)] ps-3",
      )}
    >
      <div className="flex min-w-0 flex-col gap-0.5">
        <span className="text-sm font-semibold">{settingName(path)}</span>
        <code className="font-mono text-xs text-fg-2 [overflow-wrap:anywhere]">{path}</code>
        <p id={`${id}-what`} className="max-w-prose text-sm text-fg-2">
          <Words text={(descriptions[path] ?? "").replace(/\s*New index\./, "")} />
          {shape?.newIndex && (
            <span className="ms-2 inline-flex">
              <Badge title={words.newIndex}>{words.newIndexShort}</Badge>
            </span>
          )}
        </p>
      </div>
      <div className="flex min-w-0 flex-col items-stretch gap-1">
        {inherits ? (
          <p className="flex h-8 items-center text-sm text-fg-2">{words.inherited}</p>
        ) : (
          <SettingControl
            label={settingName(path)}
            describedBy={`${id}-what`}
            shape={shape}
            value={isDraft ? draft : valueAt(values, path)}
            disabled={!writes || !mayThis}
            onSet={onSet}
          />
        )}
        <span className="flex min-h-7 flex-wrap items-center gap-2">
          <Origin origin={isDraft && !inherits ? "agent" : layerOf(path, origins)} isDraft={isDraft} />
          {writes && !mayThis && shape && <span className="text-xs text-fg-2">{words.setBy[shape.setBy]}</span>}
          <span className="ms-auto">
            {isDraft ? (
              <Button kind="ghost" size="small" onClick={onDrop} aria-label={words.undoOf(settingName(path))}>
                <Undo2 aria-hidden="true" className="size-3.5" />
                {texts.actions.undo}
              </Button>
            ) : (
              isOwn &&
              writes &&
              mayThis && (
                <Button
                  kind="ghost"
                  size="small"
                  onClick={() => onSet(undefined)}
                  aria-label={words.resetOf(settingName(path))}
                >
                  <RotateCcw aria-hidden="true" className="size-3.5" />
                  {words.reset}
                </Button>
              )
            )}
          </span>
        </span>
      </div>
    </li>
  );
}

function Origin({ origin, isDraft }: { origin: string; isDraft: boolean }) {
  const { settings: words } = texts;
  if (isDraft) return <Badge tone="accent">{words.notSaved}</Badge>;
  if (origin === "default") return <span className="text-xs text-fg-3">{words.byDefault}</span>;
  return <Badge tone={origin === "agent" ? "accent" : "neutral"}>{words.origins[origin] ?? origin}</Badge>;
}
