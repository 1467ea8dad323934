import { ChevronDown, Search, Users, UserX } from "lucide-react";
import { useState } from "react";
import type { Fact } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { count, day, startOfDay } from "../../lib/format.ts";
import { topicOf } from "../../lib/topic.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Chips, ChoiceChip, FormChip, ToggleChip } from "../../ui/filter-chip.tsx";
import { Field, Input, SearchInput } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { useTypedFilter } from "../../ui/use-typed-filter.ts";
import { ForgetPerson } from "./forget-person.tsx";
import { type LEARNT_DAYS, SORTS } from "./use-fact-filter.ts";
import { addressOfPerson, type Person, personIn } from "./use-people.ts";

/** Narrows the facts: whom they are for, their words, and what they are. */
export function FactFilterBar({ facts, people }: { facts: readonly Fact[]; people: readonly Person[] }) {
  const { search, change } = useViewAddress();
  const [typed, setTyped] = useTypedFilter(search.q, (q) => change({ q }, true));
  return (
    <>
      <PersonChoice people={people} />
      <SearchInput
        icon={Search}
        value={typed}
        onText={setTyped}
        data-filter=""
        hint="/"
        aria-label={texts.memories.filter}
        placeholder={texts.memories.filter}
        className="min-w-56 grow max-md:order-1 max-md:w-full md:max-w-72"
      />
      {/* The chips and the order are one line, so that neither moves when a filter is set. */}
      <div className="flex grow basis-[47rem] items-center gap-2 max-md:contents">
        <FactChips facts={facts} />
        <Select
          bare
          className="ms-auto max-md:grow max-md:basis-24"
          aria-label={texts.memories.sort}
          of={texts.memories.sorts}
          value={SORTS.find((one) => one === search.sort) ?? "newest"}
          onChange={(event) => change({ sort: event.target.value === "newest" ? undefined : event.target.value })}
        />
      </div>
    </>
  );
}

function FactChips({ facts }: { facts: readonly Fact[] }) {
  const { search, change } = useViewAddress();
  const { memories, categories } = texts;
  const options = (of: Readonly<Record<string, string>>) =>
    Object.entries(of).map(([value, label]) => ({ value, label }));
  const topics = [...new Set(facts.flatMap(({ key }) => key ?? []))].sort();
  const chip = (name: string, label: string, of: Readonly<Record<string, string>>) => (
    <ChoiceChip
      label={label}
      shown={search[name] && (of[search[name]] ?? search[name])}
      value={search[name] ?? ""}
      options={options(of)}
      onChoose={(value) => change({ [name]: value })}
      onClear={() => change({ [name]: undefined })}
    />
  );
  return (
    <Chips label={memories.filters} className="max-md:order-1">
      {chip("category", memories.category, categories)}
      <ChoiceChip
        label={memories.topic}
        shown={search.topic && topicOf(search.topic)}
        value={search.topic ?? ""}
        free
        options={topics.map((key) => ({ value: key, label: topicOf(key), hint: key }))}
        onChoose={(topic) => change({ topic })}
        onClear={() => change({ topic: undefined })}
      />
      {search.source === undefined ? (
        chip("from", memories.source, memories.sources)
      ) : (
        <ToggleChip label={search.source} on onToggle={() => change({ source: undefined })} />
      )}
      {chip("learnt", memories.learnt, memories.learntIn satisfies Record<keyof typeof LEARNT_DAYS, string>)}
      <MoreFilters />
      <ToggleChip
        label={memories.includePast}
        on={search.past === "true"}
        onToggle={(on) => change({ past: on ? "true" : undefined })}
      />
    </Chips>
  );
}

/** The filters that few need: importance, and the facts of an earlier day. */
function MoreFilters() {
  const { search, change } = useViewAddress();
  const { memories } = texts;
  const { importance, asof } = search;
  const shown = [
    importance && (memories.importances as Readonly<Record<string, string>>)[importance],
    asof && day(startOfDay(asof)),
  ].filter(Boolean);
  return (
    <FormChip
      label={memories.more}
      shown={shown.length > 0 ? shown.join(", ") : undefined}
      onClear={() => change({ importance: undefined, asof: undefined })}
    >
      {(close) => (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            const values = new FormData(event.currentTarget);
            change({ importance: String(values.get("importance")), asof: String(values.get("asof")) });
            close();
          }}
        >
          <Field label={memories.importance}>
            <Select
              name="importance"
              of={{ "": memories.any, ...memories.importances }}
              defaultValue={importance ?? ""}
            />
          </Field>
          <Field label={memories.asOfHint}>
            <Input type="date" name="asof" defaultValue={asof ?? ""} />
          </Field>
          <Button type="submit">{texts.labels.show}</Button>
        </form>
      )}
    </FormChip>
  );
}

/** The person whom the facts are for or about, with the number of each person's facts. */
function PersonChoice({ people }: { people: readonly Person[] }) {
  const { agent, search, change } = useViewAddress();
  const { key } = useConnection();
  const [forgetting, setForgetting] = useState<Person>();
  const chosen = personIn(search);
  const person = people.find(({ id }) => id === chosen);
  const { memories } = texts;
  return (
    <>
      <Combobox
        label={memories.person}
        value={chosen}
        options={[
          { value: "", label: memories.everyone },
          ...people.map(({ id, name, facts }) => ({ value: id, label: name, hint: count(facts) })),
        ]}
        onChoose={(id) => change(addressOfPerson(id))}
        trigger={(props) => (
          <Button {...props}>
            <span className="sr-only">{memories.person}: </span>
            {person ? <Initial name={person.name} /> : <Users aria-hidden="true" className="size-4 text-fg-3" />}
            <span className="max-w-40 truncate">{person?.name ?? memories.everyoneCount(people.length)}</span>
            <ChevronDown aria-hidden="true" className="size-3.5 text-fg-3" />
          </Button>
        )}
        footer={(close) =>
          person &&
          mayDo(key, "agent:write") && (
            <Button
              kind="ghost"
              className="mt-1 w-full justify-start text-bad"
              onClick={() => {
                close();
                setForgetting(person);
              }}
            >
              <UserX className="size-4" />
              {memories.forgetPerson(person.name)}
            </Button>
          )
        }
      />
      {forgetting && <ForgetPerson agent={agent} person={forgetting} onClose={() => setForgetting(undefined)} />}
    </>
  );
}

/** The first letter of a name in a circle. */
export function Initial({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-5 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
    >
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
