import type { ReactNode } from "react";
import { day, startOfDay } from "../../lib/format.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Chips, ChoiceChip, FormChip } from "../../ui/filter-chip.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { addressOfPerson, usePeople } from "../memories/use-people.ts";
import type { Mode } from "./search-modes.ts";

/** The filters of a search. Recall takes a person only. */
export function SearchChips({ mode }: { mode: Mode }) {
  const { agent, search, change } = useViewAddress();
  const { people } = usePeople(agent);
  const users = people.flatMap(({ id, name }) => {
    const { user: value } = addressOfPerson(id);
    return value === undefined ? [] : [{ value, label: name }];
  });
  const { corpora } = texts.search;
  const { corpus, user } = search;
  return (
    <Chips label={texts.memories.filters}>
      {mode !== "recall" && (
        <ChoiceChip
          label={texts.search.inEverything}
          shown={corpus && (corpora as Readonly<Record<string, string>>)[corpus]}
          value={corpus ?? ""}
          options={Object.entries(corpora).map(([value, label]) => ({ value, label }))}
          onChoose={(value) => change({ corpus: value })}
          onClear={() => change({ corpus: undefined })}
        />
      )}
      <ChoiceChip
        label={texts.memories.person}
        shown={user && (users.find(({ value }) => value === user)?.label ?? user)}
        value={user ?? ""}
        free
        options={users}
        onChoose={(value) => change({ user: value })}
        onClear={() => change({ user: undefined })}
      />
      {mode !== "recall" && (
        <>
          <DatesChip />
          <AsOfChip />
          <PathsChip />
          <AdvancedChip />
        </>
      )}
    </Chips>
  );
}

/** A form of a chip, whose fields have the names of the values in the address. */
function ChipForm({ names, close, children }: { names: readonly string[]; close: () => void; children: ReactNode }) {
  const { change } = useViewAddress();
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormData(event.currentTarget);
        change(Object.fromEntries(names.map((name) => [name, String(values.get(name) ?? "").trim()])));
        close();
      }}
    >
      {children}
      <Button type="submit">{texts.search.apply}</Button>
    </form>
  );
}

function DatesChip() {
  const { search, change } = useViewAddress();
  const { after, before } = search;
  const shown = [
    after && texts.search.afterDay(day(startOfDay(after))),
    before && texts.search.beforeDay(day(startOfDay(before))),
  ].filter(Boolean);
  return (
    <FormChip
      label={texts.search.dates}
      shown={shown.length > 0 ? shown.join(", ") : undefined}
      onClear={() => change({ after: undefined, before: undefined })}
    >
      {(close) => (
        <ChipForm names={["after", "before"]} close={close}>
          <Field label={texts.search.after}>
            <Input name="after" type="date" defaultValue={after ?? ""} />
          </Field>
          <Field label={texts.search.before}>
            <Input name="before" type="date" defaultValue={before ?? ""} />
          </Field>
        </ChipForm>
      )}
    </FormChip>
  );
}

function AsOfChip() {
  const { search, change } = useViewAddress();
  return (
    <FormChip
      label={texts.memories.asOf}
      shown={search.asof && day(startOfDay(search.asof))}
      onClear={() => change({ asof: undefined })}
    >
      {(close) => (
        <ChipForm names={["asof"]} close={close}>
          <Field label={texts.search.asOfHint}>
            <Input name="asof" type="date" required defaultValue={search.asof ?? ""} />
          </Field>
        </ChipForm>
      )}
    </FormChip>
  );
}

function PathsChip() {
  const { search, change } = useViewAddress();
  return (
    <FormChip label={texts.labels.paths} shown={search.paths} onClear={() => change({ paths: undefined })}>
      {(close) => (
        <ChipForm names={["paths"]} close={close}>
          <Field label={texts.labels.paths} hint={texts.search.pathsHint}>
            <Input name="paths" placeholder={texts.labels.notesMd} defaultValue={search.paths ?? ""} />
          </Field>
        </ChipForm>
      )}
    </FormChip>
  );
}

function AdvancedChip() {
  const { search, change } = useViewAddress();
  const { fusion, minScore, maxResults } = search;
  const fusions: Readonly<Record<string, string>> = texts.search.fusions;
  const shown = [
    fusion && fusions[fusion],
    minScore && texts.search.atLeast(minScore),
    maxResults && texts.search.most(maxResults),
  ].filter(Boolean);
  return (
    <FormChip
      label={texts.search.advanced}
      shown={shown.length > 0 ? shown.join(", ") : undefined}
      onClear={() => change({ fusion: undefined, minScore: undefined, maxResults: undefined })}
    >
      {(close) => (
        <ChipForm names={["fusion", "minScore", "maxResults"]} close={close}>
          <Field label={texts.search.ranking}>
            <Select name="fusion" of={{ "": texts.search.ownFusion, ...fusions }} defaultValue={fusion ?? ""} />
          </Field>
          <Field label={texts.search.minimum}>
            <Input
              name="minScore"
              type="number"
              min={0}
              max={1}
              step={0.05}
              placeholder={texts.labels.auto}
              defaultValue={minScore ?? ""}
            />
          </Field>
          <Field label={texts.search.results}>
            <Input name="maxResults" type="number" min={1} max={50} placeholder="6" defaultValue={maxResults ?? ""} />
          </Field>
        </ChipForm>
      )}
    </FormChip>
  );
}
