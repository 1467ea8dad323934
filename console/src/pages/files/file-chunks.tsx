import { useAgent } from "../../app/connection-context.ts";
import { sentences } from "../../texts/sentences.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Loading } from "../../ui/loading.tsx";
import { usePages } from "../../ui/use-pages.ts";

/**
 * Shows a file as the index divides it: each chunk with its lines and the headings under which it
 * is indexed.
 */
export function FileChunks({ agent, path, content }: { agent: string; path: string; content: string }) {
  const memory = useAgent(agent);
  const chunks = usePages(["chunks", agent, path], (cursor) => memory.files.chunks(path, { cursor, limit: 100 }));
  if (chunks.isPending) return <Loading what={texts.labels.theChunks} lines={8} />;
  if (chunks.error) return <ErrorBox error={chunks.error} onRetry={() => void chunks.refetch()} />;
  const all = chunks.data.pages.flatMap((page) => page.chunks);
  if (all.length === 0) return <Empty title={texts.files.noChunks}>{texts.files.noChunksHint}</Empty>;
  const lines = content.split("\n");
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-fg-2">{texts.files.chunks}</p>
      <ol aria-label={texts.labels.chunks} className="flex flex-col gap-3">
        {all.map(({ startLine, endLine, heading, embedded }) => (
          <li key={`${startLine} ${endLine}`} className="rounded-lg border border-border">
            <p className="flex flex-wrap items-center gap-x-2 border-b border-border px-3 py-2 text-xs text-fg-2">
              <strong className="text-fg">{sentences.linesTo(startLine, endLine)}</strong>
              {heading && <span dir="auto">{heading.replaceAll("\n", " › ")}</span>}
              {embedded !== null && (
                <span className="ms-auto">
                  <Badge tone={embedded ? "ok" : "warn"}>
                    {embedded ? texts.files.embedded : texts.files.notEmbedded}
                  </Badge>
                </span>
              )}
            </p>
            <pre dir="auto" className="p-3 font-sans text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
              {lines.slice(startLine - 1, endLine).join("\n")}
            </pre>
          </li>
        ))}
      </ol>
      {chunks.hasNextPage && (
        <Button
          className="self-center"
          onClick={() => void chunks.fetchNextPage()}
          disabled={chunks.isFetchingNextPage}
        >
          {texts.labels.moreChunks}
        </Button>
      )}
    </div>
  );
}
