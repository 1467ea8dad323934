import { reasonOf } from "../../cli/folder/walk-folder.ts";
import { createMessageSender, type MessageSender, type MessagesSent } from "../../cli/sessions/send-messages.ts";
import { PAGE_ROWS } from "../../cli/shell/call.ts";
import { codeOf, sentenceOf } from "../../cli/shell/problem.ts";
import type { AgentClient } from "../../client/agent-client.ts";
import type { Conversation } from "./import-kind.ts";
import { type ImportReport, leave, skip } from "./import-report.ts";
import type { ImportTarget } from "./import-target.ts";

/**
 * The error codes that concern one conversation. Any other error would recur for every
 * conversation.
 */
const ABOUT_A_CONVERSATION = new Set(["invalid_session_key", "scope_conflict"]);

type ConversationTarget = Pick<ImportTarget, "memory" | "dryRun" | "captures" | "scope" | "keptSince">;

/**
 * Appends the messages of a conversation that its session does not have yet. The server is asked
 * for the session's messages, so an import that was killed continues where it stopped.
 *
 * @throws RecollectError when the service cannot be reached, or refuses for a reason that concerns
 * more than this conversation
 */
export async function importConversation(
  target: ConversationTarget,
  conversation: Conversation,
  report: ImportReport,
): Promise<Pick<MessagesSent<string>, "indexing">> {
  const { memory, captures } = target;
  const { session, place } = conversation;
  const scope = conversation.scopeOf?.(target.scope?.user) ?? target.scope;
  const sender = createMessageSender<string>({ memory, session, captures, scope });
  try {
    await append(target, conversation, sender, report);
  } catch (error) {
    const code = codeOf(error);
    if (code !== undefined && !ABOUT_A_CONVERSATION.has(code)) throw error;
    // An error without a code comes from the source, such as a file that can no longer be read.
    skip(report, place, code === undefined ? reasonOf(error, place) : sentenceOf(error));
  }
  return sender.result;
}

async function append(
  { memory, dryRun, keptSince }: ConversationTarget,
  { session, hookSession, entries }: Conversation,
  sender: MessageSender<string>,
  report: ImportReport,
): Promise<void> {
  const counts = { found: 0, fresh: 0, known: 0, tooOld: 0 };
  const known = await knownIds(memory, session);
  const isNew = known.size === 0;
  const hooked = hookSession === undefined ? new Set<string>() : await knownIds(memory, hookSession);
  for await (const entry of entries) {
    if ("left" in entry) leave(report, entry.left);
    else if ("bad" in entry) skip(report, entry.place, entry.bad);
    else {
      const { id, at } = entry.message;
      const isKnown = known.has(id) || (entry.hookId !== undefined && hooked.has(entry.hookId));
      counts.found++;
      if (isKnown) counts.known++;
      else if (keptSince !== undefined && at !== undefined && at < keptSince) counts.tooOld++;
      else counts.fresh++;
      if (!dryRun && !isKnown) await sender.add(entry.message, entry.place);
      known.add(id);
    }
  }
  await sender.finish(true);
  count(report, counts, isNew, sender.result);
}

function count(
  report: ImportReport,
  { found, fresh, known, tooOld }: { found: number; fresh: number; known: number; tooOld: number },
  isNew: boolean,
  { duplicates, expired, refused, captured }: MessagesSent<string>,
): void {
  const { conversations, messages, facts } = report;
  for (const one of refused) skip(report, one.place, one.reason);
  const added = fresh - duplicates - expired - refused.length;
  messages.found += found;
  messages.new += added;
  messages.known += known + duplicates;
  messages.tooOld += tooOld + expired;
  facts.captured += captured;
  if (found === 0) {
    leave(report, "conversations without messages");
    return;
  }
  conversations.found++;
  if (added === 0) conversations.known++;
  else if (isNew) conversations.new++;
  else conversations.grown++;
}

/** Returns the ids of a session's messages, or none if the session does not exist. */
async function knownIds(memory: AgentClient, session: string): Promise<Set<string>> {
  const known = new Set<string>();
  try {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: Awaited<ReturnType<typeof memory.sessions.get>> = await memory.sessions.get(session, {
        after,
        limit: PAGE_ROWS,
      });
      for (const { id } of page.messages) if (id !== undefined) known.add(id);
      after = page.nextAfter;
    }
  } catch (error) {
    if (!["session_not_found", "agent_not_found"].includes(codeOf(error) ?? "")) throw error;
  }
  return known;
}
