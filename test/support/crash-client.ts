import type { SqlExecutor } from "../../src/db/database.ts";
import { QUERY_MARK } from "./metered-provider.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** How a client reaches the service: as which tenant, and where. */
export interface Access {
  url: string;
  key: string;
}

/** What a client saw, for the whole run. */
export interface ClientLog {
  /** Answers that no crash excuses. */
  problems: string[];
  /** Requests by how they ended: a status, `none` for no answer. */
  answers: Map<string, number>;
  writesInDoubt: number;
}

/** What may stand in a place; `undefined` is absence. More than one: a write was not acknowledged. */
type Possible = Set<string | undefined>;

export interface CrashClient {
  /** One request chosen at random, tried again until it is answered, or given up in doubt. */
  step(): Promise<void>;
  /** Compares the database with what was acknowledged. */
  check(db: SqlExecutor): Promise<string[]>;
}

export const MODELS = ["text-embedding-3-small", "text-embedding-3-large"] as const;
const CHUNKING = [60, 100, 160] as const;

/** How a client writes. */
export interface Habits {
  /** The agent's settings from the beginning. */
  settings: Record<string, unknown>;
  /** How many files there may be, and how many a batch has. */
  places: number;
  batch: readonly [least: number, most: number];
  /** How many sections are added to a file at once. */
  sections: readonly [least: number, most: number];
  /** The share of files that are written anew, not changed in one section. */
  anew: number;
  /** Milliseconds from one request to the next. */
  rest: readonly [least: number, most: number];
}

const FEW: Habits = {
  settings: {},
  ...{ places: 8, batch: [2, 8], sections: [1, 12], anew: 0, rest: [0, 120] },
};

/** So many chunks at once that they go to the provider as batches; and few at times, which do not. */
export const MANY: Habits = {
  settings: { remote: { batch: { enabled: true, pollIntervalMs: 200 } }, chunking: { tokens: 60, overlap: 10 } },
  ...{ places: 60, batch: [30, 60], sections: [6, 12], anew: 0.7, rest: [100, 1000] },
};

/** Of the requests that got no answer, so many are not tried again: what they did stays in doubt. */
const GIVE_UP = 0.15;

/** Sends one request. @returns undefined when there is no answer, or one that leaves open whether it was carried out */
export async function attempt(
  access: Access,
  log: ClientLog,
  request: { method: string; path: string; body?: unknown },
  expected: readonly number[] = [200, 201],
): Promise<{ status: number; body: unknown } | undefined> {
  const count = (what: string) => log.answers.set(what, (log.answers.get(what) ?? 0) + 1);
  try {
    const headers = { authorization: `Bearer ${access.key}`, "content-type": "application/json" };
    const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
    const response = await fetch(new URL(request.path, access.url), { method: request.method, headers, ...body });
    const answer = (await response.json()) as { error?: { code?: string } };
    const outcome = response.status >= 400 ? `${response.status} ${answer.error?.code}` : `${response.status}`;
    count(outcome);
    if (outcome === "503 database_unavailable") return undefined;
    if (!expected.includes(response.status)) log.problems.push(`${request.method} ${request.path}: ${outcome}`);
    return { status: response.status, body: answer };
  } catch {
    count("none");
    return undefined;
  }
}

/** Pauses before another try, so that a service that is away is not asked a thousand times a second. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a request until it is answered. */
export async function insist(
  access: Access,
  log: ClientLog,
  request: { method: string; path: string; body?: unknown },
  expected: readonly number[] = [200, 201],
): Promise<void> {
  while (!(await attempt(access, log, request, expected))) await pause(100);
}

