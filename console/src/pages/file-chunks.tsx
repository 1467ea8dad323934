import { useAgent } from "../app/connection-context.ts";
import { sentences } from "../texts/sentences.ts";
import { texts } from "../texts/texts.ts";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Loading } from "../ui/loading.tsx";
import { usePages } from "../ui/use-pages.ts";

/**
 * Shows a file as the index divides it: each chunk with its lines and the headings under which it
 * is indexed.
 */
export function FileChunks({ agent, path, content }: { agent: string; path: string; content: string }) {
  const memory = useAgent(agent);
  const chunks = usePages(["chunks", agent, path], (cursor) => memory.files.chunks(path, { cursor, limit: 100 }));
  if (chunks.isPending) return <Loading what={texts.labels.theChunks} />;
  if (chunks.error) return <ErrorBox error={chunks.error} onRetry={() => void chunks.refetch()} />;
  const all = chunks.data.pages.flatMap((page) => page.chunks);
  if (all.length === 0) return <Empty title={texts.files.noChunks}>{texts.files.noChunksHint}</Empty>;
  const lines = content.split("\n");
  return (
    <>
      <p className="quiet">{texts.files.chunks}</p>
      <ol className="chunks">
        {all.map(({ startLine, endLine, heading, embedded }) => (
          <li key={`${startLine} ${endLine}`} className="card">
            <p className="quiet">
              <strong>{sentences.linesTo(startLine, endLine)}</strong>
              {heading && sentences.under(heading.replaceAll("\n", " › "))}
              {embedded !== null && (embedded ? texts.files.embedded : texts.files.notEmbedded)}
            </p>
            <pre className="plain" dir="auto">
              {lines.slice(startLine - 1, endLine).join("\n")}
            </pre>
          </li>
        ))}
      </ol>
      {chunks.hasNextPage && (
        <button type="button" onClick={() => void chunks.fetchNextPage()} disabled={chunks.isFetchingNextPage}>
          {texts.labels.moreChunks}
        </button>
      )}
    </>
  );
}
