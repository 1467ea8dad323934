import { storedAgent } from "./crash-client.ts";
import { createLedger, type Value } from "./crash-ledger.ts";
import { type Access, type ClientLog, insist, pause, send } from "./crash-request.ts";
import { type CrashClient, crashWriter, judgeOk } from "./crash-writer.ts";
import type { SeededRandom } from "./seeded-random.ts";

const PATHS = ["past/a.md", "past/b.md", "past/c.md", "past/d.md", "past/e.md"] as const;
/** The place of the share in the ledger. */
const SHARE = "share";
/** An agent has at most fifty snapshots, and each rollback takes one. */
const MOST_SNAPSHOTS = 30;

/**
 * Makes a client that is the only writer of an agent whose history is used: it restores versions,
 * takes snapshots and rolls back to them, shares the agent's memory and withdraws the share. A
 * rollback is one attempt for all files: they are as before, or as in the snapshot.
 */
export function crashHistory(agent: string, access: Access, random: SeededRandom, log: ClientLog): CrashClient {
  const ledger = createLedger(agent);
  const writer = crashWriter(ledger, access, random, log);
  const base = `/v1/agents/${agent}`;
  const reader = `${agent}-reader`;
  /** The acknowledged snapshots, and the contents of the files at that time. */
  const snapshots = new Map<string, ReadonlyMap<string, Value>>();
  let [serial, begun] = [0, false];
  const ask = (method: string, path: string, body?: object) =>
    send(access, log, { method, path: `${base}${path}`, ...(body ? { body } : {}) });
  const read = async (path: string) => {
    const answer = await ask("GET", `/files/${path}`);
    if (answer) writer.saw(path, answer.status === 200 ? (answer.body as { content: string }).content : undefined);
  };
  const free = (path: string) => writer.settle(path, () => read(path));
  const allFree = async () => {
    for (const path of PATHS) if (!(await free(path))) return false;
    return true;
  };
  const files = () => new Map<string, Value>(PATHS.map((path) => [path, ledger.acknowledged(path)]));

  const put = async () => {
    const path = random.pick(PATHS);
    if (!(await free(path))) return;
    const content = `# Past\n\n${agent} past ${++serial} has words about its matter.\n`;
    await writer.write(new Map([[path, content]]), { method: "PUT", path: `${base}/files/${path}`, body: { content } });
  };
  const remove = async () => {
    const path = random.pick(PATHS);
    if (!(await free(path)) || ledger.acknowledged(path) === undefined) return;
    await writer.write(
      new Map<string, Value>([[path, undefined]]),
      { method: "DELETE", path: `${base}/files/${path}` },
      (answer, repeated) => (repeated && answer.status === 404 ? undefined : judgeOk(answer, repeated)),
    );
  };
  const restore = async () => {
    const path = random.pick(PATHS);
    if (!(await free(path))) return;
    const listed = await ask("GET", `/versions?path=${path}&limit=20`);
    const { versions = [] } = (listed?.body ?? {}) as { versions?: { version: string }[] };
    const { version } = versions[random.between(0, versions.length - 1)] ?? {};
    if (version === undefined) return;
    const content = ((await ask("GET", `/versions/${version}`))?.body as { content?: string } | undefined)?.content;
    if (content === undefined) return;
    const request = { method: "POST", path: `${base}/versions/${version}/restore`, body: {} };
    await writer.write(new Map([[path, content]]), request);
  };
  const prune = async () => {
    const listed = await ask("GET", "/snapshots");
    const { snapshots: there = [] } = (listed?.body ?? {}) as { snapshots?: { name: string }[] };
    for (const { name } of there.slice(MOST_SNAPSHOTS)) {
      snapshots.delete(name);
      await ask("DELETE", `/snapshots/${name}`);
    }
    return listed !== undefined && there.length <= MOST_SNAPSHOTS;
  };
  const take = async () => {
    if (!(await allFree()) || !(await prune())) return;
    const name = `s${++serial}`;
    const then = files();
    const answer = await ask("POST", "/snapshots", { name });
    // A snapshot is not used if it is unknown whether it was taken.
    if (answer && answer.status < 300) snapshots.set(name, then);
    else if (answer) log.problems.push(`${agent}: a snapshot ended with ${answer.status} ${answer.code}`);
  };
  const rollBack = async () => {
    if (!(await allFree()) || !(await prune())) return;
    const [name, then] = [...snapshots][random.between(0, snapshots.size - 1)] ?? [];
    if (!then) return;
    await writer.write(then, { method: "POST", path: `${base}/snapshots/${name}/rollback`, body: {} });
  };
  const share = async () => {
    const readShare = async () => {
      const answer = await ask("GET", "/shares");
      const { shares = [] } = (answer?.body ?? {}) as { shares?: object[] };
      if (answer) writer.saw(SHARE, shares.length > 0 ? "offered" : undefined);
    };
    if (!(await writer.settle(SHARE, readShare))) return;
    const isThere = ledger.acknowledged(SHARE) !== undefined;
    const path = `${base}/shares/${reader}`;
    const request = isThere ? { method: "DELETE", path } : { method: "PUT", path, body: {} };
    await writer.write(new Map([[SHARE, isThere ? undefined : "offered"]]), request, (answer, repeated) =>
      isThere && repeated && answer.status === 404 ? undefined : judgeOk(answer, repeated),
    );
  };
  const begin = async () => {
    for (const id of [agent, reader])
      await insist(access, log, { method: "POST", path: "/v1/agents", body: { id } }, [201], [409]);
    begun = true;
  };
  const actions = [put, put, put, remove, restore, take, rollBack, share] as const;
  return {
    ledger,
    step: async () => {
      await (begun ? random.pick(actions)() : begin());
      await pause(random.between(20, 200));
    },
    check: async (db) => {
      const { schema } = await storedAgent(db, agent);
      const { rows } = await db.executeSql<{ path: string; content: string }>(
        `SELECT path, content FROM ${schema}.files`,
      );
      const shares = await db.executeSql("SELECT 1 FROM recollect.shares WHERE sharer_schema = $1", [schema]);
      const stored = new Map(rows.map(({ path, content }) => [path, content]));
      if (shares.rows.length > 0) stored.set(SHARE, "offered");
      return ledger.compare(stored);
    },
  };
}
