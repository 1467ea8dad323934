import { useMemo } from "react";
import { has } from "../../lib/features.ts";
import { useViewAddress } from "../../router/router.tsx";
import { CompareMode } from "./compare-mode.tsx";
import { MissingMode } from "./missing-mode.tsx";
import { RecallMode } from "./recall-mode.tsx";
import { SearchBar } from "./search-bar.tsx";
import { SearchMode } from "./search-mode.tsx";
import { optionsOf } from "./use-search.ts";

const MODES = (["search", "recall", "missing", "compare"] as const).filter(
  (mode) => mode !== "missing" || has("why-not"),
);

/**
 * Searches an agent's memory and explains the answer; shows what the agent would get in its prompt,
 * why something is not found, and how two ways of searching differ.
 */
export function SearchPage() {
  const { agent, search } = useViewAddress();
  const mode = MODES.find((one) => one === search.mode) ?? "search";
  const query = (search.q ?? "").trim();
  const options = useMemo(() => optionsOf(search), [search]);
  return (
    <div className="flex h-full flex-col">
      <SearchBar mode={mode} modes={MODES} />
      {mode === "search" && <SearchMode agent={agent} query={query} options={options} />}
      {mode === "recall" && <RecallMode agent={agent} message={query} user={search.user} />}
      {mode === "missing" && <MissingMode key={query} agent={agent} query={query} options={options} />}
      {mode === "compare" && <CompareMode agent={agent} query={query} options={options} />}
    </div>
  );
}
