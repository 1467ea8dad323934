import { readMessage } from "../../cli/sessions/transcript-line.ts";
import type { Fields } from "./fields.ts";
import type { Entry, Item } from "./import-kind.ts";

/** Names of speakers that are programs, for sources that do not tell people and programs apart. */
const PROGRAM = /(^|[^a-z])(assistant|agent|bot|ai|system)([^a-z]|$)/i;

/** Returns the role of a speaker, by the name alone. */
export function roleOfName(name = ""): "user" | "assistant" {
  return PROGRAM.test(name) ? "assistant" : "user";
}

/** The messages of an export whose messages do not stand in conversations, by session. */
export interface SessionGroups {
  /**
   * Reads a message and adds it to its session. Yields what cannot be read.
   *
   * @param fields as `readMessage` takes them
   */
  add(session: string, fields: Fields, place: string): Generator<Item>;
  /** Yields one conversation for each session, in order of time. */
  conversations(): Generator<Item>;
}

/**
 * Creates the groups of a file. All messages of the file are held in memory until its end, because
 * the messages of a session may stand anywhere in it.
 */
export function createSessionGroups(path: string): SessionGroups {
  const groups = new Map<string, Extract<Entry, { message: unknown }>[]>();
  return {
    *add(session, fields, place) {
      const entries = groups.get(session) ?? [];
      groups.set(session, entries);
      const read = readMessage(fields, entries.length + 1);
      if ("bad" in read) yield { bad: read.bad, place };
      else if ("skipped" in read) yield { left: "messages without words" };
      else entries.push({ message: read.message, place });
    },
    *conversations() {
      for (const [session, entries] of groups) {
        entries.sort((one, other) => (one.message.at ?? "").localeCompare(other.message.at ?? ""));
        yield { conversation: { session, place: path, entries } };
      }
    },
  };
}
