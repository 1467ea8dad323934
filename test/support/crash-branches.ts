import type { SqlExecutor } from "../../src/db/database.ts";
import { storedAgent } from "./crash-client.ts";
import { storedFacts, versionsAfter, versionsOf } from "./crash-facts.ts";
import { createLedger, type Figures, type Value } from "./crash-ledger.ts";
import { type Access, type Answer, type ClientLog, insist, pause, send } from "./crash-request.ts";
import { type CrashClient, crashWriter, judgeOk } from "./crash-writer.ts";
import type { SeededRandom } from "./seeded-random.ts";

const PATHS = ["try/a.md", "try/b.md", "try/c.md", "try/d.md"] as const;
/** Keys of facts. Each key is a place whose value has all versions of its fact. */
const KEYS = ["slot 1", "slot 2", "slot 3"] as const;
const PLACES = [...PATHS, ...KEYS] as const;

/** The values of places. */
type Values = ReadonlyMap<string, Value>;
type Side = ReturnType<typeof crashSide>;

/** A merge whose outcome is not known yet. Until it is known, neither side may change. */
interface OpenMerge {
  /** One place that the merge changes. */
  place: string;
  wanted: Values;
  /** The values that both sides have in common if the merge was carried out. */
  common: Values;
}

/**
 * Makes a client that is the only writer of an agent and of a branch of it, one request after the
 * other. As soon as a branch can be found, it has everything that its origin had at one moment. A
 * merge is one attempt for all changes of the branch: the origin has all of them or none.
 */
export function crashBranches(agent: string, access: Access, random: SeededRandom, log: ClientLog): CrashClient {
  const next = counter();
  const main = crashSide(agent, access, random, log, next);
  const figures: Figures = { acknowledged: 0, settled: 0, unacknowledged: 0 };
  const done = { branches: 0, merges: 0, refused: 0 };
  let branch: Side | undefined;
  /** The values that both sides had when they were last equal. */
  let base: Values = new Map();
  let snapshot: { name: string; then: Values } | undefined;
  let open: OpenMerge | undefined;
  let begun = false;
  const problem = (what: string) => void log.problems.push(`${agent}: ${what}`);

  const take = async () => {
    if (!(await main.isSettled())) return;
    const [earlier, name, then] = [snapshot, `s${next()}`, main.values()];
    snapshot = undefined;
    if (earlier)
      await insist(access, log, { method: "DELETE", path: `${main.base}/snapshots/${earlier.name}` }, [200], [404]);
    const answer = await send(access, log, { method: "POST", path: `${main.base}/snapshots`, body: { name } });
    if (answer?.status === 201) snapshot = { name, then };
    else if (answer) problem(`a snapshot ended with ${answer.status} ${answer.code}`);
  };
  const makeBranch = async () => {
    if (!(await main.isSettled())) return;
    if (branch) await erase(branch);
    const as = `${agent}-try-${next()}`;
    const past = random.chance(0.5) ? snapshot : undefined;
    base = past?.then ?? main.values();
    const body = { as, ...(past && { snapshot: past.name }) };
    await insist(access, log, { method: "POST", path: `${main.base}/branches`, body }, [202], [409]);
    branch = crashSide(as, access, random, log, next, base);
    for (let state = "copying"; state !== "ready"; await pause(50)) {
      const answer = await send(access, log, { method: "GET", path: `${branch.base}/branch` });
      if (answer && answer.status !== 200)
        return problem(`the branch ${as} ended with ${answer.status} ${answer.code}`);
      state = (answer?.body as { state?: string } | undefined)?.state ?? state;
    }
    done.branches++;
    await branch.readAll();
  };
  const erase = async (side: Side) => {
    branch = undefined;
    await insist(access, log, { method: "DELETE", path: side.base }, [200], [404]);
    const { acknowledged, settled } = side.ledger.figures();
    figures.acknowledged += acknowledged;
    figures.settled += settled;
  };

  /**
   * Returns the places that the branch has changed, and the conflicts: places that the origin has
   * changed too.
   */
  const changes = (from: Side) => {
    const [here, there] = [from.values(), main.values()];
    const changed = PLACES.filter((one) => here.get(one) !== base.get(one) && here.get(one) !== there.get(one));
    const conflicts = changed.filter((one) => there.get(one) !== base.get(one));
    return { here, there, changed, conflicts };
  };
  const merge = async () => {
    if (!branch) return makeBranch();
    if (!(await main.isSettled()) || !(await branch.isSettled())) return;
    const { here, there, changed, conflicts } = changes(branch);
    const request = { method: "POST", path: `${branch.base}/merge`, once: undefined };
    if (conflicts.length > 0 && random.chance(0.3)) {
      const refused = await send(access, log, { ...request, body: { into: agent } });
      if (refused && refused.code !== "merge_conflict") problem(`a merge with conflicts ended with ${refused.status}`);
      done.refused++;
      return main.readAll();
    }
    const settled = new Set<string>([...changed, ...PLACES.filter((one) => here.get(one) === there.get(one))]);
    const common = new Map<string, Value>(PLACES.map((one) => [one, (settled.has(one) ? here : base).get(one)]));
    const asked = { ...request, body: { into: agent, prefer: "branch" } };
    const [place] = changed;
    if (place === undefined) {
      await insist(access, log, asked);
      base = common;
      return;
    }
    open = { place, wanted: new Map<string, Value>(changed.map((one) => [one, here.get(one)])), common };
    await main.writer.write(open.wanted, asked, judgeMerge(changed.length));
    await settle();
  };
  /** @returns whether the outcome of the merge is known */
  const settle = async () => {
    if (!open) return true;
    if (!(await main.free(open.place))) return false;
    if (main.ledger.acknowledged(open.place) === open.wanted.get(open.place)) {
      base = open.common;
      done.merges++;
    }
    open = undefined;
    return true;
  };
  const compare = async () => {
    if (!branch || !(await main.isSettled()) || !(await branch.isSettled())) return;
    const answer = await send(access, log, { method: "GET", path: `${branch.base}/diff/${agent}` });
    if (!answer) return;
    const { files = [], counts } = answer.body as { files?: { path: string }[]; counts?: { facts: number } };
    const [here, there] = [branch.values(), main.values()];
    const differ = (places: readonly string[]) => places.filter((one) => here.get(one) !== there.get(one));
    const found = files.map(({ path }) => path);
    if (found.join() !== differ(PATHS).join() || counts?.facts !== differ(KEYS).length)
      problem(`a diff said ${found} and ${counts?.facts} facts where ${differ(PATHS)} and ${differ(KEYS)} differ`);
  };
  const write = () => (branch && random.chance(0.6) ? branch : main).write();

  const begin = () => insist(access, log, { method: "POST", path: "/v1/agents", body: { id: agent } }, [201], [409]);
  // Making a branch waits for a worker, so the client uses each branch for a while.
  const another = async () => void (random.chance(0.3) && (await makeBranch()));
  const actions = [write, write, write, write, merge, merge, merge, another, take, compare] as const;
  return {
    ledger: {
      ...main.ledger,
      figures: () => sum([figures, main.ledger.figures(), ...(branch ? [branch.ledger.figures()] : [])]),
    },
    step: async () => {
      if (!begun) await begin();
      begun = true;
      if (await settle()) await random.pick(actions)();
      await pause(random.between(10, 100));
    },
    check: async (db) => [...(await main.check(db)), ...((await branch?.check(db)) ?? [])],
    describe: () => `${done.branches} branches, ${done.merges} merges, ${done.refused} refused for conflicts`,
  };
}

