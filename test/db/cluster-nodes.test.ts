import { describe, expect, test, vi } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { ClusterNodes } from "../../src/db/citus/cluster-nodes.ts";
import type { SqlExecutor } from "../../src/db/database.ts";
import { translateDatabaseError } from "../../src/db/pg-error.ts";
import { until } from "../support/until.ts";

/**
 * Makes a coordinator that knows the places of agents and which nodes answer: all nodes that are
 * not in `silent`.
 */
function cluster(places: Record<string, string>) {
  const state = { places: 0, looks: 0, silent: new Set<string>(), isCoordinatorMute: false };
  const executeSql = async (_: string, [value] = [] as readonly unknown[]) => {
    state.places++;
    const [host, port] = places[String(value)]?.split(":") ?? [];
    return { rows: host === undefined ? [] : [{ host, port: Number(port) }] };
  };
  const answers = async (host: string, port: number) => {
    state.looks++;
    if (state.isCoordinatorMute) throw new Error("The coordinator has no connection left.");
    return !state.silent.has(`${host}:${port}`);
  };
  const nodes = new ClusterNodes({ executeSql } as SqlExecutor, answers);
  return Object.assign(state, { nodes });
}

const TWO = { agent_a: "worker-1:5432", agent_b: "worker-2:5432" };
const lost = (message: string) => new AppError("database_unavailable", "away", { cause: new Error(message) });
const REFUSED = { code: "database_unavailable" };

const isAdmitted = ({ nodes }: ReturnType<typeof cluster>, agent: string) =>
  nodes.visit(agent).then(
    () => true,
    () => false,
  );

describe("nodes that are away", () => {
  test("while all answer an agent's place is asked for once", async () => {
    const server = cluster(TWO);
    for (let i = 0; i < 3; i++) (await server.nodes.visit("agent_a")).end();
    expect(server).toMatchObject({ places: 1, looks: 0 });
  });

  test("agents of the node that is away are refused at once, those of others begin, until it answers", async () => {
    const server = cluster(TWO);
    server.silent.add("worker-1:5432");
    server.nodes.note(lost("could not establish any connections to the node worker-1:5432 after 2000 ms"));
    await expect(server.nodes.visit("agent_a")).rejects.toMatchObject(REFUSED);
    expect((await server.nodes.visit("agent_b")).node).toBe("worker-2:5432");
    expect((await server.nodes.visit("agent_of_no_node")).node).toBeUndefined();
    server.silent.clear();
    await until(() => isAdmitted(server, "agent_a"));
    server.nodes.close();
  });

  test("an agent that has been moved from it is not refused", async () => {
    const places: Record<string, string> = { ...TWO };
    const server = cluster(places);
    server.silent.add("worker-1:5432");
    await server.nodes.visit("agent_a");
    server.nodes.note(lost("could not establish any connections to the node worker-1:5432 after 2000 ms"));
    places.agent_a = "worker-2:5432";
    expect((await server.nodes.visit("agent_a")).node).toBe("worker-2:5432");
    server.nodes.close();
  });

  test("a connection that cannot be had says so at once", async () => {
    const server = cluster(TWO);
    server.silent.add("worker-1:5432");
    server.nodes.note(
      lost("connection to the remote node recollect_data@worker-1:5432 failed with the following error: x"),
    );
    await expect(server.nodes.visit("agent_a")).rejects.toMatchObject(REFUSED);
    server.nodes.close();
  });

  test("of one that failed the node is asked, which may have refused a statement", async () => {
    const server = cluster(TWO);
    const essential = lost("failure on connection marked as essential: worker-1:5432");
    server.nodes.note(essential);
    await until(async () => server.looks === 1);
    expect(await isAdmitted(server, "agent_a")).toBe(true);
    server.silent.add("worker-1:5432");
    // The node is not asked again within a second of its last answer.
    await until(async () => {
      server.nodes.note(essential);
      return !(await isAdmitted(server, "agent_a"));
    });
    server.nodes.close();
  });

  test("a worker that is killed, and one that is behind while a standby takes another's place, are outages", () => {
    for (const [code, text] of [
      ["XX000", "terminating connection due to unexpected postmaster exit"],
      ["55000", "worker-3:5432 is a metadata node, but is out of sync"],
    ])
      expect(translateDatabaseError(Object.assign(new Error(text), { code }))).toMatchObject(REFUSED);
    const other = Object.assign(new Error("cannot run this"), { code: "55000" });
    expect(translateDatabaseError(other)).toBe(other);
  });

  test("a connection that ends in the middle of a statement is an outage, and the node is asked", async () => {
    const server = cluster(TWO);
    server.silent.add("worker-1:5432");
    const ended = new Error(
      "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally",
    );
    const told = translateDatabaseError(
      Object.assign(ended, { code: "XX000", where: "while executing command on worker-1:5432" }),
    );
    expect(told).toMatchObject(REFUSED);
    server.nodes.note(told);
    await until(async () => !(await isAdmitted(server, "agent_a")));
    server.nodes.close();
  });

  test("any other error says nothing of a node", async () => {
    const server = cluster(TWO);
    server.nodes.note(lost("connection terminated"));
    server.nodes.note(new Error("connection to the remote node x@worker-1:5432 failed"));
    expect(await isAdmitted(server, "agent_a")).toBe(true);
  });
});

