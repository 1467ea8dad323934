import type { AgentStatus } from "recollect/client";
import { count } from "../../lib/format.ts";
import { texts } from "../../texts/texts.ts";
import { Facts } from "../../ui/facts.tsx";
import { embeddingProgress, Progress, reindexProgress } from "../../ui/progress.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

/** The technical state of a memory. Work in progress is shown at once, and the other figures on request. */
export function IndexState({ status }: { status: AgentStatus }) {
  const { model, provider, pendingEmbeddings, chunks, vector, keyword, reindex, lastChangeAt } = status;
  const { overview } = texts;
  const jobs = Object.entries(status.jobs).filter(([, { waiting, active, failed }]) => waiting + active + failed > 0);
  const isEmbedding = pendingEmbeddings > 0 && model !== "none";
  return (
    <>
      {isEmbedding && (
        <p className="flex flex-wrap items-center gap-3 text-sm text-fg-2">
          {texts.home.embedding} <Progress {...embeddingProgress(status)} label={overview.rows.embeddings} />
        </p>
      )}
      {reindex.state === "building" && (
        <p className="flex flex-wrap items-center gap-3 text-sm text-fg-2">
          {overview.reindex.building} <Progress {...reindexProgress(status)} label={overview.rows.reindex} />
        </p>
      )}
      <details className="text-sm">
        <summary className="text-fg-2">{texts.home.index}</summary>
        <div className="mt-3 max-w-2xl">
          <Facts
            of={[
              [overview.rows.embeddings, model === "none" ? overview.noModel : `${provider} · ${model}`],
              [overview.numbers.chunks, count(chunks)],
              [overview.numbers.pending, count(pendingEmbeddings)],
              [overview.rows.vectorIndex, overview.vectorIndex[vector.index] ?? vector.index],
              [overview.rows.languages, keyword.languages.join(", ") || keyword.language],
              [overview.rows.reindex, overview.reindex[reindex.state] ?? reindex.state],
              [overview.rows.lastChange, <RelativeTime key="change" at={lastChangeAt} />],
              [
                overview.rows.jobs,
                jobs
                  .map(([kind, { waiting, active, failed }]) => texts.sentences.jobs(kind, waiting, active, failed))
                  .join("; ") || overview.noJob,
              ],
            ]}
          />
        </div>
      </details>
    </>
  );
}
