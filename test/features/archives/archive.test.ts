import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import { openPglite } from "../../../src/db/pglite.ts";
import { prepareDatabase } from "../../../src/db/prepare-database.ts";
import { commandsOfFeatures } from "../../../src/start/enabled-features.ts";
import { VERSION } from "../../../src/start/version.ts";
import { type ArchiveApp, readLines, startArchiveApp, writeLines } from "../../support/archive-app.ts";
import { checkService } from "../../support/check-service.ts";
import { captureOutput } from "../../support/cli-harness.ts";
import { until } from "../../support/until.ts";
import { wordVector } from "../../support/word-embedder.ts";

const SETTINGS = { sources: ["memory", "sessions"], query: { minScore: 0 }, chunking: { tokens: 60, overlap: 10 } };
const QUESTIONS = ["lantern staging port", "who likes tea", "deploy on friday", "東京 の 会議", "error ERR_42"];
const vectorOf = (_model: string, text: string, dimensions: number) => wordVector(text, dimensions);

/** Fills an agent with every kind of content. */
async function fill(app: ArchiveApp): Promise<void> {
  const made = await app.call("POST", "/v1/agents", { id: "full", name: "Full", settings: SETTINGS });
  expect(made.status).toBe(201);
  const text = Array.from({ length: 40 }, (_, n) => `Paragraph ${n} of lantern, port ${8000 + n}.`).join("\n\n");
  await app.put("notes/lantern.md", `# Lantern\n\n${text}`, "full");
  await app.put("bom.md", "\uFEFFThe error ERR_42 means that the lamp is off.\r\n", "full");
  await app.put("ja/会議.md", "東京で会議がありました。\n次の会議は金曜日です。", "full");
  await app.put("empty.md", "", "full");
  const said = (where: string) =>
    Array.from({ length: 23 }, (_, n) => ({
      id: `m${n}`,
      role: n % 2 ? "assistant" : "user",
      name: n % 3 ? undefined : "Mina",
      text: `Message ${n} ${where}${n}: we deploy on friday\nand drink tea`,
      at: `2026-01-${10 + (n % 15)}T10:00:00Z`,
      ...(n % 4 === 0 ? { originClass: n % 8 ? "owner" : "untrusted" } : {}),
    }));
  // The sessions get different texts, or else two equal hits would be ordered as they were stored.
  for (const session of ["slack:C042", "direct:日本"])
    await app.call("POST", `/v1/agents/full/sessions/${encodeURIComponent(session)}/messages`, {
      messages: said(session.slice(0, 5)),
      end: true,
    });
  const at = (day: string) => `${day}T00:00:00Z` as unknown as Date;
  await app.store("full", { text: "Mina lives in Bern", key: "user.city", validFrom: at("2026-01-01") });
  await app.store("full", { text: "Mina lives in Rome", key: "user.city", validFrom: at("2026-03-01") });
  // This fact is stored last but held first, so the fact that replaced it has the lower id.
  await app.store("full", { text: "Mina lives in Oslo", key: "user.city", validFrom: at("2025-06-01") });
  const scope = { user: "mina", session: "slack:C042" };
  await app.store("full", { text: "Mina likes tea", scope, tags: ["drinks", "a b"], importance: 0.8 });
  await app.store("full", { text: "Mina lives in Paris", key: "user.city", validFrom: at("2026-05-01") });
  await app.rested();
}

const rounded = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

/** Returns everything that the API shows of an agent. */
async function memory(app: ArchiveApp, agent: string) {
  const get = async (path: string) =>
    (await app.call<Record<string, unknown>>("GET", `/v1/agents/${agent}/${path}`)).body;
  const searches = await Promise.all(QUESTIONS.map((question) => app.search(question, { corpus: "all" }, agent)));
  const facts = await app.list(agent, "?all=true");
  const session = encodeURIComponent("slack:C042");
  return {
    // A score is compared with the last measurement of the index, and an import does not measure
    // it. The last digits of a score depend on the order of the sum and on the processor. The last
    // digits of a cosine depend on how exactly the database keeps vectors. The order of hits that
    // do not match at all depends on the order of storing.
    searches: JSON.parse(
      JSON.stringify(
        searches.map(({ results }) => results.filter((hit) => hit.score > 0)),
        (name, value) =>
          name === "score"
            ? undefined
            : typeof value === "number"
              ? rounded(value, name === "vectorScore" ? 3 : 5)
              : value,
      ),
    ) as { path: string }[][],
    files: (await get("files")).files,
    contents: await Promise.all(["bom.md", "empty.md", "notes/lantern.md"].map((path) => get(`files/${path}`))),
    messages: await get(`sessions/${session}?limit=50`),
    facts,
    history: await app.history(agent, "1"),
    asOf: await Promise.all(
      ["2025-07-01", "2026-02-01", "2026-04-01", "2026-06-01"].map((day) =>
        app.found(agent, "where does Mina live", { asOf: `${day}T00:00:00Z` }),
      ),
    ),
    usage: await app.usage(agent),
  };
}

