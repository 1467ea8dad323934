import type { SqlExecutor } from "../../src/db/database.ts";
import { type Attempt, createLedger, type Ledger, type Value } from "./crash-ledger.ts";
import { type Access, type Answer, type ClientLog, insist, pause, send } from "./crash-request.ts";
import { type CrashClient, crashWriter } from "./crash-writer.ts";
import { QUERY_MARK } from "./metered-provider.ts";
import type { SeededRandom } from "./seeded-random.ts";

export const MODELS = ["text-embedding-3-small", "text-embedding-3-large"] as const;
const CHUNKING = [60, 100, 160] as const;
/** The place of the agent's settings in its ledger. */
export const SETTINGS = "settings";

/** The way in which a client writes. */
export interface Habits {
  /** The agent's settings from the beginning. */
  settings: Record<string, unknown>;
  /** The most files that there may be; `batch` is the number of files of a batch. */
  places: number;
  batch: readonly [least: number, most: number];
  /** The number of sections that are added to a file at once. */
  sections: readonly [least: number, most: number];
  /** The share of files that are rewritten whole, instead of changed in one section. */
  anew: number;
  /** Milliseconds from one request to the next. */
  rest: readonly [least: number, most: number];
}

const FEW: Habits = {
  settings: {},
  places: 8,
  batch: [2, 8],
  sections: [1, 12],
  anew: 0,
  rest: [0, 120],
};

/** Enough chunks at once for provider batches, and sometimes too few for them. */
export const MANY: Habits = {
  settings: { remote: { batch: { enabled: true, pollIntervalMs: 200 } }, chunking: { tokens: 60, overlap: 10 } },
  places: 60,
  batch: [30, 60],
  sections: [6, 12],
  anew: 0.7,
  rest: [100, 1000],
};

/**
 * Makes a client that is the only writer of one agent's files and settings. It knows which contents
 * must be stored, even if processes are killed meanwhile.
 */
export function crashClient(
  agent: string,
  access: Access,
  random: SeededRandom,
  log: ClientLog,
  habits: Habits = FEW,
): CrashClient {
  const ledger = createLedger(agent);
  const writer = crashWriter(ledger, access, random, log);
  const base = `/v1/agents/${agent}`;
  const text = texts(agent, random, habits);
  const anyPath = () => `notes/n${random.between(1, habits.places)}.md`;
  const read = async (path = anyPath()) => {
    const answer = await send(access, log, { method: "GET", path: `${base}/files/${path}` });
    if (answer) writer.saw(path, answer.status === 200 ? (answer.body as { content: string }).content : undefined);
  };
  const free = (path: string) => writer.settle(path, () => read(path));
  const put = async () => {
    const path = anyPath();
    if (!(await free(path))) return;
    const content = text.document(ledger.acknowledged(path));
    const judge = judgeFiles(ledger, new Map([[path, content]]), ({ body }) => ({ files: [body] }));
    await writer.write(new Map([[path, content]]), putOf(base, path, content), judge);
  };
  const batch = async () => {
    const wanted = new Map<string, Value>();
    for (let i = random.between(...habits.batch); i > 0; i--) {
      const path = anyPath();
      if (wanted.has(path) || !(await free(path))) continue;
      wanted.set(path, random.chance(0.2) ? undefined : text.document(ledger.acknowledged(path)));
    }
    // Settling one path may show that an attempt for several paths was not carried out. It opens no
    // attempt.
    if (wanted.size > 0) await writer.write(wanted, batchOf(base, wanted), judgeFiles(ledger, wanted));
  };
  const remove = async () => {
    const path = anyPath();
    if (!(await free(path))) return;
    const there = ledger.acknowledged(path) !== undefined;
    await writer.write(
      new Map([[path, undefined]]),
      { method: "DELETE", path: `${base}/files/${path}` },
      ({ status }, repeated) => {
        const right = there ? status === 200 || (repeated && status === 404) : status === 404;
        return right ? undefined : `${status} for a file that ${there ? "is" : "is not"} there`;
      },
    );
  };
  const search = async () => {
    const query = `${QUERY_MARK} part ${random.between(1, text.serial() + 1)}`;
    const answer = await send(access, log, {
      method: "POST",
      path: `${base}/tools/memory_search`,
      body: { query },
    });
    if (answer && answer.status !== 200) log.problems.push(`${agent}: a search ended with ${answer.status}`);
  };
  const configure = async () => {
    if (!(await writer.settle(SETTINGS, () => readSettings(agent, access, log, writer)))) return;
    const [model, tokens] = [random.pick(MODELS), random.pick(CHUNKING)];
    const body = { settings: { model, chunking: { tokens, overlap: 10 } } };
    await writer.write(new Map([[SETTINGS, settingsValue(body.settings)]]), { method: "PATCH", path: base, body });
  };
  const begin = async () => {
    const { settings, batch: size } = habits;
    await insist(access, log, { method: "POST", path: "/v1/agents", body: { id: agent, settings } }, [201], [409]);
    const paths = Array.from({ length: size[1] }, (_, i) => `notes/n${i + 1}.md`);
    const wanted = new Map(paths.map((path) => [path, text.document(undefined)]));
    await writer.write(wanted, batchOf(base, wanted), judgeFiles(ledger, wanted));
  };
  const actions = [put, put, put, batch, batch, remove, () => read(), () => read(), search, configure] as const;
  return {
    ledger,
    step: async () => {
      if (text.serial() === 0) await begin();
      else await random.pick(actions)();
      await pause(random.between(...habits.rest));
    },
    check: (db) => checkClient(db, agent, ledger),
  };
}

