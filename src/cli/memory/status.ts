import type { Command } from "commander";
import { countOf } from "../../base/text/count-of.ts";
import type { AgentStatus } from "../../client/client.ts";
import { jobsText } from "../admin/jobs.ts";
import { callAgent, labelled } from "../shell/call.ts";
import type { CliContext, RemoteOptions } from "../shell/context.ts";
import { guide } from "../shell/guide.ts";
import { type Run, remote } from "../shell/shared-options.ts";
import { table } from "../shell/table.ts";

/** Adds `recollect status`. */
export function addStatus(program: Command, context: CliContext, run: Run): void {
  remote(program.command("status"))
    .summary("what the memory holds, and what is under way")
    .description("what an agent's memory holds, and what is under way")
    .addHelpText(
      ...guide(
        ["recollect status", "recollect status --agent work --json"],
        "recollect doctor, when something seems wrong",
      ),
    )
    .action((options) => run(status(context, options)));
}

/** Runs `recollect status`. */
function status(context: CliContext, options: RemoteOptions): Promise<number> {
  return callAgent<Partial<AgentStatus>>(context, options, (memory) => memory.status(), describe);
}

/** The fields are optional, because a server of another version may send fewer. */
function describe(status: Partial<AgentStatus>, width?: number): string {
  const { agentId, files, sessions, messages, facts, chunks, extraPaths = [], lastSyncAt, lastChangeAt } = status;
  const head = ["agent", "files", "sessions", "messages", "facts", "chunks"];
  const counts = [agentId, files, sessions, messages, facts, chunks].map((count) => count ?? null);
  const more = labelled([
    ["model", modelText(status)],
    ["language", languageText(status)],
    ["to do", toDoText(status)],
    ["jobs", jobsText(status.jobs ?? {})],
    ["changed", lastChangeAt ?? undefined],
    ["synced", lastSyncAt ?? undefined],
  ]);
  const folders = extraPaths.map((one) => [one.path, one.files, one.skipped, one.failed, one.error ?? ""]);
  const folderTable =
    folders.length === 0 ? "" : `\n${table(["folder", "files", "skipped", "failed", ""], folders, width)}`;
  return `${table(head, [counts], width)}\n${more}${folderTable}`;
}

function modelText({ provider, model, dimensions, vector, fallback }: Partial<AgentStatus>): string | undefined {
  if (provider === undefined) return undefined;
  const made = [provider, model, dimensions && `${dimensions} dimensions`, vector?.index === "hnsw" && "HNSW"];
  const instead = fallback?.inUse ? "the fallback" : undefined;
  const unread = vector && vector.unread.length > 0 ? `does not read ${vector.unread.join(", ")}` : undefined;
  const missing = vector?.ready === false ? (vector.problem ?? "not available") : undefined;
  return [made.filter(Boolean).join(" · "), instead, unread, missing].filter(Boolean).join("; ");
}

function languageText({ keyword }: Partial<AgentStatus>): string | undefined {
  if (!keyword) return undefined;
  return keyword.languages.length > 0 ? keyword.languages.join(", ") : keyword.language;
}

function toDoText(status: Partial<AgentStatus>): string | undefined {
  const {
    pendingEmbeddings,
    embeddingProblem,
    unindexedMessages = 0,
    rejectedChunks = 0,
    reindex,
    workerAlive = true,
  } = status;
  if (pendingEmbeddings === undefined) return undefined;
  const parts = [
    ...(pendingEmbeddings > 0 ? [`${countOf(pendingEmbeddings, "chunk")} to embed`] : []),
    ...(embeddingProblem === undefined ? [] : [`whose last try failed: ${embeddingProblem.replace(/\.$/, "")}`]),
    ...(unindexedMessages > 0 ? [`${countOf(unindexedMessages, "message")} to index`] : []),
    ...(rejectedChunks > 0 ? [`${countOf(rejectedChunks, "chunk")} that the provider refuses`] : []),
    ...(reindex && reindex.state !== "none" ? [`a new index (${reindex.state})`] : []),
    ...(workerAlive ? [] : ["no worker runs: recollect worker"]),
  ];
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
