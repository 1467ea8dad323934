import type { TenantLimits } from "recollect/client";
import { textOf } from "../../app/form-dialog.tsx";
import { texts } from "../../texts/texts.ts";
import { Field, Input } from "../../ui/input.tsx";

const NAMES = ["files", "bytes", "chunks", "facts"] as const;
const OF_TENANT = [...NAMES, "agents", "requestsPerMinute"] as const;
const MB = 1_000_000;

type Name = (typeof OF_TENANT)[number];

const unitOf = (name: Name) => (name === "bytes" ? MB : 1);

/** The limits of an agent or a tenant. An empty field means: no limit of its own. */
export function LimitFields({ limits, ofTenant = false }: { limits: TenantLimits; ofTenant?: boolean }) {
  return (
    <fieldset className="grid grid-cols-2 gap-3">
      <legend className="mb-1 text-sm font-semibold">{texts.operator.limits}</legend>
      {(ofTenant ? OF_TENANT : NAMES).map((name) => {
        const limit = limits[name];
        return (
          <Field key={name} label={texts.operator.limitNames[name]}>
            <Input
              name={name}
              type="number"
              min={0}
              step={name === "bytes" ? "any" : 1}
              placeholder={texts.operator.noLimit}
              defaultValue={limit === undefined ? "" : limit / unitOf(name)}
            />
          </Field>
        );
      })}
      <p className="col-span-2 text-xs text-fg-2">{texts.operator.limitsHint}</p>
    </fieldset>
  );
}

/** Returns the merge patch of the limits that the fields say; null takes a limit away. */
export function limitsOf(values: FormData): Partial<Record<Name, number | null>> {
  const given = OF_TENANT.filter((name) => values.has(name)).map((name) => {
    const text = textOf(values, name);
    return [name, text === "" ? null : Math.round(Number(text) * unitOf(name))] as const;
  });
  return Object.fromEntries(given);
}
