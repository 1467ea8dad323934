import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { IngestStatus } from "../../../src/features/fact-ingest/ingest-files.ts";
import type { Fact } from "../../../src/service/facts/fact-schemas.ts";
import { pause } from "../../support/crash-request.ts";
import { type CrashService, startCrashService } from "../../support/crash-service.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type FakeModel, startFakeModel } from "../../support/fake-model.ts";
import { needsPostgres } from "../../support/needs.ts";
import { callUrl } from "../../support/process.ts";
import { until } from "../../support/until.ts";

const ADMIN_KEY = `rcl_${"a".repeat(12)}_${"b".repeat(48)}`;
const FILES = 4;
const RULES_A_FILE = 12;
/**
 * The number of characters that a piece shares with the next piece. A rule in these characters is
 * counted with the next piece.
 */
const OVERLAP = 100;
/** The worker is killed after these numbers of the model's answers. */
const KILLS = [5, 25];

type Run = Exclude<IngestStatus, { state: "none" }>;

const OPTIONS = needsPostgres("the embedded database has one process, which test/acceptance/processes.test.ts kills");

describe("kill -9 of the worker while it ingests", OPTIONS, () => {
  let database: TestDatabase;
  let model: FakeModel;
  let service: CrashService;
  beforeEach(async () => {
    database = await openTestDatabase();
    model = await startFakeModel();
    service = await startCrashService({
      DATABASE_URL: database.url ?? "",
      RECOLLECT_ADMIN_KEY: ADMIN_KEY,
      RECOLLECT_PROVIDER: "none",
      RECOLLECT_CHAT_PROVIDER: "openai",
      RECOLLECT_CHAT_BASE_URL: model.url,
      RECOLLECT_CHAT_API_KEY: "k",
    });
  });
  afterEach(async () => {
    await service.stop();
    await model.close();
    await database.drop();
  });

  const call = async <T>(method: string, path: string, body?: unknown) =>
    (await callUrl<T>(service.url, method, `/v1/agents/main/${path}`, body, ADMIN_KEY)).body;
  const run = () => call<Run>("GET", "ingest");
  const finished = () => until(async () => (await run()).state !== "running");
  const texts = async () =>
    (await call<{ facts: Fact[] }>("GET", "facts?all=true&limit=200")).facts.map((fact) => fact.text).sort();

  test("each fact is there once; a second run asks nothing and adds nothing", async () => {
    const rules: string[] = [];
    for (let file = 0; file < FILES; file++) {
      const mine = Array.from({ length: RULES_A_FILE }, (_, n) => `Rule ${n} of file ${file} holds.`);
      rules.push(...mine);
      // Each rule is about as long as a piece, so that there are many pieces to interrupt.
      const content = mine.map((rule) => `${rule}\n${`And why so in ${file}. `.repeat(38)}\n`).join("\n");
      await call("PUT", `files/skills/s${file}/SKILL.md`, { content });
    }
    let answers = 0;
    // The model words its answer differently each time, as real models do. Only the mark of a piece
    // tells that it was stored.
    model.reply = (prompt) => {
      answers++;
      const piece = prompt.split("\n").slice(1, -1).join("\n");
      const found = rules.filter((rule) => piece.includes(rule) && piece.length - piece.indexOf(rule) > OVERLAP);
      return found.map((rule) => JSON.stringify({ text: `${rule} (${answers})`, importance: 0.5 })).join("\n");
    };
    await call("POST", "ingest", {});
    for (const after of KILLS) {
      await until(async () => answers >= after);
      // Kills the worker at some point while the answers are being stored.
      await pause(Math.random() * 60);
      await service.kill("worker");
    }
    await finished();
    const stored = await texts();
    expect(stored.map((text) => text.replace(/ \(\d+\)$/, ""))).toEqual([...rules].sort());
    const first = await run();
    expect(first).toMatchObject({ state: "done", filesTotal: FILES, filesDone: FILES, error: null });
    expect(first.stored).toBe(rules.length);

    const asked = model.requests.length;
    await call("POST", "ingest", {});
    await finished();
    expect(await run()).toMatchObject({ state: "done", stored: 0, piecesDone: 0, piecesKnown: first.piecesDone });
    expect(model.requests).toHaveLength(asked);
    expect(await texts()).toEqual(stored);
    expect(service.deaths).toEqual([]);
    expect(service.errors()).toEqual([]);
  });
});