/** Makes one of the two sides, with the writes that both sides use. */
function crashSide(
  agent: string,
  access: Access,
  random: SeededRandom,
  log: ClientLog,
  next: () => number,
  made: Values = new Map(),
) {
  const ledger = createLedger(agent);
  const writer = crashWriter(ledger, access, random, log);
  const base = `/v1/agents/${agent}`;
  for (const [place, value] of made) ledger.found(place, value);
  const ask = (path: string) => send(access, log, { method: "GET", path: `${base}${path}` });
  const read = async (place: string) => {
    const isFile = place.endsWith(".md");
    const answer = await ask(isFile ? `/files/${place}` : `/facts?all=true&key=${encodeURIComponent(place)}`);
    if (!answer) return;
    const { content, facts = [] } = answer.body as { content?: string; facts?: { text: string }[] };
    writer.saw(place, isFile ? content : versionsOf(facts.map(({ text }) => text).toReversed()));
  };
  const free = (place: string) => writer.settle(place, () => read(place));
  const put = async (path: string) => {
    const content = `# Try\n\n${agent} try ${next()} has words about its matter.\n`;
    await writer.write(new Map([[path, content]]), { method: "PUT", path: `${base}/files/${path}`, body: { content } });
  };
  const remove = async (path: string) => {
    if (ledger.acknowledged(path) === undefined) return;
    const request = { method: "DELETE", path: `${base}/files/${path}` };
    await writer.write(new Map<string, Value>([[path, undefined]]), request, (answer, repeated) =>
      repeated && answer.status === 404 ? undefined : judgeOk(answer, repeated),
    );
  };
  const store = async (key: string) => {
    const text = `${agent} keeps thing ${next()}.`;
    const wanted = new Map([[key, versionsAfter(ledger.acknowledged(key), text)]]);
    await writer.write(wanted, { method: "POST", path: `${base}/facts`, body: { facts: [{ key, text }] } });
  };
  return {
    base,
    ledger,
    writer,
    free,
    values: (): Values => new Map<string, Value>(PLACES.map((place) => [place, ledger.acknowledged(place)])),
    isSettled: async () => {
      for (const place of PLACES) if (!(await free(place))) return false;
      return true;
    },
    readAll: async () => {
      for (const place of PLACES) await read(place);
    },
    write: async () => {
      const place = random.pick(PLACES);
      if (!(await free(place))) return;
      if (!place.endsWith(".md")) return store(place);
      await (random.chance(0.25) ? remove : put)(place);
    },
    check: async (db: SqlExecutor) => {
      const { schema } = await storedAgent(db, agent);
      const { rows } = await db.executeSql<{ path: string; content: string }>(
        `SELECT path, content FROM ${schema}.files`,
      );
      const files = rows.map(({ path, content }) => [path, content] as const);
      return ledger.compare(new Map([...files, ...(await storedFacts(db, schema))]));
    },
  };
}

/**
 * Judges the answer of a merge: it names all changes. If an earlier try had been carried out, it
 * says that nothing was left.
 */
function judgeMerge(changed: number) {
  return ({ status, code, body }: Answer, repeated: boolean) => {
    const { files = [], facts = [], merged } = body as { files?: object[]; facts?: object[]; merged?: boolean };
    const said = files.length + facts.length;
    const isRight = said === changed || (repeated && said === 0);
    return status === 200 && merged && isRight
      ? undefined
      : `${status} ${code}, merged ${said} where ${changed} were due`;
  };
}

function counter(): () => number {
  let serial = 0;
  return () => ++serial;
}

function sum(all: readonly Figures[]): Figures {
  const total = (of: keyof Figures) => all.reduce((count, one) => count + one[of], 0);
  return { acknowledged: total("acknowledged"), settled: total("settled"), unacknowledged: total("unacknowledged") };
}