describe("a node that says nothing", () => {
  test("ends the transactions that wait for it, and refuses others, also one that waited for a connection", async () => {
    vi.useFakeTimers();
    const server = cluster(TWO);
    const [waiting, elsewhere, late] = await Promise.all(
      ["agent_a", "agent_b", "agent_a"].map((agent) => server.nodes.visit(agent)),
    );
    const given = { waiting: 0, elsewhere: 0 };
    waiting?.begin(() => given.waiting++);
    elsewhere?.begin(() => given.elsewhere++);
    server.silent.add("worker-1:5432");
    await vi.advanceTimersByTimeAsync(1100);
    expect(given).toEqual({ waiting: 1, elsewhere: 0 });
    expect(() => late?.check()).toThrow(expect.objectContaining(REFUSED));
    expect(() => elsewhere?.check()).not.toThrow();
    server.nodes.close();
    vi.useRealTimers();
  });

  test("ends nothing while it answers, although the coordinator cannot say so or refuses a connection to it", async () => {
    vi.useFakeTimers();
    const server = cluster(TWO);
    const waiting = await server.nodes.visit("agent_a");
    let given = 0;
    waiting.begin(() => given++);
    server.isCoordinatorMute = true;
    await vi.advanceTimersByTimeAsync(20_000);
    expect([given, server.looks > 0]).toEqual([0, true]);
    expect(() => waiting.check()).not.toThrow();
    server.isCoordinatorMute = false;
    server.nodes.note(
      lost("connection to the remote node x@worker-1:5432 failed: FATAL: sorry, too many clients already"),
    );
    expect(() => waiting.check()).toThrow(expect.objectContaining(REFUSED));
    await vi.advanceTimersByTimeAsync(1000);
    expect(given).toBe(0);
    expect(() => waiting.check()).not.toThrow();
    waiting.end();
    server.nodes.close();
    vi.useRealTimers();
  });

  test("is not asked while transactions end soon, and goes on when it answers", async () => {
    vi.useFakeTimers();
    const server = cluster(TWO);
    const short = await server.nodes.visit("agent_a");
    short.begin(() => undefined);
    await vi.advanceTimersByTimeAsync(500);
    short.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.looks).toBe(0);
    const long = await server.nodes.visit("agent_a");
    let given = 0;
    long.begin(() => given++);
    await vi.advanceTimersByTimeAsync(11_500);
    long.end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([server.looks, given]).toEqual([3, 0]);
    vi.useRealTimers();
  });
});
