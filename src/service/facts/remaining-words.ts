import type { FactSource } from "../../db/agent/facts/facts.ts";
import { type SourceMessage, standingSources } from "../../db/agent/facts/standing-sources.ts";
import type { AgentTransaction } from "../../db/agent/schema/agent-transaction.ts";
import { holds } from "../../settings/access.ts";
import { sessionPath } from "../../settings/memory-path.ts";
import type { Caller } from "../core/core-deps.ts";
import type { KnownAgent } from "../core/known-agent.ts";
import { sourceNames } from "./source-names.ts";

/** Where the words of forgotten facts still stand. */
export interface RemainingWords {
  /** The paths of some conversations and files that the facts came from; absent if there are none. */
  stillIn?: string[];
  /** A sentence that names them and says how to remove the words. */
  note?: string;
}

/** The most conversations and files that are named. */
const MAX_NAMED = 3;

/**
 * Returns the conversations and files that forgotten facts came from and that still exist. A caller
 * that may not read learns only that there are some.
 */
export async function remainingWords(
  tx: AgentTransaction,
  caller: Caller,
  agent: KnownAgent,
  facts: readonly { source: FactSource }[],
): Promise<RemainingWords> {
  const messages: SourceMessage[] = [];
  const paths: string[] = [];
  for (const { source } of facts) {
    if (source.kind === "file") paths.push(source.path);
    if (source.kind !== "message") continue;
    for (const session of sourceNames(agent.agentId, source.session))
      messages.push({ session, message: source.message });
  }
  const found = await standingSources(tx, tx.schema, { messages, paths: [...new Set(paths)] });
  const [first] = found;
  if (!first) return {};
  if (!holds(caller, "search")) return { note: "A conversation or a file that it came from may still say it." };
  const all = found.map(({ kind, name }) => (kind === "session" ? sessionPath(name) : name));
  const stillIn = all.slice(0, MAX_NAMED);
  return { stillIn, note: all.length === 1 ? noteOfOne(first.kind, all[0] ?? "") : noteOfSeveral(stillIn, all.length) };
}

function noteOfOne(kind: "session" | "file", path: string): string {
  return kind === "session"
    ? `The conversation ${path} still says it; delete the conversation to remove the words.`
    : `It came from the file ${path}, which may still say it; edit or delete the file to remove the words.`;
}

function noteOfSeveral(named: readonly string[], count: number): string {
  const more = count > named.length ? `, and ${count - named.length} more` : "";
  return `It came from these, which may still say it: ${named.join(", ")}${more}. Delete the conversations, and edit or delete the files, to remove the words.`;
}