/** The only writer of one agent: it knows what must be there, whatever is killed meanwhile. */
export function crashClient(
  agent: string,
  access: Access,
  random: SeededRandom,
  log: ClientLog,
  habits: Habits = FEW,
): CrashClient {
  const files = new Map<string, Possible>();
  let settings = new Set<string | undefined>([undefined]);
  let serial = 0;
  const base = `/v1/agents/${agent}`;
  const path = () => `notes/n${random.between(1, habits.places)}.md`;
  /** Texts are nobody else's: what is charged twice was asked for twice. */
  const section = () => `## Part ${++serial}\n\n${agent} part ${serial} ${"has words about its matter ".repeat(6)}\n`;
  const document = (before: string | undefined) => {
    const kept = habits.anew > 0 && random.chance(habits.anew) ? "" : (before ?? "");
    const parts = kept.split(/(?=^## )/m).filter((part) => part !== "");
    if (parts.length > 2 && random.chance(0.7)) parts[random.between(0, parts.length - 1)] = section();
    else parts.push(...Array.from({ length: random.between(...habits.sections) }, section));
    return parts.slice(-30).join("");
  };
  const newest = (at: string) => [...(files.get(at) ?? [])].at(-1);

  /** Sends until it is acknowledged, or gives up; then the places may be as before or as wanted. */
  const write = async (
    request: { method: string; path: string; body?: unknown },
    wanted: ReadonlyMap<string, string | undefined>,
    expected?: readonly number[],
  ) => {
    const doubt = [...wanted].map(
      ([at, content]) => [at, new Set([...(files.get(at) ?? [undefined]), content])] as const,
    );
    do {
      if (await attempt(access, log, request, expected)) {
        for (const [at, content] of wanted) files.set(at, new Set([content]));
        return;
      }
      for (const [at, possible] of doubt) files.set(at, possible);
      await pause(random.between(20, 200));
    } while (!random.chance(GIVE_UP));
    log.writesInDoubt++;
  };
  const put = () => {
    const at = path();
    const content = document(newest(at));
    return write({ method: "PUT", path: `${base}/files/${at}`, body: { content } }, new Map([[at, content]]));
  };
  const batch = () => {
    const wanted = new Map<string, string | undefined>();
    for (let i = random.between(...habits.batch); i > 0; i--) {
      const at = path();
      wanted.set(at, random.chance(0.2) ? undefined : document(newest(at)));
    }
    const of = [...wanted];
    const body = {
      put: of.flatMap(([at, content]) => (content === undefined ? [] : [{ path: at, content }])),
      delete: of.flatMap(([at, content]) => (content === undefined ? [at] : [])),
    };
    return write({ method: "POST", path: `${base}/files`, body }, wanted);
  };
  const remove = () => {
    const at = path();
    // Of a delete that was carried out and not answered, the next try says that there is no such file.
    return write({ method: "DELETE", path: `${base}/files/${at}` }, new Map([[at, undefined]]), [200, 404]);
  };
  const read = async () => {
    const at = path();
    const answer = await attempt(access, log, { method: "GET", path: `${base}/files/${at}` }, [200, 404]);
    const content = answer?.status === 200 ? (answer.body as { content: string }).content : undefined;
    if (answer && !(files.get(at) ?? new Set([undefined])).has(content))
      log.problems.push(`${agent}: ${at} was not read as it was written`);
  };
  const search = () =>
    attempt(access, log, {
      method: "POST",
      path: `${base}/tools/memory_search`,
      body: { query: `${QUERY_MARK} part ${random.between(1, serial + 1)}` },
    });
  const configure = async () => {
    const [model, tokens] = [random.pick(MODELS), random.pick(CHUNKING)];
    const body = { settings: { model, chunking: { tokens, overlap: 10 } } };
    const wanted = `${model} ${tokens}`;
    settings.add(wanted);
    // A client that gives up here still does not know: both stay possible.
    for (let tries = 1; tries <= 30; tries++) {
      if (await attempt(access, log, { method: "PATCH", path: base, body })) {
        settings = new Set([wanted]);
        return;
      }
      await pause(random.between(20, 200));
    }
  };
  const begin = async () => {
    const { settings, batch: size } = habits;
    await insist(access, log, { method: "POST", path: "/v1/agents", body: { id: agent, settings } }, [201, 409]);
    const paths = Array.from({ length: size[1] }, (_, i) => `notes/n${i + 1}.md`);
    const wanted = new Map(paths.map((at) => [at, document(undefined)]));
    const put = [...wanted].map(([at, content]) => ({ path: at, content }));
    await write({ method: "POST", path: `${base}/files`, body: { put } }, wanted);
  };
  const actions = [put, put, put, batch, batch, remove, read, read, search, configure] as const;
  return {
    step: async () => {
      if (serial === 0) await begin();
      else await random.pick(actions)();
      await pause(random.between(...habits.rest));
    },
    check: (db) => checkClient(db, { agent, files, settings }),
  };
}

async function checkClient(
  db: SqlExecutor,
  { agent, files, settings }: { agent: string; files: ReadonlyMap<string, Possible>; settings: Possible },
): Promise<string[]> {
  const found = await db.executeSql<{ schema: string }>(
    "SELECT schema_name AS schema FROM recollect.agents WHERE id = $1",
    [agent],
  );
  const schema = found.rows[0]?.schema;
  if (schema === undefined) return [`${agent}: is not there`];
  const { rows } = await db.executeSql<{ path: string; content: string }>(`SELECT path, content FROM ${schema}.files`);
  const stored = new Map(rows.map((row) => [row.path, row.content]));
  const generation = await db.executeSql<{ made: string }>(
    `SELECT model || ' ' || chunk_tokens AS made FROM ${schema}.generations WHERE status = 'active'`,
  );
  const made = generation.rows[0]?.made;
  const wrong = [...files].filter(([path, possible]) => !possible.has(stored.get(path))).map(([path]) => path);
  return [
    ...wrong.map((path) => `${agent}: ${path} is not as it was written last`),
    ...[...stored.keys()].filter((path) => !files.has(path)).map((path) => `${agent}: ${path} was never written`),
    ...(settings.has(undefined) || settings.has(made) ? [] : [`${agent}: is indexed by ${made}, not by its settings`]),
  ];
}
