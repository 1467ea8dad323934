import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useAgent, useConnection } from "../../app/connection-context.ts";
import { mayDo } from "../../lib/connection.ts";
import { count, counted } from "../../lib/format.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";

/** The maximum number of names to show of each kind. No reader gets through more. */
const MOST_NAMES = 100;

interface SnapshotDifferenceProps {
  agent: string;
  name: string;
  onRolledBack: (to: { name: string; undo: string }) => void;
}

/** Compares an agent's current files and facts with a snapshot, and offers to roll back to it. */
export function SnapshotDifference({ agent, name, onRolledBack }: SnapshotDifferenceProps) {
  const memory = useAgent(agent);
  const { key } = useConnection();
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  const found = useQuery({
    queryKey: ["snapshot", agent, name],
    queryFn: () => memory.snapshots.compare(name),
    staleTime: 0,
  });
  if (found.isPending) return <Loading what={texts.snapshots.difference} />;
  if (found.error) return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  const { files, facts } = found.data;
  if (files.total + facts.total === 0) return <p>{texts.snapshots.same}</p>;
  const rollBack = async () => {
    const { undo } = await memory.snapshots.rollBack(name);
    onRolledBack({ name, undo });
    await queries.invalidateQueries();
  };
  const changes = sentences.rollBackChanges(
    counted(files.total, texts.nouns.file),
    counted(facts.total, texts.nouns.fact),
  );
  return (
    <>
      {(["added", "changed", "removed", "lost"] as const).map((kind) => (
        <Names key={kind} title={texts.snapshots.files[kind]} names={files[kind]}>
          {(path) => (
            <Link to="/agents/$agent/files" params={{ agent }} search={{ path } as never}>
              {path}
            </Link>
          )}
        </Names>
      ))}
      {files.lost.length > 0 && <p className="quiet">{texts.snapshots.lost}</p>}
      {(["added", "changed", "removed"] as const).map((kind) => (
        <Names key={kind} title={texts.snapshots.facts[kind]} names={facts[kind]}>
          {(id) =>
            kind === "removed" ? (
              sentences.factNumber(id)
            ) : (
              <Link to="/agents/$agent/facts" params={{ agent }} search={{ id } as never}>
                {sentences.factNumber(id)}
              </Link>
            )
          }
        </Names>
      ))}
      {mayDo(key, "tenant") && (
        <button type="button" className="danger" onClick={() => setAsked(true)}>
          {texts.labels.rollBack}
        </button>
      )}
      {asked && (
        <Confirm
          title={sentences.rollBackTo(name)}
          message={`${changes} ${texts.snapshots.rollBack}`}
          name={name}
          action={texts.labels.rollBack}
          onConfirm={rollBack}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  );
}

/** Lists the names of one kind, if there are any. */
function Names({
  title,
  names,
  children,
}: {
  title: string;
  names: readonly string[];
  children: (name: string) => ReactNode;
}) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{sentences.ofTotal(title, count(names.length))}</h3>
      <ul className="names" dir="auto">
        {names.slice(0, MOST_NAMES).map((name) => (
          <li key={name}>{children(name)}</li>
        ))}
        {names.length > MOST_NAMES && <li>{sentences.andMore(count(names.length - MOST_NAMES))}</li>}
      </ul>
    </>
  );
}
