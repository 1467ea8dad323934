import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import type { AgentStatus } from "../../src/service/admin/agent-status.ts";
import type { JobSummary } from "../../src/service/admin/manage-jobs.ts";
import { CLOSE_TIMES, idsOfPages } from "../support/list-pages.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { WordEmbedder } from "../support/word-embedder.ts";

/** Takes some time for every text, one after the other. */
class SlowEmbedder extends WordEmbedder {
  override readonly maxBatchTexts = 5;
  /** Texts in the order in which they were embedded. */
  readonly done: string[] = [];
  override async embed(texts: readonly string[], inputType: "query" | "document", signal?: AbortSignal) {
    if (inputType === "document") {
      await new Promise((resolve) => setTimeout(resolve, 40 * texts.length));
      this.done.push(...texts);
    }
    return super.embed(texts, inputType, signal);
  }
}

describe("jobs", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
  });
  afterAll(() => app.drop());

  const list = async (query = "", key?: string) =>
    (await app.call<{ jobs: JobSummary[] }>("GET", `/v1/jobs?${query}`, undefined, key)).body.jobs;

  test("are listed by agent and state, and another tenant's are not there", async () => {
    await app.put("a.md", "One", "listed");
    const jobs = await list("agentId=listed");
    expect(jobs.map((job) => [job.kind, job.state]).sort()).toEqual([
      ["embed", "waiting"],
      ["maintain-index", "waiting"],
    ]);
    const [job] = jobs;
    expect((await app.call<JobSummary>("GET", `/v1/jobs/${job?.id}`)).body).toEqual(job);
    expect(await list("agentId=listed&state=failed")).toEqual([]);
    const rival = await app.key(["tenant"], { tenantId: await app.tenant("rival") });
    expect(await list("", rival)).toEqual([]);
    for (const [method, path] of [
      ["GET", `/v1/jobs/${job?.id}`],
      ["DELETE", `/v1/jobs/${job?.id}`],
    ] as const) {
      const { status, body } = await app.call(method, path, undefined, rival);
      expect([status, body.error.code]).toEqual([404, "job_not_found"]);
    }
  });

  test("are listed page by page, newest first, each once", async () => {
    const tenantId = await app.tenant("paged");
    // The jobs are completed, so that no worker of another test takes them.
    await app.db.executeSql(
      `INSERT INTO recollect_jobs.job (name, data, state, created_on, completed_on)
       SELECT 'embed', jsonb_build_object('tenantId', $1::text, 'agentId', 'a' || n / 8), 'completed', ${CLOSE_TIMES}, now()
         FROM generate_series(1, 14) AS n`,
      [tenantId],
    );
    const { rows } = await app.db.executeSql<{ id: string }>(
      `SELECT id FROM recollect_jobs.job WHERE data->>'tenantId' = $1 AND data->>'agentId' = 'a1'
        ORDER BY created_on DESC, id DESC`,
      [tenantId],
    );
    expect(rows).toHaveLength(7);
    const key = await app.key(["tenant"], { tenantId });
    const ids = await idsOfPages(app, "/v1/jobs?agentId=a1&state=completed", "jobs", key);
    expect(ids).toEqual(rows.map(({ id }) => id));
    const { status, body } = await app.call("DELETE", `/v1/jobs/${ids[0]}`, undefined, key);
    expect([status, body.error.message]).toEqual([400, "This job is completed; there is nothing to cancel."]);
    const both = await idsOfPages(app, "/v1/jobs?", "jobs", key);
    expect([both.length, both.filter((id) => ids.includes(id))]).toEqual([14, ids]);
  });

  test("of the service as a whole are the operator's only", async () => {
    await app.call("POST", "/v1/fleet/migrate", {});
    const kinds = async (key?: string) => (await list("", key)).map((job) => job.kind);
    expect(await kinds()).toContain("migrate-fleet");
    expect(await kinds(await app.key(["tenant"]))).not.toContain("migrate-fleet");
  });

  test("one that is cancelled is not run", async () => {
    await app.put("a.md", "Cancelled", "idle");
    const embed = (await list("agentId=idle&state=waiting")).find((job) => job.kind === "embed");
    expect((await app.call("DELETE", `/v1/jobs/${embed?.id}`)).status).toBe(200);
    expect((await list("agentId=idle&state=cancelled")).map((job) => job.id)).toEqual([embed?.id]);
  });

  test("one that has ended cannot be tried again, and says so", async () => {
    await app.put("b.md", "Cancelled too", "ended");
    const embed = (await list("agentId=ended&state=waiting")).find((job) => job.kind === "embed");
    for (const state of ["cancelled", "completed"]) {
      await app.db.executeSql("UPDATE recollect_jobs.job SET state = $1 WHERE id = $2", [state, embed?.id]);
      const answer = await app.call("POST", `/v1/jobs/${embed?.id}/retry`, {});
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
      expect(JSON.stringify(answer.body)).toContain(`This job is ${state}`);
    }
  });

  test("one that failed for good says why without secrets, and can be tried again", async () => {
    await app.put("a.md", "To be embedded later", "failing");
    await app.db.executeSql(
      "UPDATE recollect_jobs.job SET retry_limit = 0 WHERE name = 'embed' AND data->>'agentId' = 'failing'",
    );
    app.embedder.failure = new AppError("embedder_rejected", "The embedding provider refused the key.", {
      details: { status: 401 },
    });
    const worker = await startTestApp({ worker: true, on: app, embedder: app.embedder });
    try {
      await until(async () => (await list("agentId=failing&state=failed")).length === 1);
      const [failed] = await list("agentId=failing&state=failed");
      expect(failed).toMatchObject({
        kind: "embed",
        error: { code: "embedder_rejected", message: "The embedding provider refused the key." },
      });
      expect(JSON.stringify(failed)).not.toMatch(/stack|\.ts/);
      app.embedder.failure = undefined;
      expect((await app.call("POST", `/v1/jobs/${failed?.id}/retry`, {})).status).toBe(202);
      await app.embedded("failing");
      expect(await list("agentId=failing&state=failed")).toEqual([]);
      const audit = await app.call<{ entries: { action: string }[] }>("GET", "/v1/audit");
      expect(audit.body.entries[0]).toMatchObject({ action: "job.retry" });
    } finally {
      app.embedder.failure = undefined;
      await worker.drop();
    }
  });

  test("another tenant's single file does not wait for a sync of thousands", async () => {
    const slow = new SlowEmbedder();
    const writer = await startTestApp({ worker: false });
    // There are more agents than a worker runs at once, each with more than a turn's work.
    for (const agent of ["one", "two", "three", "four"]) {
      const put = Array.from({ length: 90 }, (_, i) => ({ path: `n${i}.md`, content: `Note ${i} of ${agent}` }));
      await writer.call("POST", `/v1/agents/${agent}/files`, { put });
    }
    const tenantId = await writer.tenant("small");
    const key = await writer.key(["tenant"], { tenantId });
    await writer.call("PUT", "/v1/agents/main/files/a.md", { content: "The only file" }, key);
    const worker = await startTestApp({ worker: true, on: writer, embedder: slow });
    try {
      await until(() => slow.done.some((text) => text.includes("The only file")));
      expect(slow.done.findIndex((text) => text.includes("The only file"))).toBeLessThan(210);
    } finally {
      await worker.drop();
      await writer.drop();
    }
  });

  test("progress comes as server-sent events until nothing is pending", async () => {
    await app.put("a.md", "Watched", "watched");
    const response = await app.runtime.app.request("/v1/agents/watched/events");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const worker = await startTestApp({ worker: true, on: app, embedder: app.embedder });
    try {
      const seen: AgentStatus[] = [];
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; seen.at(-1)?.pendingEmbeddings !== 0; ) {
        text += (await reader?.read())?.value ?? "";
        const events = [...text.matchAll(/event: status\ndata: (.*)\n\n/g)];
        seen.push(...events.slice(seen.length).map(([, data = ""]) => JSON.parse(data) as AgentStatus));
      }
      await reader?.cancel();
      expect(seen[0]).toMatchObject({ agentId: "watched", pendingEmbeddings: 1 });
      expect(seen.at(-1)).toMatchObject({ pendingEmbeddings: 0, dirty: false });
      const status = async () => (await app.call<AgentStatus>("GET", "/v1/agents/watched/status")).body;
      expect(seen[0]?.settled).toBe(false);
      await app.rested();
      const { settled, keyword } = await status();
      expect([settled, keyword.statisticsAt]).toEqual([true, expect.any(String)]);
    } finally {
      await worker.drop();
    }
  });
});
