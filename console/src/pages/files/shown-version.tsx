import { useQuery } from "@tanstack/react-query";
import { useAgent } from "../../app/connection-context.ts";
import { texts } from "../../texts/texts.ts";
import { Diff } from "../../ui/diff.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";

/** Shows the text of a version. @param diff whether to show the changes since then instead */
export function ShownVersion({ agent, version, diff }: { agent: string; version: string; diff: boolean }) {
  return diff ? <Since agent={agent} version={version} /> : <Text agent={agent} version={version} />;
}

function Text({ agent, version }: { agent: string; version: string }) {
  const memory = useAgent(agent);
  const text = useQuery({ queryKey: ["version", agent, version], queryFn: () => memory.files.version(version) });
  if (text.isPending) return <Loading what={texts.labels.theVersion} />;
  if (text.error) return <ErrorBox error={text.error} onRetry={() => void text.refetch()} />;
  return (
    <pre dir="auto" className="rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
      {text.data.content}
    </pre>
  );
}

function Since({ agent, version }: { agent: string; version: string }) {
  const memory = useAgent(agent);
  const found = useQuery({
    queryKey: ["diff", agent, version],
    queryFn: () => memory.files.diff(version),
    staleTime: 0,
  });
  if (found.isPending) return <Loading what={texts.labels.theDifference} />;
  if (found.error) return <ErrorBox error={found.error} onRetry={() => void found.refetch()} />;
  const { diff, exact } = found.data;
  if (diff === "") return <p className="text-sm text-fg-2">{texts.versions.equal}</p>;
  return (
    <>
      {!exact && <p className="text-sm text-fg-2">{texts.versions.inexact}</p>}
      <Diff text={diff} />
    </>
  );
}
