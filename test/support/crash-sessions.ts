import type { SqlExecutor } from "../../src/db/database.ts";
import { MODELS, readSettings, SETTINGS, settingsValue, storedAgent } from "./crash-client.ts";
import { createLedger, type Value } from "./crash-ledger.ts";
import { type Access, type ClientLog, insist, pause, send } from "./crash-request.ts";
import { type CrashClient, type CrashWriter, crashWriter } from "./crash-writer.ts";
import type { SeededRandom } from "./seeded-random.ts";

interface Message {
  id?: string;
  role: "user" | "assistant";
  text: string;
}

const SESSIONS = ["chat:first", "chat:second", "mail:third"] as const;
/**
 * A session whose messages have no ids: only the Idempotency-Key keeps them from being stored
 * twice.
 */
const WITHOUT_IDS = "mail:third";
const CHUNKING = [60, 160] as const;

/**
 * Makes a client that is the only sender of an agent's conversations. After a request without an
 * answer it finds out whether the messages arrived before it sends more. Now and then it repeats
 * messages that have arrived, as a client does that reads a transcript from a remembered position.
 */
export function crashSessions(
  agent: string,
  access: Access,
  random: SeededRandom,
  log: ClientLog,
): CrashClient & { finish(): Promise<void> } {
  const ledger = createLedger(agent);
  const writer = crashWriter(ledger, access, random, log);
  const sent = new Map<string, Message>();
  let begun = false;
  const base = `/v1/agents/${agent}`;
  const message = (withId: boolean): Message => {
    const name = `m${sent.size + 1}`;
    // The maintenance job embeds halves of texts to measure the model, beside the job that embeds chunks. It
    // joins the lines of a half with a space, so a half is never the text of a chunk, which would be charged twice.
    const words = "which says something about its matter ".repeat(random.pick([1, 3, 12])).trim();
    const text = `${agent} turn ${name} ${words}\n\nand a line ${name}.`;
    const own: Message = { ...(withId ? { id: name } : {}), role: sent.size % 2 === 0 ? "assistant" : "user", text };
    sent.set(name, own);
    return own;
  };
  const append = async () => {
    const key = random.pick(SESSIONS);
    if (!(await writer.settle(key, () => readSession(base, key, access, log, writer)))) return;
    const withId = key !== WITHOUT_IDS;
    const before = namesOf(ledger.acknowledged(key));
    const fresh = Array.from({ length: random.between(1, 7) }, () => message(withId));
    const known = withId && random.chance(0.3) ? before.slice(-random.between(1, 6)) : [];
    const messages = [...known.map((name) => sent.get(name)), ...fresh];
    const names = [...before, ...[...sent.keys()].slice(-fresh.length)];
    const request = {
      method: "POST",
      path: `${base}/sessions/${key}/messages`,
      body: { messages, end: random.chance(0.1) },
      ...(withId ? {} : { once: crypto.randomUUID() }),
    };
    await writer.write(new Map([[key, names.join(" ")]]), request, ({ status, code, body }, repeated) => {
      if (status !== 200) return `${status} ${code}`;
      const { lastMessage, appended } = body as { lastMessage: number; appended: number };
      const right = lastMessage === names.length && (repeated || appended === fresh.length);
      return right ? undefined : `${appended} appended, ${lastMessage} in all, where there were ${names.length}`;
    });
  };
  const sync = async () => {
    await insist(access, log, { method: "POST", path: `${base}/sync`, body: {} }, [200, 202]);
  };
  const configure = async () => {
    if (!(await writer.settle(SETTINGS, () => readSettings(agent, access, log, writer)))) return;
    const settings = { model: random.pick(MODELS), chunking: { tokens: random.pick(CHUNKING), overlap: 10 } };
    const request = { method: "PATCH", path: base, body: { settings } };
    await writer.write(new Map([[SETTINGS, settingsValue(settings)]]), request);
  };
  const begin = async () => {
    const settings = { sources: ["memory", "sessions"], sync: { sessions: { deltaMessages: 5 } } };
    await insist(access, log, { method: "POST", path: "/v1/agents", body: { id: agent, settings } }, [201], [409]);
  };
  return {
    ledger,
    step: async () => {
      if (!begun) await begin();
      begun = true;
      await random.pick([append, append, append, append, append, append, append, append, sync, configure])();
      await pause(random.between(20, 300));
    },
    finish: sync,
    check: async (db) => {
      const { schema, settings, problems } = await storedAgent(db, agent);
      const stored = await storedSessions(db, schema, sent);
      if (settings !== undefined) stored.set(SETTINGS, settings);
      return [...problems, ...ledger.compare(stored)];
    },
  };
}

const namesOf = (value: Value) => (value === undefined ? [] : value.split(" "));

/** Reads how many messages a session has, to settle its last attempt. */
export async function readSession(
  base: string,
  key: string,
  access: Access,
  log: ClientLog,
  { ledger, saw }: Pick<CrashWriter, "ledger" | "saw">,
): Promise<void> {
  const answer = await send(access, log, { method: "GET", path: `${base}/sessions/${key}?limit=1` });
  if (!answer) return;
  const { session } = answer.body as { session?: { messages: number } };
  const possible = [ledger.acknowledged(key), ledger.open(key)?.wanted.get(key)];
  const count = session?.messages ?? 0;
  saw(
    key,
    count === 0 ? undefined : (possible.find((value) => namesOf(value).length === count) ?? `${count} messages`),
  );
}

/**
 * Reads the stored conversations in the form of a ledger: the names of their messages, each checked
 * to be as it was sent, in the order of their numbers.
 */
export async function storedSessions(
  db: SqlExecutor,
  schema: string,
  sent: ReadonlyMap<string, Message>,
): Promise<Map<string, string>> {
  const { rows } = await db.executeSql<{ key: string; seq: number; id: string | null; role: string; text: string }>(
    `SELECT s.key, m.seq, m.external_id AS id, m.role, m.text FROM ${schema}.messages m
       JOIN ${schema}.sessions s ON s.id = m.session_id ORDER BY m.seq`,
  );
  const byText = new Map(
    [...sent].map(([name, { id = null, role, text }]) => [JSON.stringify([id, role, text]), name]),
  );
  const sessions = Map.groupBy(rows, (row) => row.key);
  return new Map(
    [...sessions].map(([key, messages]) => {
      const names = messages.map(({ seq, id, role, text }, i) =>
        seq === i + 1 ? (byText.get(JSON.stringify([id, role, text])) ?? "unknown") : "out of order",
      );
      return [key, names.join(" ")];
    }),
  );
}
