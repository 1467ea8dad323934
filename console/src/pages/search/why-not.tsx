import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { MissedDocument, SearchOptions } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Scroll } from "../../ui/scroll.tsx";

/** Explains why a search with these options does not show a given file, conversation or fact. */
export function WhyNot({ agent, query, options }: { agent: string; query: string; options: SearchOptions }) {
  const { client } = useConnection();
  const [path, setPath] = useState("");
  const asked = useMutation({
    mutationFn: () =>
      client.request<MissedDocument>("POST", `/v1/agents/${encodeURIComponent(agent)}/why-not`, {
        body: { ...options, query, path },
      }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    asked.mutate();
  };
  return (
    <details className="card">
      <summary>{texts.labels.whyIsSomethingNotShown}</summary>
      <p className="quiet">{texts.search.whyNot}</p>
      <form onSubmit={submit} className="row">
        <label>
          {texts.labels.path}
          <input
            required
            value={path}
            placeholder={texts.labels.notesPlanMdOrFacts12}
            onChange={(event) => setPath(event.target.value)}
          />
        </label>
        <button type="submit">{texts.labels.whyNot}</button>
      </form>
      {asked.error && <ErrorBox error={asked.error} />}
      {asked.data?.warning && <p className="problem">{asked.data.warning}</p>}
      {asked.data && <Reasons missed={asked.data} />}
    </details>
  );
}

function Reasons({ missed: { found, indexed, chunks } }: { missed: MissedDocument }) {
  if (!found) return <p>{texts.search.noPath}</p>;
  if (!indexed) return <p>{texts.search.notIndexed}</p>;
  return (
    <Scroll label={texts.labels.tableOfReasons}>
      <table className="narrow">
        <thead>
          <tr>
            <th>{texts.labels.lines}</th>
            <th>{texts.labels.step}</th>
            <th>{texts.labels.reason}</th>
          </tr>
        </thead>
        <tbody>
          {chunks.map(({ startLine, endLine, stage, reason }) => (
            <tr key={startLine}>
              <td>{sentences.to(startLine, endLine)}</td>
              <td>{stage}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
