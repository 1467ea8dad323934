import type { FormEvent } from "react";
import { texts } from "../../texts/texts.ts";
import { Options } from "../../ui/options.tsx";

interface SearchFormProps {
  search: Record<string, string>;
  onSearch: (values: Record<string, string>) => void;
}

/** Shows the form for the question and the most important search options. */
export function SearchForm({ search, onSearch }: SearchFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    onSearch(Object.fromEntries([...values].map(([name, value]) => [name, String(value)])));
  };
  return (
    <search>
      <form onSubmit={submit} className="search card" key={JSON.stringify(search)}>
        <label className="wide">
          {texts.labels.questionOrWords}
          <input name="q" type="search" defaultValue={search.q ?? ""} maxLength={2000} required />
        </label>
        <label>
          {texts.labels.in}
          <select name="corpus" defaultValue={search.corpus ?? ""}>
            <Options of={texts.search.corpora} />
          </select>
        </label>
        <label>
          {texts.labels.fromDay}
          <input name="after" type="date" defaultValue={search.after ?? ""} />
        </label>
        <label>
          {texts.labels.beforeDay}
          <input name="before" type="date" defaultValue={search.before ?? ""} />
        </label>
        <label>
          {texts.labels.paths}
          <input name="paths" placeholder={texts.labels.notesMd} defaultValue={search.paths ?? ""} />
        </label>
        <label>
          {texts.labels.fusion}
          <select name="fusion" defaultValue={search.fusion ?? ""}>
            <option value="">{texts.search.ownFusion}</option>
            <Options of={texts.search.fusions} />
          </select>
        </label>
        <label>
          {texts.labels.floor}
          <input
            name="minScore"
            type="number"
            min={0}
            max={1}
            step={0.05}
            placeholder={texts.labels.auto}
            defaultValue={search.minScore ?? ""}
          />
        </label>
        <label>
          {texts.labels.hits}
          <input
            name="maxResults"
            type="number"
            min={1}
            max={50}
            placeholder="6"
            defaultValue={search.maxResults ?? ""}
          />
        </label>
        <button type="submit" className="primary">
          {texts.labels.search}
        </button>
      </form>
    </search>
  );
}
