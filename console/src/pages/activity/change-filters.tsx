import { useConnection } from "../../app/connection-context.ts";
import { useNames } from "../../app/use-names.ts";
import { dayInput, shortDay, startOfDay } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Chips, ChoiceChip, FormChip } from "../../ui/filter-chip.tsx";
import { Field, Input } from "../../ui/input.tsx";

/** The filters of the list of changes: what, about whom, by whom, since when. */
export function ChangeFilters() {
  const { search, change } = useViewAddress();
  const nameOf = useNames();
  const { key } = useConnection();
  const { activityLog: words, columns, labels } = texts;
  const { kind, person, by, since } = search;
  const kinds: Readonly<Record<string, string>> = words.kinds;
  const callers = [...new Set([key.prefix ?? "local", "local", "system"])];
  return (
    <Chips label={texts.operator.filters}>
      <ChoiceChip
        label={words.kind}
        shown={kind && (kinds[kind] ?? kind)}
        value={kind ?? ""}
        options={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
        onChoose={(next) => change({ kind: next }, true)}
        onClear={() => change({ kind: undefined }, true)}
      />
      <ChoiceChip
        label={words.person}
        shown={person}
        value={person ?? ""}
        options={[]}
        free
        onChoose={(next) => change({ person: next }, true)}
        onClear={() => change({ person: undefined }, true)}
      />
      <ChoiceChip
        label={columns.by}
        shown={by && (nameOf(by) ?? by)}
        value={by ?? ""}
        options={callers.map((value) => ({ value, label: nameOf(value) ?? value }))}
        free
        onChoose={(next) => change({ by: next }, true)}
        onClear={() => change({ by: undefined }, true)}
      />
      <FormChip
        label={labels.since}
        shown={since && shortDay(startOfDay(since))}
        onClear={() => change({ since: undefined }, true)}
      >
        {() => (
          <Field label={labels.since}>
            <Input
              type="date"
              value={since ?? ""}
              max={dayInput(0)}
              onChange={(event) => change({ since: event.currentTarget.value }, true)}
            />
          </Field>
        )}
      </FormChip>
    </Chips>
  );
}
