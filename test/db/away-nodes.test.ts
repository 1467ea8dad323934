import { describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { AwayNodes } from "../../src/db/citus/away-nodes.ts";
import type { SqlExecutor } from "../../src/db/database.ts";
import { until } from "../support/until.ts";

/** A coordinator that knows where agents are, and whether a node answers. */
function coordinator(places: Record<string, string>) {
  const asked: string[] = [];
  const state = { asked, answers: false };
  const executeSql = async (text: string, [value] = [] as readonly unknown[]) => {
    asked.push(text);
    if (text.includes("citus_check_connection_to_node")) return { rows: [{ does: state.answers }] };
    const [host, port] = places[String(value)]?.split(":") ?? [];
    return { rows: host === undefined ? [] : [{ host, port: Number(port) }] };
  };
  return Object.assign(state, { sql: { executeSql } as SqlExecutor });
}

const lost = (message: string) => new AppError("database_unavailable", "away", { cause: new Error(message) });
const REFUSED = { code: "database_unavailable" };

describe("nodes that are away", () => {
  test("nothing is asked while all answer", async () => {
    const { sql, asked } = coordinator({});
    await new AwayNodes(sql).admit("agent_a");
    expect(asked).toEqual([]);
  });

  test("agents of the node that is away are refused at once, those of others begin, until it answers", async () => {
    const server = coordinator({ agent_a: "worker-1:5432", agent_b: "worker-2:5432" });
    const nodes = new AwayNodes(server.sql);
    nodes.note(lost("could not establish any connections to the node worker-1:5432 after 2000 ms"));
    await expect(nodes.admit("agent_a")).rejects.toMatchObject(REFUSED);
    await nodes.admit("agent_b");
    await nodes.admit("agent_of_no_node");
    server.answers = true;
    await until(() =>
      nodes.admit("agent_a").then(
        () => true,
        () => false,
      ),
    );
    nodes.close();
  });

  test.each([
    "failure on connection marked as essential: worker-1:5432",
    "connection to the remote node recollect_data@worker-1:5432 failed with the following error: refused",
  ])("%s", async (message) => {
    const nodes = new AwayNodes(coordinator({ agent_a: "worker-1:5432" }).sql);
    nodes.note(lost(message));
    await expect(nodes.admit("agent_a")).rejects.toMatchObject(REFUSED);
    nodes.close();
  });

  test("any other error says nothing of a node", async () => {
    const nodes = new AwayNodes(coordinator({ agent_a: "worker-1:5432" }).sql);
    nodes.note(lost("connection terminated"));
    nodes.note(new Error("connection to the remote node x@worker-1:5432 failed"));
    await nodes.admit("agent_a");
    nodes.close();
  });
});
