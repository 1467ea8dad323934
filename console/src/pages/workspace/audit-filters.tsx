import type { AuditEntry } from "recollect/client";
import { FindInput } from "../../app/find-input.tsx";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Chips, ChoiceChip } from "../../ui/filter-chip.tsx";
import { actionOf } from "./audit-columns.tsx";

type Names = (id: string) => string | undefined;

/** The filters of the audit log: words, who, and what. */
export function AuditFilters({ entries, nameOf }: { entries: readonly AuditEntry[]; nameOf: Names }) {
  const { search, change } = useViewAddress();
  const { audit } = texts.operator;
  const actors = optionsOf(
    entries.map(({ actor }) => actor),
    (actor) => nameOf(actor) ?? actor,
  );
  const actions = optionsOf(
    entries.map(({ action }) => action),
    actionOf,
  );
  return (
    <>
      <FindInput label={audit.find} />
      <Chips label={texts.operator.filters}>
        <ChoiceChip
          label={texts.columns.who}
          shown={search.who && (nameOf(search.who) ?? search.who)}
          value={search.who ?? ""}
          options={actors}
          onChoose={(who) => change({ who }, true)}
          onClear={() => change({ who: undefined }, true)}
        />
        <ChoiceChip
          label={audit.what}
          shown={search.did && actionOf(search.did)}
          value={search.did ?? ""}
          options={actions}
          onChoose={(did) => change({ did }, true)}
          onClear={() => change({ did: undefined }, true)}
        />
      </Chips>
    </>
  );
}

function optionsOf(values: readonly string[], labelOf: (value: string) => string) {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, times]) => ({ value, label: labelOf(value), hint: String(times) }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** Returns the entries that the filters in the address let through. */
export function shownEntries(
  entries: readonly AuditEntry[],
  { find = "", who, did }: Readonly<Record<string, string>>,
  nameOf: Names,
): AuditEntry[] {
  const wanted = find.toLowerCase();
  return entries
    .filter(({ actor, action }) => (who === undefined || actor === who) && (did === undefined || action === did))
    .filter((one) => wordsOf(one, nameOf).toLowerCase().includes(wanted));
}

function wordsOf({ actor, action, target, details }: AuditEntry, nameOf: Names): string {
  const names = [actor, target].map((id) => `${id} ${nameOf(id) ?? ""}`);
  return [...names, action, actionOf(action), JSON.stringify(details)].join(" ");
}

/** Returns entries as a table for a spreadsheet. */
export function csvOf(entries: readonly AuditEntry[], nameOf: Names): string {
  const { columns, operator } = texts;
  const { audit } = operator;
  const head = [columns.when, columns.who, audit.key, audit.what, audit.action, audit.about, columns.details];
  const rows = entries.map(({ at, actor, action, target, details }) => [
    at,
    nameOf(actor) ?? actor,
    actor,
    actionOf(action),
    action,
    nameOf(target) ?? target,
    JSON.stringify(details),
  ]);
  return [head, ...rows].map((cells) => cells.map(cellOf).join(",")).join("\r\n");
}

/**
 * Returns a cell of a table. A spreadsheet would run a cell that begins as a formula does, and names
 * of keys may be anything.
 */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
