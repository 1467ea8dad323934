import { useQuery } from "@tanstack/react-query";
import { FileSearch } from "lucide-react";
import { useState } from "react";
import type { MissedChunk, MissedDocument, SearchOptions } from "recollect/client";
import { useConnection } from "../../app/connection-context.ts";
import { useViewAddress } from "../../router/router.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/section.tsx";
import { Verdict } from "./verdict.tsx";

interface MissingModeProps {
  agent: string;
  query: string;
  options: SearchOptions;
}

/** Says why a search does not show something that the user expected, and what would help. */
export function MissingMode({ agent, query, options }: MissingModeProps) {
  const { search, change } = useViewAddress();
  const [typed, setTyped] = useState(search.expected ?? "");
  const expected = (search.expected ?? "").trim();
  return (
    <div className="min-h-0 grow overflow-auto" data-scroll="">
      <div className="mx-auto flex max-w-4xl flex-col gap-5 p-5 max-md:p-4">
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            change({ expected: typed.trim(), path: undefined });
          }}
        >
          <label className="flex flex-col gap-1 text-sm text-fg-2">
            {texts.missing.expected}
            <textarea
              required
              rows={3}
              dir="auto"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              placeholder={texts.missing.example}
              className="w-full rounded-md border border-border bg-surface px-3 py-2 text-base text-fg"
            />
          </label>
          <Button type="submit" kind="primary" className="self-start" disabled={query === ""}>
            {texts.search.check}
          </Button>
          {query === "" && <p className="text-sm text-fg-2">{texts.missing.askFirst}</p>}
        </form>
        {query !== "" && expected !== "" && <Found agent={agent} query={query} options={options} expected={expected} />}
        {expected === "" && <Empty icon={FileSearch} title={texts.missing.prompt} />}
      </div>
    </div>
  );
}

/** A text that is a path, such as `notes/plan.md`, `facts/12` or `sessions/slack:C042`. */
const PATH = /^\S+\.\w{1,8}$|^(facts|sessions)\/\S+$|^\S+\/\S+$/;

/** Finds the document that the user means, by its path or by its words, and asks why it is left out. */
function Found({ agent, query, options, expected }: MissingModeProps & { expected: string }) {
  const { client } = useConnection();
  const { search, change } = useViewAddress();
  const whyNot = (path: string) =>
    client.request<MissedDocument>("POST", `/v1/agents/${encodeURIComponent(agent)}/why-not`, {
      body: { ...options, query, path },
    });
  const candidates = useQuery({
    queryKey: ["expected", agent, expected],
    queryFn: async () => {
      const { results } = await client.agent(agent).search(expected.slice(0, 2000), { maxResults: 10 });
      return [...new Set(results.filter(({ sharedBy }) => sharedBy === undefined).map(({ path }) => path))];
    },
    enabled: !PATH.test(expected),
  });
  const path = search.path ?? (PATH.test(expected) ? expected : candidates.data?.[0]);
  const missed = useQuery({
    queryKey: ["why-not", agent, query, options, path],
    queryFn: () => whyNot(path ?? ""),
    enabled: path !== undefined,
  });
  if (candidates.isLoading || missed.isLoading) return <Loading what={texts.missing.theReason} />;
  const error = candidates.error ?? missed.error;
  if (error) return <ErrorBox error={error} onRetry={() => void missed.refetch()} />;
  if (path === undefined) return <Empty title={texts.missing.notStored}>{texts.missing.notStoredHint}</Empty>;
  return (
    <>
      {(candidates.data?.length ?? 0) > 1 && (
        <p className="flex flex-wrap items-center gap-2 text-sm text-fg-2">
          {texts.missing.means}
          {candidates.data?.slice(0, 4).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === path}
              onClick={() => change({ path: one })}
              className="max-w-full"
            >
              <Badge tone={one === path ? "accent" : "neutral"}>{one}</Badge>
            </button>
          ))}
        </p>
      )}
      {missed.data && <Reason missed={missed.data} path={path} />}
    </>
  );
}

function Reason({ missed, path }: { missed: MissedDocument; path: string }) {
  return (
    <>
      <Section title={path}>
        {missed.warning && <p className="text-sm text-bad">{missed.warning}</p>}
        <Verdict missed={missed} />
      </Section>
      {missed.chunks.length > 1 && (
        <DataTable<MissedChunk>
          name="missing"
          label={texts.labels.tableOfReasons}
          rows={missed.chunks}
          keyOf={({ startLine, endLine }) => `${startLine}-${endLine}`}
          columns={[
            {
              id: "lines",
              head: texts.labels.lines,
              show: ({ startLine, endLine }) => texts.sentences.to(startLine, endLine),
              sortBy: ({ startLine }) => startLine,
            },
            {
              id: "step",
              head: texts.labels.step,
              show: ({ stage }) => texts.missing.stages[stage],
              sortBy: ({ stage }) => stage,
            },
            {
              id: "words",
              head: texts.labels.keyword,
              end: true,
              show: ({ keyword }) => keyword?.rank ?? "",
              sortBy: ({ keyword }) => keyword?.rank ?? 1e9,
            },
            {
              id: "meaning",
              head: texts.labels.vector,
              end: true,
              show: ({ vector }) => vector?.rank ?? "",
              sortBy: ({ vector }) => vector?.rank ?? 1e9,
            },
            { id: "reason", head: texts.labels.reason, show: ({ reason }) => reason },
          ]}
        />
      )}
    </>
  );
}
