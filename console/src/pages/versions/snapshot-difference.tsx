import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useAgent } from "../../app/connection-context.ts";
import { count, counted, listed } from "../../lib/format.ts";
import { Link } from "../../router/link.tsx";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Dot } from "../../ui/badge.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Part } from "../../ui/section.tsx";

/** The maximum number of names to show of each kind. No reader gets through more. */
const MOST_NAMES = 100;
/** Each sentence takes a request. */
const MOST_SENTENCES = 20;

/** Compares an agent's current files and facts with a snapshot. */
export function SnapshotDifference({ agent, name }: { agent: string; name: string }) {
  const memory = useAgent(agent);
  const found = useQuery({
    queryKey: ["snapshot", agent, name],
    queryFn: () => memory.snapshots.compare(name),
    staleTime: 0,
  });
  if (found.isPending) return <Loading what={texts.snapshots.difference} lines={6} />;
  if (found.error) return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  const { files, facts } = found.data;
  if (files.total + facts.total === 0)
    return (
      <p className="flex items-center gap-2">
        <CircleCheck aria-hidden="true" className="size-4 text-ok" />
        {texts.snapshots.same}
      </p>
    );
  return (
    <>
      <p className="rounded-md bg-sunken p-3 text-sm">
        {sentences.rollBackChanges(
          listed([
            files.total > 0 && counted(files.total, texts.nouns.file),
            facts.total > 0 && counted(facts.total, texts.nouns.fact),
          ]),
        )}
      </p>
      {(["added", "changed", "removed", "lost"] as const).map((kind) => (
        <Names key={kind} title={texts.snapshots.files[kind]} names={files[kind]} tone="file">
          {(path) => (
            <Link
              to="/agents/$agent/files"
              params={{ agent }}
              search={{ path, tab: kind === "changed" ? "history" : undefined }}
              className="text-accent hover:underline"
            >
              {path}
            </Link>
          )}
        </Names>
      ))}
      {files.lost.length > 0 && <p className="text-sm text-fg-2">{texts.snapshots.lost}</p>}
      {(["added", "changed", "removed"] as const).map((kind) => (
        <Names key={kind} title={texts.snapshots.facts[kind]} names={facts[kind]} tone="fact">
          {(id) =>
            kind === "removed" ? (
              sentences.factNumber(id)
            ) : (
              <Link
                to="/agents/$agent/memories"
                params={{ agent }}
                search={{ id }}
                className="text-accent hover:underline"
              >
                <Sentence agent={agent} id={id} read={facts[kind].indexOf(id) < MOST_SENTENCES} />
              </Link>
            )
          }
        </Names>
      ))}
    </>
  );
}

/** The sentence of a fact, or its number until the sentence is read. */
function Sentence({ agent, id, read }: { agent: string; id: string; read: boolean }) {
  const memory = useAgent(agent);
  const history = useQuery({
    queryKey: ["facts", agent, "one", id],
    queryFn: () => memory.facts.history(id),
    enabled: read,
  });
  return <>{history.data?.facts.find((fact) => fact.id === id)?.text ?? sentences.factNumber(id)}</>;
}

interface NamesProps {
  title: string;
  names: readonly string[];
  tone: "file" | "fact";
  children: (name: string) => ReactNode;
}

/** Lists the names of one kind, if there are any. */
function Names({ title, names, tone, children }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <Part title={sentences.ofTotal(title, count(names.length))}>
      <ul dir="auto" aria-label={title} className="flex flex-col gap-1 text-sm">
        {names.slice(0, MOST_NAMES).map((name) => (
          <li key={name} className="flex items-center gap-2 [overflow-wrap:anywhere]">
            <Dot of={tone} />
            {children(name)}
          </li>
        ))}
        {names.length > MOST_NAMES && (
          <li className="text-fg-2">{sentences.andMore(count(names.length - MOST_NAMES))}</li>
        )}
      </ul>
    </Part>
  );
}
