import { expect, test } from "vitest";
import { type ClusterState, clusterWarnings } from "../../src/db/citus/inspect-cluster.ts";

const extensions = { citus: "13.2-1", vector: "0.8.2" };
const worker = (host: string, there: Record<string, string>) => ({
  host,
  port: 5432,
  takesAgents: true,
  isOpen: false,
  prepared: 0,
  mostPrepared: 200,
  agents: 1,
  bytes: 0,
  extensions: there,
});
const cluster = (...workers: ClusterState["workers"]): ClusterState => ({
  version: "13.2-1",
  hasDataRole: true,
  hasMarker: true,
  coordinatorTakesAgents: false,
  distributedControlTables: 0,
  localAgentTables: 0,
  extensions,
  workers,
});

test("servers with the same extensions are nothing to look at", () => {
  expect(clusterWarnings(cluster(worker("one", extensions), worker("two", extensions)))).toEqual([]);
});

test("a worker that can prepare no transaction is named, since every write there fails", () => {
  const found = clusterWarnings(cluster({ ...worker("one", extensions), mostPrepared: 0 }, worker("two", extensions)));
  expect(found.map(({ what }) => what)).toEqual([
    "The worker one:5432 has max_prepared_transactions = 0, so every write of its agents fails.",
  ]);
});

test("a worker with another version of an extension, or without it, is named; one that is away is only away", () => {
  const away = { ...worker("away", {}), away: "it does not answer" };
  const found = clusterWarnings(
    cluster(worker("old", { ...extensions, vector: "0.8.0" }), worker("none", { citus: "13.2-1" }), away),
  );
  expect(found.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^The worker away:5432 does not answer/),
    "The worker old:5432 has the extension vector 0.8.0, the coordinator 0.8.2.",
    "The worker none:5432 has the extension vector none, the coordinator 0.8.2.",
  ]);
});