/**
 * Makes texts that no other client writes, so that a text that is charged twice was requested
 * twice.
 */
function texts(agent: string, random: SeededRandom, habits: Habits) {
  let serial = 0;
  const section = () => `## Part ${++serial}\n\n${agent} part ${serial} ${"has words about its matter ".repeat(6)}\n`;
  return {
    serial: () => serial,
    document: (before: string | undefined) => {
      const kept = habits.anew > 0 && random.chance(habits.anew) ? "" : (before ?? "");
      const parts = kept.split(/(?=^## )/m).filter((part) => part !== "");
      if (parts.length > 2 && random.chance(0.7)) parts[random.between(0, parts.length - 1)] = section();
      else parts.push(...Array.from({ length: random.between(...habits.sections) }, section));
      return parts.slice(-30).join("");
    },
  };
}

const putOf = (base: string, path: string, content: string) => ({
  method: "PUT",
  path: `${base}/files/${path}`,
  body: { content },
});

function batchOf(base: string, wanted: ReadonlyMap<string, Value>) {
  const of = [...wanted];
  const body = {
    put: of.flatMap(([path, content]) => (content === undefined ? [] : [{ path, content }])),
    delete: of.flatMap(([path, content]) => (content === undefined ? [path] : [])),
  };
  return { method: "POST", path: `${base}/files`, body };
}

/**
 * Judges the answer to a write: it must say for each file whether the file existed, as was
 * acknowledged before.
 */
function judgeFiles(
  ledger: Ledger,
  wanted: ReadonlyMap<string, Value>,
  bodyOf = ({ body }: Answer): unknown => body,
): Attempt["judge"] {
  const there = (path: string) => ledger.acknowledged(path) !== undefined;
  const [puts, deletes] = [true, false].map((put) =>
    [...wanted].filter(([, content]) => (content !== undefined) === put),
  );
  const should = (puts ?? []).map(([path]) => `${path} ${there(path) ? "updated" : "created"}`);
  const gone = (deletes ?? []).flatMap(([path]) => (there(path) ? [path] : []));
  return (answer, repeated) => {
    if (answer.status !== 200) return `${answer.status} ${answer.code}`;
    const { files, deleted = [] } = bodyOf(answer) as { files: { path: string; status: string }[]; deleted?: string[] };
    const is = files.map(({ path, status }) => `${path} ${status}`);
    const right =
      is.toSorted().join() === should.toSorted().join() && deleted.toSorted().join() === gone.toSorted().join();
    return right || repeated ? undefined : `said ${[...is, ...deleted]} where ${[...should, ...gone]} was right`;
  };
}

/** Returns settings as a ledger stores them. */
export function settingsValue({ model, chunking }: { model?: string; chunking?: { tokens?: number } }): Value {
  return model === undefined ? undefined : `${model} ${chunking?.tokens}`;
}

/** Reads an agent's settings, to find out whether a change was carried out. */
export async function readSettings(
  agent: string,
  access: Access,
  log: ClientLog,
  { saw }: { saw(place: string, value: Value): void },
): Promise<void> {
  const answer = await send(access, log, { method: "GET", path: `/v1/agents/${agent}` });
  if (answer?.status === 200) saw(SETTINGS, settingsValue((answer.body as { settings: object }).settings));
}

/**
 * Returns the agent's schema and settings as stored, and a problem if the index was not built with
 * these settings.
 */
export async function storedAgent(
  db: SqlExecutor,
  agent: string,
): Promise<{ schema: string; settings: Value; problems: string[] }> {
  const found = await db.executeSql<{ schema: string; settings: object }>(
    "SELECT schema_name AS schema, settings FROM recollect.agents WHERE id = $1",
    [agent],
  );
  const [row] = found.rows;
  if (!row) throw new Error(`${agent} is not there.`);
  const generation = await db.executeSql<{ made: string }>(
    `SELECT model || ' ' || chunk_tokens AS made FROM ${row.schema}.generations WHERE status = 'active'`,
  );
  const [settings, made] = [settingsValue(row.settings), generation.rows[0]?.made];
  const right = settings === undefined || settings === made;
  return {
    schema: row.schema,
    settings,
    problems: right ? [] : [`${agent}: is indexed by ${made}, not by its settings`],
  };
}

async function checkClient(db: SqlExecutor, agent: string, ledger: Ledger): Promise<string[]> {
  const { schema, settings, problems } = await storedAgent(db, agent);
  const { rows } = await db.executeSql<{ path: string; content: string }>(`SELECT path, content FROM ${schema}.files`);
  const stored = new Map(rows.map((row) => [row.path, row.content]));
  if (settings !== undefined) stored.set(SETTINGS, settings);
  return [...problems, ...ledger.compare(stored)];
}
