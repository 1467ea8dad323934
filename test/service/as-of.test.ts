import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

interface Change {
  at: string;
  kind: string;
  path: string;
  by: string | null;
  version?: string;
}
interface Page {
  changes: Change[];
  cursor: string;
  more: boolean;
}

describe("what a memory was at an earlier time", () => {
  let app: TestApp;
  let before: string;
  beforeAll(async () => {
    app = await startTestApp();
    await app.put("plan.md", "# Plan\n\nThe launch is planned for April in Lisbon.");
    await app.put("stays.md", "The launch needs a permit of the harbour.");
    await fact("The launch is led by Mina", "launch.lead");
    before = await later();
    await app.put("plan.md", "# Plan\n\nThe launch has moved to September in Porto.");
    await app.put("new.md", "The launch has a sponsor now.");
    await fact("The launch is led by Jonas", "launch.lead");
    await app.embedded();
  });
  afterAll(() => app.drop());

  const fact = (text: string, key: string) => app.call("POST", "/v1/agents/main/facts", { facts: [{ text, key }] });
  /** Returns a time between two writes. */
  const later = async () => {
    const now = new Date(Date.now() + 5);
    await until(() => Date.now() > now.getTime() + 5);
    return now.toISOString();
  };
  const read = async (path: string, asOf?: string) =>
    (
      await app.call<{ text: string; status?: string }>("POST", "/v1/agents/main/tools/memory_get", {
        path,
        asOf,
      })
    ).body;

  test("memory_get reads a file as it stood, and says when there was none", async () => {
    expect((await read("plan.md", before)).text).toContain("April in Lisbon");
    expect((await read("plan.md")).text).toContain("September in Porto");
    expect((await read("stays.md", before)).text).toContain("permit");
    expect((await read("new.md", before)).status).toBe("not_found");
  });

  test("memory_get says of a fact what held then", async () => {
    expect((await read("facts/1")).text).toMatch(/^No longer holds/);
    expect((await read("facts/1", before)).text).toMatch(/^The launch is led by Mina/);
  });

  test("memory_search finds the texts that stood and the facts that held, and says how", async () => {
    const then = await app.search("launch Lisbon April", { asOf: before, minScore: 0, maxResults: 10 });
    const paths = then.results.map((hit) => hit.path).sort();
    expect(paths).toEqual(["facts/1", "plan.md", "stays.md"]);
    const plan = then.results.find((hit) => hit.path === "plan.md");
    expect(plan?.snippet).toContain("April in Lisbon");
    expect(plan?.version).toMatch(/^\d+$/);
    expect(then.note).toContain("by words only");
    const now = await app.search("launch Lisbon April", { minScore: 0, maxResults: 10 });
    expect(now.results.map((hit) => hit.path).sort()).toEqual(["facts/2", "new.md", "plan.md", "stays.md"]);
    expect(now.results.every((hit) => hit.version === undefined)).toBe(true);
  });

  test("of the past only what was asked for is searched", async () => {
    const search = async (more: object) =>
      (await app.search("launch Lisbon", { asOf: before, minScore: 0, ...more })).results.map((hit) => hit.path);
    expect(await search({ corpus: "facts" })).toEqual(["facts/1"]);
    expect(await search({ paths: ["stays.md"] })).toEqual(["stays.md"]);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect(await search({ after: tomorrow })).toEqual([]);
    expect((await search({ before: tomorrow })).sort()).toEqual(["facts/1", "plan.md", "stays.md"]);
  });

  test("the feed tells what happened to files and facts in order, page by page, and leaves nothing out", async () => {
    await app.call("DELETE", "/v1/agents/main/files/new.md");
    await app.call("DELETE", "/v1/agents/main/facts/2");
    const wanted = [
      ...["file.created plan.md", "file.created stays.md", "file.changed plan.md", "file.created new.md"],
      ...["fact.superseded facts/1", "file.deleted new.md", "fact.forgotten facts/1", "fact.forgotten facts/2"],
    ];
    const all: Change[] = [];
    let cursor: string | undefined;
    const next = async () => {
      const query = cursor === undefined ? "" : `&cursor=${cursor}`;
      const { body } = await app.call<Page>("GET", `/v1/agents/main/changes?limit=3${query}`);
      all.push(...body.changes);
      cursor = body.cursor;
      return all.length >= wanted.length;
    };
    await until(next);
    expect(all.map(({ kind, path }) => `${kind} ${path}`)).toEqual(wanted);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).sort());
    expect(all.find(({ kind }) => kind === "file.deleted")?.by).toBe("local");
    const { body } = await app.call<Page>("GET", `/v1/agents/main/changes?since=${before}`);
    expect(body.changes.map(({ kind }) => kind)).toEqual(all.slice(2).map(({ kind }) => kind));
    expect((await app.call("GET", "/v1/agents/main/changes?cursor=x")).status).toBe(400);
  });

  test("the stream goes on where the last event that was read ended", async () => {
    const events = async (headers: Record<string, string>, most: number) => {
      const response = await app.runtime.app.request("/v1/agents/main/changes/events", { headers });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let text = "";
      const pages = () => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as Page);
      const told = () => pages().flatMap((page) => page.changes);
      while (told().length < most) text += new TextDecoder().decode((await reader.read()).value);
      await reader.cancel();
      return { changes: told(), id: /^id: (.*)$/m.exec(text)?.[1] ?? "" };
    };
    const { changes, id } = await events({}, 1);
    expect(changes[0]).toMatchObject({ kind: "file.created", path: "plan.md" });
    const waiting = events({ "last-event-id": id }, 1);
    await app.put("later.md", "later");
    expect((await waiting).changes).toMatchObject([{ kind: "file.created", path: "later.md" }]);
  });

  test("a conversation is searched and read up to the time, whatever is said later", async () => {
    const tell = (content: string, at: string) =>
      app.call("POST", "/v1/agents/talk/sessions/s/messages", { messages: [{ role: "user", content, at }] });
    const found = async (asOf: string, more: object = {}) =>
      (await app.search("shed", { asOf, ...more }, "talk")).results.filter(({ source }) => source === "sessions");
    const got = async (asOf: string) =>
      (
        await app.call<{ text: string; status?: string }>("POST", "/v1/agents/talk/tools/memory_get", {
          path: "sessions/s",
          asOf,
        })
      ).body;
    await tell("The shed will be painted green.", "2026-10-01T10:00:00Z");
    await tell("Change of plan about the shed, blue now.", "2026-11-20T10:00:00Z");
    for (const asOf of ["2026-10-02T00:00:00Z", "2026-11-19T00:00:00Z"]) {
      const [hit, ...others] = await found(asOf, { includeText: true });
      expect(others).toEqual([]);
      expect(hit?.snippet).toContain("green");
      expect(JSON.stringify(hit)).not.toContain("blue");
      expect((await got(asOf)).text).toBe("user: The shed will be painted green.");
    }
    const [stood] = await found("2026-10-02T00:00:00Z");
    expect(stood).toMatchObject({ citation: "sessions/s#L1", date: "2026-10-01T10:00:00.000Z" });
    expect(stood?.session).toMatchObject({ messages: { from: 1, to: 1 } });
    const later = await app.search("change of plan, blue", { asOf: "2026-10-02T00:00:00Z", minScore: 0 }, "talk");
    expect(later.results.filter(({ source }) => source === "sessions")).toEqual([]);
    const [now] = await found("2026-11-21T00:00:00Z");
    expect(now?.snippet).toContain("blue");
    expect((await got("2026-11-21T00:00:00Z")).text.split("\n")).toHaveLength(2);
    expect(await found("2026-09-30T00:00:00Z")).toEqual([]);
    expect(await got("2026-09-30T00:00:00Z")).toMatchObject({ status: "not_found", text: "" });
  });

  test("messages that came out of order are read by their own times", async () => {
    const tell = (content: string, at: string) => ({ role: "user", content, at });
    const messages = [
      tell("January plum", "2026-01-01T00:00:00Z"),
      tell("March plum", "2026-03-01T00:00:00Z"),
      tell("February plum", "2026-02-01T00:00:00Z"),
    ];
    await app.call("POST", "/v1/agents/talk/sessions/order/messages", { messages });
    await app.call("POST", "/v1/agents/talk/sessions/late/messages", { messages: messages.slice(1) });
    const got = async (path: string, from = 1) => {
      const input = { path, from, asOf: "2026-02-15T00:00:00Z" };
      return (await app.call<object>("POST", "/v1/agents/talk/tools/memory_get", input)).body;
    };
    expect(await got("sessions/order")).toMatchObject({ text: "user: January plum", truncated: true, nextFrom: 3 });
    expect(await got("sessions/order", 3)).toMatchObject({ text: "user: February plum", from: 3 });
    expect(await got("sessions/late")).toMatchObject({ text: "user: February plum", from: 2 });
  });
});
