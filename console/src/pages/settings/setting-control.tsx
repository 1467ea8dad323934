import type { AgentSettings } from "recollect/client";
import { count } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { Toggle } from "../../ui/toggle.tsx";

type Shape = AgentSettings["shapes"][string];

interface SettingControlProps {
  label: string;
  /** The id of the element that explains the setting. */
  describedBy: string;
  /** Undefined: the service is older than shapes, or the setting is not known to it. */
  shape: Shape | undefined;
  value: unknown;
  disabled: boolean;
  onSet: (value: unknown) => void;
}

/** The control of a setting, by the shape of its values. */
export function SettingControl(props: SettingControlProps) {
  const { shape, value, disabled, label, describedBy, onSet } = props;
  const aria = { "aria-label": label, "aria-describedby": describedBy, disabled };
  switch (shape?.type) {
    case "switch":
      return (
        <Toggle {...aria} on={value === true} onToggle={onSet}>
          {value === true ? texts.settings.on : texts.settings.off}
        </Toggle>
      );
    case "choice":
      return (
        <Select
          {...aria}
          of={shape.values ?? []}
          value={String(value ?? "")}
          onChange={(event) => onSet(event.currentTarget.value)}
        >
          {value === undefined && <option value="">{texts.settings.notSet}</option>}
        </Select>
      );
    case "integer":
    case "number":
      return <NumberControl {...props} shape={shape} />;
    case "list":
      if (shape.values) return <ChoicesControl {...props} values={shape.values} />;
      return isTexts(value) ? <ListControl {...props} value={value} /> : <Shown value={value} />;
    case "text":
      return (
        <Input
          {...aria}
          value={typeof value === "string" ? value : ""}
          placeholder={texts.settings.notSet}
          autoComplete="off"
          onChange={(event) => onSet(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
        />
      );
    default:
      return <Shown value={value} />;
  }
}

/** A value that has no control: its JSON. */
function Shown({ value }: { value: unknown }) {
  return (
    <code className="flex min-h-8 items-center font-mono text-xs [overflow-wrap:anywhere]">
      {value === undefined ? texts.settings.notSet : JSON.stringify(value)}
    </code>
  );
}

/** A number, or one of the words that are allowed in its place. */
function NumberControl({ shape, value, disabled, label, describedBy, onSet }: SettingControlProps & { shape: Shape }) {
  const { minimum, maximum, values = [], type } = shape;
  const isWord = typeof value === "string" && values.includes(value);
  const aria = { "aria-label": label, "aria-describedby": describedBy, disabled };
  return (
    <span className="flex items-center gap-2">
      {values.length > 0 && (
        <Select
          {...aria}
          of={Object.fromEntries([...values.map((one) => [one, one]), ["", texts.settings.aNumber]])}
          value={isWord ? value : ""}
          onChange={(event) => onSet(event.currentTarget.value || (minimum ?? 0))}
          className="grow"
        />
      )}
      {!isWord && (
        <Input
          {...aria}
          type="number"
          min={minimum}
          max={maximum}
          step={type === "integer" ? 1 : "any"}
          value={typeof value === "number" ? value : ""}
          placeholder={texts.settings.notSet}
          onChange={(event) => {
            const text = event.currentTarget.value;
            onSet(text === "" ? undefined : Number(text));
          }}
          className="tabular"
        />
      )}
      {!isWord && minimum !== undefined && maximum !== undefined && (
        <span className="tabular shrink-0 text-xs text-fg-3">
          {texts.settings.range(count(minimum), count(maximum))}
        </span>
      )}
    </span>
  );
}

function ChoicesControl({
  values,
  value,
  disabled,
  label,
  describedBy,
  onSet,
}: SettingControlProps & { values: readonly string[] }) {
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return (
    <fieldset aria-label={label} aria-describedby={describedBy} className="flex flex-wrap gap-x-4 gap-y-1">
      {values.map((one) => (
        <label key={one} className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4"
            disabled={disabled}
            checked={chosen.includes(one)}
            onChange={(event) =>
              onSet(values.filter((other) => (other === one ? event.currentTarget.checked : chosen.includes(other))))
            }
          />
          {one}
        </label>
      ))}
    </fieldset>
  );
}

function ListControl({
  value,
  disabled,
  label,
  describedBy,
  onSet,
}: SettingControlProps & { value: readonly string[] }) {
  return (
    <textarea
      aria-label={label}
      aria-describedby={describedBy}
      disabled={disabled}
      rows={Math.min(6, Math.max(2, value.length + 1))}
      defaultValue={value.join("\n")}
      placeholder={texts.settings.onePerLine}
      spellCheck={false}
      onChange={(event) =>
        onSet(
          event.currentTarget.value
            .split("\n")
            .map((line) => line.trim())
            .filter((line) => line !== ""),
        )
      }
      className="w-full rounded-md border border-border bg-surface px-2.5 py-1.5 font-mono text-xs text-fg disabled:opacity-55"
    />
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
