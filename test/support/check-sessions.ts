import { cutWindows, lastWindowOf, renderMessage, type TranscriptMessage } from "../../src/ingest/session-windows.ts";
import type { AgentView } from "./check-agent.ts";

export interface SessionRow {
  id: string;
  key: string;
  message_count: number;
  bytes: number;
  last_seq: number;
  last_line: number;
  indexed_seq: number;
  unindexed_bytes: number;
}

export interface MessageRow extends TranscriptMessage {
  session_id: string;
  size_bytes: number;
  line_count: number;
}

/**
 * Checks that a session's counters match its messages, and that its chunks equal the windows cut
 * anew from all messages.
 */
export function checkSessions(view: AgentView): string[] {
  const { sessions, messages, chunks, active } = view;
  const bySession = Map.groupBy(messages, (message) => message.session_id);
  const stored = Map.groupBy(chunks, (chunk) => chunk.session_id);
  return sessions.flatMap((session) => {
    const own = bySession.get(session.id) ?? [];
    const range = { from: 0, to: lastWindowOf(session.indexed_seq) };
    const indexed = own.filter((message) => message.seq <= session.indexed_seq);
    const wanted = cutWindows(indexed, range, { tokens: active.tokens, overlap: active.overlap }).map((one) =>
      JSON.stringify([
        ...[one.ordinal, one.startLine, one.endLine, one.heading, one.text, one.hash],
        ...[one.firstMessage, one.lastMessage],
      ]),
    );
    const found = (stored.get(session.id) ?? []).map((one) =>
      JSON.stringify([
        ...[one.ordinal, one.start_line, one.end_line, one.heading, one.text, one.hash],
        ...[one.first_message, one.last_message],
      ]),
    );
    // Pieces of one window have no order other than their lines.
    const same = found.toSorted().join("\n") === wanted.toSorted().join("\n");
    return [
      ...checkCounters(session, own),
      ...(same ? [] : [`${session.key}: has ${found.length} chunks that are not the ${wanted.length} of its messages`]),
      ...(view.sources.includes("sessions") ? checkIndexed(session) : []),
    ].map((problem) => (problem.startsWith(session.key) ? problem : `${session.key}: ${problem}`));
  });
}

function checkCounters(session: SessionRow, messages: readonly MessageRow[]): string[] {
  const bytes = messages.reduce((sum, message) => sum + Buffer.byteLength(message.text), 0);
  let line = 0;
  const lines = messages.filter((message) => {
    const rendered = renderMessage(message).length;
    const right = message.firstLine === line + 1 && message.line_count === rendered;
    line += rendered;
    return !right;
  });
  const { message_count, last_seq, last_line } = session;
  const counted = [messages.length, bytes, messages.at(-1)?.seq ?? 0, line].join();
  return [
    ...([message_count, session.bytes, last_seq, last_line].join() === counted ? [] : ["the counters are off"]),
    ...(lines.length === 0 ? [] : ["lines are not those of the messages"]),
  ];
}

function checkIndexed({ indexed_seq, last_seq, unindexed_bytes }: SessionRow): string[] {
  return indexed_seq === last_seq && unindexed_bytes === 0
    ? []
    : [`is indexed up to ${indexed_seq} of ${last_seq}, with ${unindexed_bytes} bytes left`];
}
