import type { SqlExecutor } from "../../src/db/database.ts";
import { storedAgent } from "./crash-client.ts";
import { createLedger, type Value } from "./crash-ledger.ts";
import { type Access, type ClientLog, insist, pause, send } from "./crash-request.ts";
import { readSession, storedSessions } from "./crash-sessions.ts";
import { type CrashClient, crashWriter } from "./crash-writer.ts";
import type { SeededRandom } from "./seeded-random.ts";

const SLOTS = 8;
const SESSION = "chat:told";
/** The key under which the rules of capture store where a user lives. */
const LOCATION = "user.location";

interface ListedFact {
  id: string;
  text: string;
}

/**
 * Makes a client that is the only writer of one agent's facts. For each key it knows every
 * acknowledged version, in order. Some facts are captured from a message; message and fact are
 * stored together or not at all.
 */
export function crashFacts(agent: string, access: Access, random: SeededRandom, log: ClientLog): CrashClient {
  const ledger = createLedger(agent);
  const writer = crashWriter(ledger, access, random, log);
  const base = `/v1/agents/${agent}`;
  const told = new Map<string, { role: "user"; text: string }>();
  let serial = 0;
  let begun = false;
  const anySlot = () => `slot ${random.between(1, SLOTS)}`;
  const anyKey = () => (random.chance(0.25) ? LOCATION : anySlot());
  /** Reads all versions of a key's fact, newest first. */
  const read = async (key: string): Promise<ListedFact[]> => {
    const request = { method: "GET", path: `${base}/facts?all=true&limit=200&key=${encodeURIComponent(key)}` };
    const answer = await send(access, log, request);
    if (answer?.status !== 200) return [];
    const { facts } = answer.body as { facts: ListedFact[] };
    writer.saw(key, versionsOf(facts.map(({ text }) => text).toReversed()));
    return facts;
  };
  const free = (key: string) => writer.settle(key, async () => void (await read(key)));
  const after = (key: string, text: string) => versionsAfter(ledger.acknowledged(key), text);
  const store = async () => {
    const wanted = new Map<string, Value>();
    const facts: { key: string; text: string }[] = [];
    for (let i = random.between(1, 3); i > 0; i--) {
      const key = anySlot();
      if (wanted.has(key) || !(await free(key))) continue;
      const text = `${agent} keeps thing ${++serial}.`;
      wanted.set(key, after(key, text));
      facts.push({ key, text });
    }
    if (facts.length > 0) await writer.write(wanted, { method: "POST", path: `${base}/facts`, body: { facts } });
  };
  const change = async () => {
    const key = anyKey();
    if (!(await free(key))) return;
    const [current] = await read(key);
    if (!current) return;
    const text = `${agent} has changed thing ${++serial}.`;
    const request = { method: "PATCH", path: `${base}/facts/${current.id}`, body: { text } };
    await writer.write(new Map([[key, after(key, text)]]), request, ({ status, code }, repeated) =>
      status === 200 || (repeated && code === "fact_superseded") ? undefined : `${status} ${code}`,
    );
  };
  const forget = async () => {
    const key = anyKey();
    if (!(await free(key))) return;
    const [current] = await read(key);
    if (!current) return;
    const request = { method: "DELETE", path: `${base}/facts/${current.id}` };
    await writer.write(new Map([[key, undefined]]), request, ({ status, code }, repeated) =>
      status === 200 || (repeated && status === 404) ? undefined : `${status} ${code}`,
    );
  };
  const tell = async () => {
    const readTold = () => readSession(base, SESSION, access, log, writer);
    if (!(await writer.settle(SESSION, readTold)) || !(await free(LOCATION))) return;
    const name = `t${++serial}`;
    const text = `I live in Maple${serial}`;
    told.set(name, { role: "user", text: `${text}.` });
    const wanted = new Map([
      [SESSION, [...textsOf(ledger.acknowledged(SESSION), " "), name].join(" ")],
      [LOCATION, after(LOCATION, text)],
    ]);
    const body = { messages: [told.get(name)] };
    // The message has no id, so only the Idempotency-Key keeps it from being stored twice.
    const request = { method: "POST", path: `${base}/sessions/${SESSION}/messages`, body, once: crypto.randomUUID() };
    await writer.write(wanted, request, ({ status, code, body: answer }) => {
      const { captured } = answer as { captured?: { stored: number } };
      return status === 200 && captured?.stored === 1 ? undefined : `${status} ${code}, ${captured?.stored} captured`;
    });
  };
  const begin = () => insist(access, log, { method: "POST", path: "/v1/agents", body: { id: agent } }, [201], [409]);
  const actions = [store, store, store, change, change, forget, tell, tell, () => read(anyKey())] as const;
  return {
    ledger,
    step: async () => {
      if (!begun) await begin();
      begun = true;
      await random.pick(actions)();
      await pause(random.between(50, 400));
    },
    check: async (db) => {
      const { schema } = await storedAgent(db, agent);
      return ledger.compare(new Map([...(await storedFacts(db, schema)), ...(await storedSessions(db, schema, told))]));
    },
  };
}

const SEPARATOR = "\n";
const textsOf = (value: Value, separator = SEPARATOR) => (value === undefined ? [] : value.split(separator));
/** Returns the versions of a fact as a ledger stores them, oldest first. */
export const versionsOf = (texts: readonly string[]): Value => (texts.length === 0 ? undefined : texts.join(SEPARATOR));
/** Returns the same versions with a newer one at the end. */
export const versionsAfter = (versions: Value, text: string): Value => versionsOf([...textsOf(versions), text]);

/** Reads the stored facts in the form of a ledger: for each key the versions, oldest first. */
export async function storedFacts(db: SqlExecutor, schema: string): Promise<Map<string, string>> {
  const { rows } = await db.executeSql<{ key: string; texts: string[] }>(
    `SELECT coalesce(key, 'no key') AS key, array_agg(text ORDER BY valid_from, id) AS texts FROM ${schema}.facts GROUP BY 1`,
  );
  return new Map(rows.map(({ key, texts }) => [key, texts.join(SEPARATOR)]));
}
