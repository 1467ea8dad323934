import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SearchSet } from "../../test/support/search-sets.ts";

/** A message as a session stores it. */
interface Message {
  id: string;
  role: "user" | "assistant";
  name: string;
  content: string;
  /** The time in ISO 8601. */
  at: string;
}

/** A conversation: its sittings by key, each a list of messages in order. */
export type Sittings = ReadonlyMap<string, readonly Message[]>;

/** Conversations with questions, and the messages that answer them. */
export interface SessionSet {
  conversations: ReadonlyMap<string, Sittings>;
  questions: readonly { scope: string; text: string; wanted: readonly { sitting: string; number: number }[] }[];
}

/** Messages of one sitting. `from` and `to` count from 1. */
interface Span {
  sitting: string;
  from: number;
  to: number;
}

interface Turn {
  id: string;
  scope: string;
  date: string;
  text: string;
}

/**
 * Reads LoCoMo: turns `<conversation>/<sitting>:<number>` with the text `<name>: <content>` and the
 * date `1:56 pm on 8 May, 2023`. Leaves out questions of category 5, which no turn answers.
 */
export async function readSessionSet(folder: string): Promise<SessionSet> {
  const lines = async (name: string) => (await readFile(join(folder, name), "utf8")).trim().split("\n");
  const turns = (await lines("corpus.jsonl")).map((line) => JSON.parse(line) as Turn);
  const place = new Map<string, { sitting: string; number: number }>();
  const conversations = new Map<string, Map<string, Message[]>>();
  const firstSpeaker = new Map<string, string>();
  for (const { id, scope, date, text } of turns) {
    const sitting = /\/(D\d+):/.exec(id)?.[1] ?? "";
    const sittings = conversations.get(scope) ?? new Map<string, Message[]>();
    const messages = sittings.get(sitting) ?? [];
    const name = text.slice(0, text.indexOf(":"));
    if (!firstSpeaker.has(scope)) firstSpeaker.set(scope, name);
    const role = name === firstSpeaker.get(scope) ? "user" : "assistant";
    const at = new Date(instantOf(date) + messages.length * 60_000).toISOString();
    messages.push({ id, role, name, content: text.slice(name.length + 1).trim(), at });
    place.set(id, { sitting, number: messages.length });
    conversations.set(scope, sittings.set(sitting, messages));
  }
  const answers = Map.groupBy(
    (await lines("qrels.tsv")).slice(1).map((line) => line.split("\t")),
    ([query]) => query ?? "",
  );
  const questions = (await lines("queries.jsonl")).flatMap((line) => {
    const { id, scope, text, category } = JSON.parse(line) as Turn & { category?: number };
    const right = (answers.get(id) ?? []).filter(([, , score]) => Number(score) > 0);
    const wanted = right.map(([, turn]) => place.get(turn ?? ""));
    const isAnswered = category !== 5 && wanted.length > 0 && !wanted.includes(undefined);
    return isAnswered ? [{ scope, text, wanted: wanted.flatMap((turn) => turn ?? []) }] : [];
  });
  return { conversations, questions };
}

function instantOf(date: string): number {
  const [, hour = "0", minute = "0", half, day, month, year] =
    /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(date) ?? [];
  const hours = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  return Date.parse(`${day} ${month} ${year} ${hours}:${minute} UTC`);
}

/**
 * How sittings are cut for a store of documents: by messages or characters. Each piece begins with
 * the last message of the piece before.
 */
export interface Cut {
  name: string;
  messages: number;
  chars: number;
}

/**
 * Returns the set as documents, one per piece of a sitting. The path names the messages of the
 * piece.
 */
export function documentsOf({ conversations, questions }: SessionSet, cut: Cut): SearchSet {
  const set: SearchSet = { name: cut.name, agents: new Map(), ids: new Map(), queries: [] };
  for (const [scope, sittings] of conversations) {
    const files = [...sittings].flatMap(([sitting, messages]) =>
      cutSitting(messages, cut).map(([from, to]) => ({
        path: pathOf({ sitting, from: from + 1, to }),
        content: messages.slice(from, to).map(textOf).join("\n"),
      })),
    );
    set.agents.set(scope, { id: scope, files });
    for (const { path } of files) set.ids.set(`${scope}/${path}`, path);
  }
  set.queries = questions.map(({ scope, text }, at) => ({ id: String(at), scope, text, judgements: new Map() }));
  return set;
}

function cutSitting(messages: readonly Message[], cut: Cut): [from: number, to: number][] {
  const pieces: [number, number][] = [];
  for (let from = 0; ; ) {
    let [to, chars] = [from, 0];
    while (to < messages.length && to - from < cut.messages) {
      chars += textOf(messages[to]).length + 1;
      // A piece has at least two messages, unless it is the last, so that the cutting makes
      // progress.
      if (chars > cut.chars && to - from >= 2) break;
      to++;
    }
    pieces.push([from, to]);
    if (to >= messages.length) return pieces;
    from = to - 1;
  }
}

function textOf(message: Message | undefined): string {
  return message ? `${message.name}: ${message.content}` : "";
}

export function pathOf({ sitting, from, to }: Span): string {
  return `${sitting}/${from}-${to}.md`;
}

function spanOf(path: string): Span {
  const [, sitting = "", from, to] = /^(\w+)\/(\d+)-(\d+)\.md$/.exec(path) ?? [];
  return { sitting, from: Number(from), to: Number(to) };
}

/**
 * Returns the share of a question's answering messages that the first 5 and 10 hits show, and the
 * length of a hit.
 */
export function shownBy({ conversations, questions }: SessionSet, question: number, paths: readonly string[]) {
  const { scope = "", wanted = [] } = questions[question] ?? {};
  const spans = paths.map(spanOf);
  const share = (k: number) =>
    wanted.filter((turn) =>
      spans
        .slice(0, k)
        .some(({ sitting, from, to }) => sitting === turn.sitting && from <= turn.number && turn.number <= to),
    ).length / wanted.length;
  const chars = spans.map(({ sitting, from, to }) => {
    const messages = conversations.get(scope)?.get(sitting) ?? [];
    return messages
      .slice(from - 1, to)
      .map(textOf)
      .join("\n").length;
  });
  const mean = chars.reduce((sum, value) => sum + value, 0) / Math.max(1, chars.length);
  return { "R@5": share(5), "R@10": share(10), "characters a hit": mean };
}
