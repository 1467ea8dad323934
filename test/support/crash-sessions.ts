import type { SqlExecutor } from "../../src/db/database.ts";
import { type Access, attempt, type ClientLog, type CrashClient, insist, MODELS, pause } from "./crash-client.ts";
import type { SeededRandom } from "./seeded-random.ts";

interface Message {
  id: string;
  role: "user" | "assistant";
  text: string;
}

/** What a conversation's sender knows of it. */
interface Sent {
  acknowledged: Message[];
  /** Sent, and nobody said that it arrived: goes before whatever comes next. */
  inDoubt: Message[];
}

const SESSIONS = ["chat:first", "chat:second", "mail:third"] as const;
/** Of the requests that got no answer, so many are not tried again before more messages are there to be sent. */
const GIVE_UP = 0.3;
const CHUNKING = [60, 160] as const;

/**
 * The only sender of an agent's conversations. It sends again what it does not know to have arrived, and now and then some of
 * what has, as one does that reads a transcript from a place it knows.
 */
export function crashSessions(
  agent: string,
  access: Access,
  random: SeededRandom,
  log: ClientLog,
): CrashClient & { finish(): Promise<void> } {
  const sent = new Map<string, Sent>(SESSIONS.map((key) => [key, { acknowledged: [], inDoubt: [] }]));
  const base = `/v1/agents/${agent}`;
  let serial = 0;
  const message = (): Message => {
    const words = "which says something about its matter ".repeat(random.pick([1, 3, 12]));
    const text = `${agent} turn ${++serial} ${words}${random.chance(0.3) ? `\n\nand a line ${serial}` : ""}`.trim();
    return { id: `m${serial}`, role: serial % 2 === 0 ? "assistant" : "user", text };
  };
  const append = async () => {
    const key = random.pick(SESSIONS);
    const { acknowledged, inDoubt } = sent.get(key) as Sent;
    inDoubt.push(...Array.from({ length: random.between(1, 7) }, message));
    const known = random.chance(0.3) ? acknowledged.slice(-random.between(1, 6)) : [];
    const body = { messages: [...known, ...inDoubt], end: random.chance(0.1) };
    const request = { method: "POST", path: `${base}/sessions/${key}/messages`, body };
    do {
      const answer = await attempt(access, log, request);
      if (answer) {
        acknowledged.push(...inDoubt.splice(0));
        const { lastMessage } = answer.body as { lastMessage: number };
        if (lastMessage !== acknowledged.length)
          log.problems.push(`${agent}: ${key} has ${lastMessage} messages, ${acknowledged.length} were sent`);
        return;
      }
      await pause(random.between(20, 200));
    } while (!random.chance(GIVE_UP));
    log.writesInDoubt++;
  };
  const sync = () => insist(access, log, { method: "POST", path: `${base}/sync`, body: {} }, [200, 202]);
  const configure = () => {
    const settings = { model: random.pick(MODELS), chunking: { tokens: random.pick(CHUNKING), overlap: 10 } };
    return insist(access, log, { method: "PATCH", path: base, body: { settings } });
  };
  const begin = () => {
    const settings = { sources: ["memory", "sessions"], sync: { sessions: { deltaMessages: 5 } } };
    return insist(access, log, { method: "POST", path: "/v1/agents", body: { id: agent, settings } }, [201, 409]);
  };
  return {
    step: async () => {
      if (serial === 0) await begin();
      await random.pick([append, append, append, append, append, append, append, append, sync, configure])();
      await pause(random.between(20, 300));
    },
    finish: sync,
    check: (db) => checkSent(db, agent, sent),
  };
}

/** Every acknowledged message once and in order; of those in doubt all up to one. */
async function checkSent(db: SqlExecutor, agent: string, sent: ReadonlyMap<string, Sent>): Promise<string[]> {
  const found = await db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
    [agent],
  );
  const schema = found.rows[0]?.schema;
  if (schema === undefined) return [`${agent}: is not there`];
  const { rows } = await db.executeSql<{ key: string; seq: number } & Message>(
    `SELECT s.key, m.seq, m.external_id AS id, m.role, m.text FROM ${schema}.messages m
       JOIN ${schema}.sessions s ON s.id = m.session_id ORDER BY m.seq`,
  );
  const stored = Map.groupBy(rows, (row) => row.key);
  return [...sent].flatMap(([key, { acknowledged, inDoubt }]) => {
    const messages = stored.get(key) ?? [];
    const known = [...acknowledged, ...inDoubt].slice(0, Math.max(acknowledged.length, messages.length));
    const should = known.map(({ id, role, text }, i) => JSON.stringify([i + 1, id, role, text]));
    const is = messages.map(({ seq, id, role, text }) => JSON.stringify([seq, id, role, text]));
    return is.join() === should.join()
      ? []
      : [`${agent}: ${key} has not the messages that were sent, once and in order`];
  });
}
