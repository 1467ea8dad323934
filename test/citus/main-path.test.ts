import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClusterDatabase, openClusterDatabase } from "../support/citus.ts";
import { needsCluster } from "../support/needs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

describe("the main path on a cluster", needsCluster(), () => {
  let database: ClusterDatabase;
  let app: TestApp;
  beforeAll(async () => {
    database = await openClusterDatabase();
    app = await startTestApp({ on: database });
  });
  afterAll(async () => {
    await app?.runtime.close();
    await database?.drop();
  });

  test("what is written is embedded, packed and found, and is on a worker", async () => {
    expect(await app.put("notes/lantern.md", "# Lantern\n\nThe lantern hangs by the door.")).toMatchObject({ status: 201 });
    await app.embedded();
    const { results } = await app.search("where does the lantern hang");
    expect(results[0]).toMatchObject({ path: "notes/lantern.md" });
  });
});
