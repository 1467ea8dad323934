import { Search } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useEffect, useState } from "react";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { SearchInput } from "../../ui/input.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SearchChips } from "./search-chips.tsx";
import type { Mode } from "./search-modes.ts";

/** The box for the question, the modes of asking it, and the filters of the answer. */
export function SearchBar({ mode, modes }: { mode: Mode; modes: readonly Mode[] }) {
  const { search, change } = useViewAddress();
  const [typed, setTyped] = useState(search.q ?? "");
  useEffect(() => setTyped(search.q ?? ""), [search.q]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change({ q: typed.trim() });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Escape") event.currentTarget.blur();
  };
  return (
    <header className="flex shrink-0 flex-col gap-3 border-b border-border px-5 py-4 max-md:px-4 max-md:py-3">
      <h1 className="sr-only">{texts.places.search}</h1>
      <div className="flex items-center gap-2 max-md:flex-col max-md:items-stretch">
        <search className="min-w-0 grow">
          <form onSubmit={submit}>
            <SearchInput
              large
              icon={Search}
              value={typed}
              onText={setTyped}
              onKeyDown={onKeyDown}
              data-filter=""
              hint="/"
              aria-label={texts.labels.questionOrWords}
              placeholder={mode === "recall" ? texts.search.messagePrompt : texts.search.questionPrompt}
              maxLength={2000}
              enterKeyHint="search"
            />
          </form>
        </search>
        <Segmented
          label={texts.search.ways}
          value={mode}
          of={modes.map((one) => [one, texts.search.modes[one]] as const)}
          onChoose={(next) => change({ mode: next === "search" ? undefined : next, q: typed.trim() || undefined })}
        />
      </div>
      <SearchChips mode={mode} />
    </header>
  );
}
