import type { AgentStatus } from "recollect/client";
import { count } from "../lib/format.ts";
import { sentences } from "../texts/sentences.ts";

/** Shows the progress of long work as a bar and in numbers. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <progress max={Math.max(1, total)} value={done} aria-label={label} className="w-24" />
      <span className="tabular text-xs text-fg-2">{sentences.done(count(done), count(total))}</span>
    </span>
  );
}

/** Returns the progress of the index that is being built. */
export function reindexProgress({ reindex: { files, facts, sessions } }: AgentStatus): { done: number; total: number } {
  const parts = [files, facts, sessions].filter((part) => part !== undefined);
  const sum = (name: "indexed" | "total") => parts.reduce((all, part) => all + part[name], 0);
  return { done: sum("indexed"), total: sum("total") };
}

/** Returns how many of the chunks have an embedding. */
export function embeddingProgress({ chunks, pendingEmbeddings }: AgentStatus): { done: number; total: number } {
  return { done: Math.max(0, chunks - pendingEmbeddings), total: chunks };
}
