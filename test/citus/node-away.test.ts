import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { placeOf } from "../../src/db/citus/place-agents.ts";
import { type ClusterDatabase, openClusterDatabase } from "../support/citus.ts";
import { COMES_BACK, controlNode } from "../support/control-node.ts";
import { needsNodeControl } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/**
 * More than the 100 ms of a quiet machine (docs/CITUS.md). A request that waited for the
 * connection's time limit would take seconds.
 */
const PROMPT_MS = 500;
const AGENTS = ["one", "two", "three", "four"];

interface Answered {
  agent: string;
  file: string;
  status: number;
  code: string | undefined;
  ms: number;
  whileAway: boolean;
}

const WAYS = [
  ["killed", "kill"],
  ["frozen", "freeze"],
  ["cut off from the network", "cut"],
] as const;

describe.each(WAYS)("a node that is %s under load", needsNodeControl(), (_, how) => {
  let database: ClusterDatabase;
  let app: TestApp;
  const away = { host: "", agents: [] as string[] };
  const answers: Answered[] = [];
  let isAway = false;
  let isGone = false;

  beforeAll(async () => {
    database = await openClusterDatabase();
    app = await startTestApp({ on: database });
    for (const agent of AGENTS) await app.put("first.md", `The gate of ${agent} is green.`, agent);
    await app.rested();
    const { rows } = await app.db.executeSql<{ id: string; schema: string }>(
      "SELECT id, schema_name AS schema FROM recollect.agents",
    );
    const places = await Promise.all(
      rows.map(async ({ id, schema }) => ({ id, host: (await placeOf(app.db, schema))?.host ?? "" })),
    );
    away.host = places[0]?.host ?? "";
    away.agents = places.flatMap(({ id, host }) => (host === away.host ? [id] : []));
  });
  afterAll(async () => {
    if (isGone) controlNode(COMES_BACK[how], away.host);
    await app?.runtime.close();
    await database?.drop();
  });

  test("its agents answer at once that the database is away, those of others go on, and nothing acknowledged is lost", async () => {
    const others = AGENTS.filter((agent) => !away.agents.includes(agent));
    expect([away.agents.length, others.length]).not.toContain(0);
    let isOver = false;
    const use = async (agent: string) => {
      for (let i = 0; !isOver; i++) {
        const [file, whileAway, began] = [`load/${i}.md`, isAway, performance.now()];
        const { status, body } = await app.put(file, `Written under load by ${agent}, ${i}.`, agent);
        const code = "error" in body ? (body as unknown as { error: { code: string } }).error.code : undefined;
        answers.push({ agent, file, status, code, ms: performance.now() - began, whileAway: whileAway && isAway });
      }
    };
    const using = Promise.all(AGENTS.map(use));
    const count = (is: (one: Answered) => boolean) => answers.filter(is).length;
    const isOfAway = ({ agent }: Answered) => away.agents.includes(agent);
    const more = (of: number, is: (one: Answered) => boolean) => {
      const before = count(is);
      return until(async () => count(is) >= before + of, `${of} more answers`);
    };
    const isStored = ({ status }: Answered) => status === 200;
    for (const agent of AGENTS) await more(3, (one) => one.agent === agent && isStored(one));
    controlNode(how, away.host);
    isGone = true;
    // The requests that meet the loss wait for the connection's time limit. `whileAway` marks
    // requests that were sent after the loss was noticed.
    await more(away.agents.length, (one) => isOfAway(one) && !isStored(one));
    isAway = true;
    await more(20, (one) => isOfAway(one) && one.whileAway);
    await more(20, (one) => !isOfAway(one) && isStored(one));
    isAway = false;
    controlNode(COMES_BACK[how], away.host);
    isGone = false;
    for (const agent of AGENTS) await more(3, (one) => one.agent === agent && isStored(one));
    isOver = true;
    await using;

    expect(count((one) => !isOfAway(one) && !isStored(one))).toBe(0);
    const failed = answers.filter((one) => !isStored(one));
    // A write whose commit was under way may be stored or not.
    const codes = new Set(failed.map(({ code }) => code));
    expect([...codes].filter((code) => code !== "outcome_unknown")).toEqual(["database_unavailable"]);
    const slowest = (of: readonly Answered[]) => Math.max(...of.map(({ ms }) => ms));
    expect(slowest(failed.filter(({ whileAway }) => whileAway))).toBeLessThan(PROMPT_MS);
    for (const { agent, file } of answers.filter(isStored)) {
      const { status } = await app.call("GET", `/v1/agents/${agent}/files/${file}`);
      expect(status, `${agent} ${file}`).toBe(200);
    }
  });

  test("no transaction is left in between, and the worker goes on with the jobs", async () => {
    await database.asSuperuser("SELECT recover_prepared_transactions()");
    for (const node of database.workers) {
      const left = await database.asSuperuser(
        "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()",
        node,
      );
      expect(left).toEqual([]);
    }
    for (const agent of AGENTS) await app.embedded(agent);
    for (const agent of AGENTS) expect((await app.search("green gate", {}, agent)).results.length).toBeGreaterThan(0);
  });
});