describe("an agent's archive", () => {
  let app: ArchiveApp;
  let other: ArchiveApp;
  let original: Awaited<ReturnType<typeof memory>>;
  beforeAll(async () => {
    app = await startArchiveApp();
    const db = await openPglite();
    await prepareDatabase(db, new Date(), () => undefined);
    other = await startArchiveApp({ on: { db, url: undefined, drop: () => db.close() } });
    await fill(app);
    original = await memory(app, "full");
  });
  afterAll(async () => {
    await other.drop();
    await other.db.close();
    await app.drop();
  });

  /**
   * Returns the problems, except in counts of embeddings: the embedder of these tests does not
   * report its requests, so nothing is counted.
   */
  const wrong = async () =>
    (await checkService(app.db, { vectorOf, aloneOnServer: false })).filter(
      (one) => !one.includes("counted as embedded"),
    );
  const copied = (agent: string) => JSON.parse(JSON.stringify(original).replaceAll("agent:full:", `agent:${agent}:`));

  test("answers as the original does, without an embedding made, where the same model is used", async () => {
    const archive = await app.export("full", "?vectors=true");
    const before = app.embedder.asked.length;
    const { status, body } = await app.import(archive, "?as=copy");
    expect(body).toMatchObject({ id: "copy", files: 4, messages: 46, vectorsUsed: true, pendingEmbeddings: 0 });
    expect(status).toBe(201);
    await app.rested();
    const asked = app.embedder.asked.slice(before).length;
    expect(JSON.parse(JSON.stringify(await memory(app, "copy")))).toEqual(copied("copy"));
    expect(asked).toBe(0);
    expect(original.searches.every((results) => results.length > 0)).toBe(true);
    expect(original.asOf.map(([first]) => first)).toEqual([
      ...["Mina lives in Oslo", "Mina lives in Bern", "Mina lives in Rome", "Mina lives in Paris"],
    ]);
  });

  test("is embedded anew without vectors, and then answers as the original does", async () => {
    const { body } = await app.import(await app.export("full"), "?as=bare");
    expect(body).toMatchObject({ vectors: 0, vectorsUsed: false, pendingEmbeddings: expect.any(Number) });
    await app.rested();
    expect(JSON.parse(JSON.stringify(await memory(app, "bare")))).toEqual(copied("bare"));
    expect(await wrong()).toEqual([]);
  });

  test("goes to an embedded database and comes back, and ids go on where they were", async () => {
    const there = await other.import(await app.export("full", "?vectors=true"));
    expect(there.body).toMatchObject({ id: "full", vectorsUsed: true, pendingEmbeddings: 0 });
    await other.rested();
    expect((await memory(other, "full")).searches).toEqual(original.searches);
    const back = await app.import(await other.export("full", "?vectors=true"), "?as=back");
    expect(back.body).toMatchObject({ vectorsUsed: true, pendingEmbeddings: 0 });
    await app.rested();
    expect(JSON.parse(JSON.stringify(await memory(app, "back")))).toEqual(copied("back"));
    const [stored] = await app.store("back", "A fact of its own");
    await app.rested();
    expect(Number(stored?.id)).toBeGreaterThan(Math.max(...original.facts.map((fact) => Number(fact.id))));
    expect(await wrong()).toEqual([]);
  });

  test("another model's vectors are left alone", async () => {
    const lines = readLines(await app.export("full", "?vectors=true"));
    const header = { ...lines[0], vectors: { provider: "test", model: "others", dimensions: 64 } };
    const { body } = await app.import(writeLines([header, ...lines.slice(1)]), "?as=other-model");
    expect(body).toMatchObject({ vectorsUsed: false });
    expect((body as unknown as { pendingEmbeddings: number }).pendingEmbeddings).toBeGreaterThan(0);
  });

  test("the command line writes it to a file or a pipe, and reads it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "recollect-archive-"));
    const stdout = captureOutput();
    const stderr = captureOutput();
    const parts: Uint8Array[] = [];
    const run = (...argv: string[]) =>
      runCli(
        argv,
        {
          ...({} as Parameters<typeof runCli>[1]),
          connect: async () => ({
            fetch: async (path, init) => other.runtime.app.request(path, init),
            close: async () => undefined,
            description: "the test",
          }),
          stdout: { write: (data) => (typeof data === "string" ? stdout.write(data) : parts.push(data)) },
          stderr,
          cwd: folder,
          colour: false,
          stopping: () => new AbortController().signal,
          version: VERSION,
        },
        commandsOfFeatures(),
      );
    expect(await run("agents", "export", "full", "--out", "full.archive")).toBe(0);
    expect(stderr.text).toMatch(/^Exported full to full\.archive: 4 files, 46 messages, 5 facts; \d+(\.\d)? k?B\.\n$/);
    expect(await run("agents", "export", "full")).toBe(0);
    expect(await run("agents", "export", "full", "--out", "full.archive", "--json")).toBe(0);
    expect(JSON.parse(stdout.text)).toMatchObject({
      id: "full",
      file: "full.archive",
      files: 4,
      messages: 46,
      facts: 5,
    });
    stdout.text = "";
    const kinds = (archive: Uint8Array) => readLines(archive).map((line) => line.type);
    expect(kinds(Buffer.concat(parts))).toEqual(kinds(readFileSync(join(folder, "full.archive"))));
    expect(await run("agents", "import", "full.archive", "--as", "by-cli")).toBe(0);
    expect(stdout.text).toMatch(/^Imported by-cli: 4 files, 46 messages, 5 facts\./);
    expect(await run("agents", "import", "full.archive")).toBe(1);
    expect(stderr.text).toContain("(agent_exists)");
    expect(await run("agents", "import", "nothing.archive")).toBe(1);
    expect(await run("agents", "export", "full", "--out", "none/full.archive")).toBe(1);
    expect(stderr.text).toMatch(
      /cannot be written to .*none\/full\.archive: there is no such folder\. \(invalid_request\)/,
    );
    rmSync(folder, { recursive: true });
  });

  test("files keep the folder they were synced from; what has no files is written for older versions too", async () => {
    const batch = { put: [{ path: "a.md", content: "A" }], origin: "laptop:/notes" };
    await app.call("POST", "/v1/agents", { id: "synced" });
    await app.call("POST", "/v1/agents/synced/files", batch);
    await app.put("b.md", "B", "synced");
    const archive = await app.export("synced");
    expect(readLines(archive)[0]).toMatchObject({ version: 5 });
    await app.call("POST", "/v1/agents", { id: "plain" });
    expect(readLines(await app.export("plain"))[0]).toMatchObject({ version: 1 });
    await app.import(archive, "?as=synced2");
    const { body } = await app.call<{ files: { path: string; origin: string | null }[] }>(
      "GET",
      "/v1/agents/synced2/files",
    );
    expect(body.files.map(({ path, origin }) => [path, origin])).toEqual([
      ["a.md", "laptop:/notes"],
      ["b.md", null],
    ]);
  });

  test("an agent that was never written to is an archive too", async () => {
    const { body, status } = await app.import(await app.export("main"), "?as=from-nothing");
    expect([status, body]).toMatchObject([201, { files: 0, facts: 0 }]);
  });

  test("an import that nobody finishes is hidden, can be erased, and is erased by the sweep", async () => {
    const lines = readLines(await app.export("full"));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(writeLines(lines.slice(0, 3)).subarray(0, -12))),
    });
    const init = { method: "POST", headers: { "content-type": "application/gzip" }, body, duplex: "half" };
    const hanging = Promise.resolve(app.runtime.app.request("/v1/archives?as=stuck", init as RequestInit));
    const statusOf = async () =>
      (await app.db.executeSql<{ status: string }>("SELECT status FROM recollect.agents WHERE id = 'stuck'")).rows[0]
        ?.status;
    await until(async () => (await statusOf()) === "importing");
    expect(await app.call("GET", "/v1/agents/stuck/files")).toMatchObject({ status: 200, body: { files: [] } });
    expect((await app.call("PATCH", "/v1/agents/stuck", { disabled: false })).status).toBe(404);
    expect((await app.call("PUT", "/v1/agents/stuck/files/a.md", { content: "x" })).status).toBe(404);
    expect((await app.call("POST", "/v1/agents", { id: "stuck" })).status).toBe(409);
    await app.db.executeSql(
      "UPDATE recollect.agents SET created_at = now() - interval '11 minutes' WHERE id = 'stuck'",
    );
    await app.call("POST", "/v1/fleet/migrate", {});
    await until(async () => (await statusOf()) === undefined);
    expect((await app.call("POST", "/v1/agents", { id: "stuck" })).status).toBe(201);
    // The upload still runs. The rest of it must not touch the agent that now has the id.
    void hanging.catch(() => undefined);
  });
});
