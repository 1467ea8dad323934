import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, type RecollectClient, type TransportOptions } from "../../src/client/client.ts";
import { listen } from "../../src/http/listen.ts";
import { createRecollect } from "../../src/start/create-recollect.ts";
import { startTestApp } from "../support/test-app.ts";

interface Reached {
  client: RecollectClient;
  close(): Promise<void>;
}

const overLoopback = async (): Promise<Reached> => {
  const app = await startTestApp({ embedder: undefined });
  const key = await app.key(["tenant"]);
  const listener = await listen(app.runtime.app, { host: "127.0.0.1", port: 0 });
  return {
    client: createClient({ url: listener.url, key }),
    close: async () => {
      app.runtime.stopAccepting();
      await listener.close();
      await app.drop();
    },
  };
};

const inProcess = async (): Promise<Reached> => {
  const recollect = await createRecollect({ provider: "none" });
  return { client: recollect, close: () => recollect.close() };
};

describe.each([
  ["a server on loopback", overLoopback],
  ["this process", inProcess],
])("the client of %s", (_, reach) => {
  let client: RecollectClient;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ client, close } = await reach());
  });
  afterAll(() => close());

  test("files: write, read, list page by page, search, delete", async () => {
    const agent = client.agent();
    const written = await agent.files.put("notes/a b#1.md", "# Ports\n\nThe gateway listens on 8080.");
    expect(written.status).toBe("created");
    await agent.files.write({ put: [1, 2, 3].map((n) => ({ path: `many/${n}.md`, content: `file ${n}` })) });
    expect((await agent.files.get("notes/a b#1.md")).content).toContain("8080");
    const first = await agent.files.list({ prefix: "many/", limit: 2 });
    expect([first.files.length, typeof first.nextCursor]).toEqual([2, "string"]);
    const paths: string[] = [];
    for await (const file of agent.files.all({ prefix: "many/" })) paths.push(file.path);
    expect(paths).toEqual(["many/1.md", "many/2.md", "many/3.md"]);
    const { results } = await agent.search("gateway port", { maxResults: 1 });
    expect(results.map((hit) => hit.path)).toEqual(["notes/a b#1.md"]);
    const lines = await agent.get("notes/a b#1.md", { from: 3 });
    expect(lines.text).toContain("8080");
    expect(await agent.files.delete("notes/a b#1.md")).toEqual({ deleted: ["notes/a b#1.md"] });
    await expect(agent.files.get("notes/a b#1.md")).rejects.toMatchObject({
      name: "RecollectError",
      code: "file_not_found",
      status: 404,
      requestId: expect.any(String),
    });
  });

  test("a write can depend on the file", async () => {
    const { files } = client.agent();
    const { hash } = await files.put("c.md", "one", { ifNoneMatch: "*" });
    await files.put("c.md", "two", { ifMatch: hash });
    await expect(files.put("c.md", "three", { ifMatch: hash })).rejects.toMatchObject({
      code: "file_changed",
      status: 412,
    });
    await expect(files.delete("c.md", { ifMatch: hash })).rejects.toMatchObject({ status: 412 });
  });

  test("no path leads to another route", async () => {
    await client.agents.create({ id: "victim" });
    for (const path of ["../../victim", "a/../b.md", "./a.md", "..", "a\\..\\b.md"])
      await expect(client.agent().files.delete(path), path).rejects.toMatchObject({ code: "invalid_path" });
    await expect(client.agent("..").status()).rejects.toMatchObject({ code: "invalid_path" });
    await expect(client.request("GET", "/v1/agents/%2e%2E/keys")).rejects.toMatchObject({ code: "invalid_path" });
    expect(await client.agents.get("victim")).toMatchObject({ id: "victim" });
    await client.agents.erase("victim");
  });

  test("an empty path or id is refused with a sentence about it", async () => {
    const { files, facts } = client.agent();
    for (const path of ["", undefined as unknown as string]) {
      await expect(files.put(path, "a")).rejects.toMatchObject({ code: "invalid_path" });
      await expect(files.get(path)).rejects.toMatchObject({ code: "invalid_path" });
      await expect(files.delete(path)).rejects.toMatchObject({ code: "invalid_path" });
    }
    for (const id of ["", undefined as unknown as string, null as unknown as string]) {
      await expect(facts.get(id)).rejects.toMatchObject({ code: "invalid_request" });
      await expect(facts.history(id)).rejects.toMatchObject({ code: "invalid_request" });
      await expect(files.version(id)).rejects.toMatchObject({ code: "invalid_request" });
      await expect(client.agents.get(id)).rejects.toMatchObject({ code: "invalid_agent_id" });
    }
    for (const id of ["", undefined as unknown as string, null as unknown as string])
      await expect(client.agent(id).search("x")).rejects.toMatchObject({ code: "invalid_agent_id" });
    expect(client.agent().id).toBe("main");
    const message = "The argument has the wrong form: sessions.append takes one object, { session, messages }";
    const append = client.agent().sessions.append as (...given: unknown[]) => Promise<unknown>;
    await expect(append("s", [{ role: "user", content: "x" }])).rejects.toThrow(message);
    await expect(append()).rejects.toThrow(message);
    await expect(append({ messages: [] })).rejects.toThrow("session: is missing");
    const wrong = { user: "bob" } as unknown as string;
    for (const call of [
      () => facts.forget(wrong),
      () => facts.history(wrong),
      () => files.get(wrong),
      () => client.agent().sessions.get(wrong),
      () => client.agents.get(wrong),
    ])
      await expect(call()).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining("takes an id or a path as a text, and an object was given"),
      });
    for (const name of ["\u0000", "\ud800"])
      for (const [call, code] of [
        [() => files.get(name), "invalid_path"],
        [() => files.put(name, "x"), "invalid_path"],
        [() => client.agent().sessions.get(name), "invalid_session_key"],
        [() => facts.get(name), "invalid_request"],
      ] as const)
        await expect(call()).rejects.toMatchObject({ code });
    const none = null as unknown as undefined;
    expect(await facts.list({ key: none, subject: none })).toEqual(await facts.list());
    expect(await files.list({ prefix: none })).toEqual(await files.list());
    await expect(facts.forgetSource(none as unknown as string)).rejects.toMatchObject({ status: 400 });
    await expect(facts.forgetSource("wiki", { session: none })).rejects.toMatchObject({ code: "invalid_request" });
    const recall = client.agent().recall as (...given: unknown[]) => Promise<unknown>;
    await expect(recall()).rejects.toMatchObject({ code: "invalid_request" });
    await expect(client.agents.erase("")).rejects.toMatchObject({ code: "invalid_agent_id" });
  });

  test("an unknown option is refused and changes nothing", async () => {
    const { files, watchStatus, watchChanges } = client.agent();
    await files.put("kept.md", "one");
    const refused = (call: () => unknown, message: string) =>
      expect((async () => call())(), message).rejects.toMatchObject({ code: "invalid_request", message });
    const ifMatch = "There is no option ifmatch. Did you mean ifMatch?";
    const wrong = { ifmatch: "q" } as object;
    await refused(() => files.put("kept.md", "two", wrong), ifMatch);
    await refused(() => files.putDocument("kept.md", new Blob(["two"]), wrong), ifMatch);
    await refused(() => files.delete("kept.md", wrong), ifMatch);
    const mtime = "There is no option mtim. The options are mtime, ifMatch, ifNoneMatch.";
    await refused(() => files.put("kept.md", "two", { mtim: 0 } as object), mtime);
    await refused(() => files.restore("1", wrong), ifMatch);
    await refused(() => files.list(wrong), 'The request is not valid. request: has no field "ifmatch".');
    const ofSignal = "There is no option ifmatch. The options are signal.";
    await refused(() => client.agent("main", wrong), ofSignal);
    await refused(() => client.key(wrong), ofSignal);
    const misspelt = { url: "http://127.0.0.1:1", timeoutms: 5 } as unknown as TransportOptions;
    await refused(() => createClient(misspelt), "There is no option timeoutms. Did you mean timeoutMs?");
    await refused(() => watchStatus(wrong).next(), ofSignal);
    await refused(
      () => watchChanges(wrong).next(),
      "There is no option ifmatch. The options are since, cursor, signal.",
    );
    await refused(
      () => client.request("GET", "/v1/agents", { Query: { limit: 1 } } as object),
      "There is no option Query. Did you mean query?",
    );
    const more = (call: unknown) => (call as (...given: unknown[]) => Promise<unknown>)("kept.md", { signal: "x" });
    await refused(() => more(files.get), "files.get takes one argument. A signal belongs to agent(id, { signal }).");
    await refused(
      () => more(client.agent().status),
      "agent.status takes no argument. A signal belongs to agent(id, { signal }).",
    );
    expect((await files.get("kept.md")).content).toBe("one");
  });

  test("a number or a date that is none is refused", async () => {
    const agent = client.agent();
    const at = Date.parse("31.12.2025");
    const never = new Date("31.12.2027");
    const message = { role: "user" as const, content: "x", at };
    const code = "invalid_request";
    await expect(agent.sessions.append({ session: "n", messages: [message] })).rejects.toMatchObject({ code });
    await expect(agent.facts.add({ text: "x", expiresAt: never })).rejects.toThrow(
      "expiresAt must be a finite number or a valid date; Invalid Date was given.",
    );
    await expect(agent.search("x", { minScore: Number.NaN })).rejects.toMatchObject({ code });
    await expect(agent.facts.list({ storedSince: never })).rejects.toMatchObject({ code });
    for (const timeoutMs of [-1, 0, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => createClient({ url: "http://127.0.0.1:1", timeoutMs })).toThrow(
        "timeoutMs must be a whole number from 1 to",
      );
    expect((await agent.facts.list()).facts.filter(({ text }) => text === "x")).toEqual([]);
  });

  test("a time may be a Date, in a body and in a query", async () => {
    const memory = client.agent("dates");
    const at = new Date("2026-03-04T05:06:07Z");
    await memory.sessions.append({ session: "d", messages: [{ role: "user", content: "Figs are ripe.", at }] });
    const [message] = (await memory.sessions.get("d")).messages;
    expect(message?.at).toBe(at.toISOString());
    await memory.facts.add({ text: "Ana lives in Faro.", validFrom: at });
    expect((await memory.facts.list()).facts[0]?.validFrom).toBe(at.toISOString());
    await memory.files.put("dated.md", "Figs.", { mtime: at });
    expect((await memory.files.list()).files[0]?.mtime).toBe(at.toISOString());
    const later = new Date(Date.now() + 60_000);
    expect((await memory.facts.list({ storedSince: later })).facts).toEqual([]);
    expect((await memory.facts.list({ storedBefore: later })).facts).toHaveLength(1);
  });

  test("a user that is undefined is refused, as it would mean everybody", async () => {
    const memory = client.agent("users");
    await memory.facts.add({ text: "Ana likes figs.", scope: { user: "ana" } });
    const user = undefined;
    const message = "`user` is given and undefined. Give the id of a user, or leave `user` out.";
    const calls: Record<string, () => Promise<unknown>> = {
      list: () => memory.facts.list({ user }),
      all: () => memory.facts.all({ user }).next(),
      people: () => memory.facts.people({ user }),
      search: () => memory.search("figs", { scope: { user } }),
      facts: () => memory.facts.search("figs", { scope: { user } }),
      recall: () => memory.recall({ message: "figs?", scope: { user } }),
      get: () => memory.get("facts/1", { scope: { user } }),
      add: () => memory.facts.add({ text: "Someone likes figs.", scope: { user, session: "s" } }),
      append: () =>
        memory.sessions.append({ session: "s", messages: [{ role: "user", content: "x" }], scope: { user } }),
      forgetSource: () => memory.facts.forgetSource("s", { user }),
      session: () => memory.sessions.get("s", { user }),
      tool: () => memory.callTool("memory_search", { query: "figs", scope: { user } }),
    };
    for (const [name, call] of Object.entries(calls))
      await expect(call(), name).rejects.toMatchObject({ code: "invalid_request", message });
    const none = null as unknown as string;
    const nulls: Record<string, () => Promise<unknown>> = {
      list: () => memory.facts.list({ user: none }),
      people: () => memory.facts.people({ user: none }),
      search: () => memory.search("figs", { scope: { user: none } }),
      get: () => memory.get("facts/1", { scope: { user: none } }),
      facts: () => memory.facts.search("figs", { scope: { user: none } }),
      recall: () => memory.recall({ message: "figs?", scope: { user: none } }),
      add: () => memory.facts.add({ text: "Someone likes figs.", scope: { user: none } }),
      forgetSource: () => memory.facts.forgetSource("s", { user: none }),
      forgetMany: () => memory.facts.forgetMany({ subject: "Ana", user: none }),
      session: () => memory.sessions.get("s", { user: none }),
    };
    for (const [name, call] of Object.entries(nulls))
      await expect(call(), name).rejects.toMatchObject({ message: message.replace("undefined", "null") });
    // A model writes null for what it leaves out.
    expect((await memory.callTool("memory_recall", { query: "figs", scope: { user: null } })).facts).toEqual([]);
    expect((await memory.facts.list()).facts).toHaveLength(1);
    expect((await memory.search("figs", { scope: undefined })).results).toHaveLength(1);
  });

  test("an address that is none is refused", () => {
    for (const url of [undefined as unknown as string, "", "127.0.0.1:7420", "ftp://files"])
      expect(() => createClient({ url }), url).toThrow("url must be the address of a server");
  });

  test("sessions and facts", async () => {
    const agent = client.agent("main");
    const { lastMessage } = await agent.sessions.append({
      session: "slack:C1",
      messages: [{ role: "user", content: "hello" }],
      end: true,
    });
    expect(lastMessage).toBe(1);
    expect((await agent.sessions.get("slack:C1")).messages.map((one) => one.text)).toEqual(["hello"]);
    expect((await agent.sessions.delete("slack:C1")).messages).toBe(1);
    const { facts } = await agent.facts.add({ text: "The office is in Graz.", key: "office.city" });
    const id = facts[0]?.id ?? "";
    const moved = await agent.facts.change(id, { text: "The office is in Vienna." });
    expect((await agent.facts.history(moved.id)).facts.map((fact) => fact.text)).toHaveLength(2);
    expect((await agent.facts.search("office")).facts[0]?.text).toBe("The office is in Vienna.");
    expect((await agent.recall({ message: "Where is the office?" })).facts.length).toBeGreaterThan(0);
    expect((await agent.facts.forget(moved.id)).forgotten).toHaveLength(2);
  });

  test("what a model is given, and a call of a model", async () => {
    const agent = client.agent();
    const { tools, prompt } = await agent.tools("anthropic");
    expect([tools.length > 3, prompt.includes("memory_search")]).toEqual([true, true]);
    expect(await agent.callTool("memory_search", '{"query": "no such thing"}')).toMatchObject({ results: [] });
    expect(await agent.callTool("memory_store", { text: "Tea, not coffee." })).toMatchObject({
      facts: [{ status: "stored" }],
    });
  });

  test("agents: make, change, list, erase", async () => {
    expect((await client.agents.create({ id: "made", name: "Made" })).status).toBe("active");
    expect((await client.agents.change("made", { name: "Renamed" })).name).toBe("Renamed");
    const ids: string[] = [];
    for await (const agent of client.agents.all()) ids.push(agent.id);
    expect(ids).toContain("made");
    expect((await client.agents.erase("made")).agentId).toBe("made");
    await expect(client.agents.get("made")).rejects.toMatchObject({ code: "agent_not_found" });
    expect(await client.request("GET", "/v1/tenant")).toMatchObject({ settings: {} });
  });

  test("the status as it changes, until the loop is left", async () => {
    const agent = client.agent();
    const files: number[] = [];
    for await (const status of agent.watchStatus()) {
      files.push(status.files);
      if (files.length === 1) await agent.files.put("watched.md", "something new");
      if ((files.at(-1) ?? 0) > (files[0] ?? 0)) break;
    }
    expect(files.at(-1)).toBe((files[0] ?? 0) + 1);
    await expect(client.agent("nobody").watchStatus().next()).rejects.toMatchObject({ code: "agent_not_found" });
  });

  test("an iterator throws the reason of its signal, of the loop's or of the agent's", async () => {
    const reason = { name: "TimeoutError" };
    const signal = AbortSignal.timeout(1500);
    const agent = client.agent("main", { signal });
    const unaborted = new AbortController();
    const until = async (loop: AsyncIterable<unknown>) => {
      for await (const _ of loop);
    };
    await Promise.all([
      expect(until(agent.watchStatus()), "status").rejects.toMatchObject(reason),
      expect(until(agent.watchChanges()), "changes").rejects.toMatchObject(reason),
      expect(until(agent.watchStatus({ signal: unaborted.signal })), "both signals").rejects.toMatchObject(reason),
      expect(until(agent.watchChanges({ signal: unaborted.signal })), "both signals").rejects.toMatchObject(reason),
      expect(until(client.agent().watchStatus({ signal })), "of the loop").rejects.toMatchObject(reason),
    ]);
    for (const loop of [agent.watchStatus(), agent.watchChanges(), agent.files.all(), agent.facts.all()])
      await expect(loop.next()).rejects.toMatchObject(reason);
    await expect(agent.sessions.all().next()).rejects.toMatchObject(reason);
  });

  test("a number in place of an object or an id is refused", async () => {
    const { files, sessions, facts, search, get, changes, activity } = client.agent();
    const five = 5 as unknown as string & object;
    const refused = (call: () => unknown, code = "invalid_request") =>
      expect((async () => call())(), String(call)).rejects.toMatchObject({ code });
    await refused(() => client.agent(five).search("x"), "invalid_agent_id");
    await refused(() => client.agents.get(five), "invalid_agent_id");
    await refused(() => client.agents.list(five));
    await refused(() => client.activitySummary(five));
    await refused(() => client.key(five));
    await refused(() => client.agent("main", five));
    for (const list of [files, sessions, facts]) {
      await refused(() => list.list(five));
      await refused(() => list.all(five).next());
    }
    await refused(() => search("x", five));
    await refused(() => get("x", five));
    await refused(() => changes(five));
    await refused(() => activity(five));
    await refused(() => facts.search("x", five));
    await refused(() => files.chunks("x", five));
    await refused(() => sessions.append(five));
    await refused(() => sessions.append(undefined as never));
    await refused(() => sessions.append({ session: undefined as never, messages: [] }));
    await refused(() => sessions.delete("x", five));
    for (const options of [undefined, null, 5, "http://127.0.0.1:7420"])
      await refused(() => createClient(options as never));
    const fetch = async () => Response.json({});
    await refused(() => createClient({ url: undefined as never, fetch }));
  });
});

test("whatever a program without types passes, a call throws a RecollectError", async () => {
  const client = createClient({
    url: "http://client",
    fetch: async () => Response.json({ code: "refused", detail: "It was asked." }, { status: 400 }),
  });
  const calls: [name: string, call: () => unknown][] = [];
  const walk = (prefix: string, owner: object) => {
    for (const [name, value] of Object.entries(owner)) {
      if (typeof value === "object") walk(`${prefix}${name}.`, value as object);
      if (typeof value !== "function" || prefix + name === "agent") continue;
      const call = value as (...given: unknown[]) => unknown;
      for (const wrong of [undefined, null, 5])
        for (const position of [0, 1, 2]) {
          const given = ["text", "text", {}].map((right, at) => (at === position ? wrong : right));
          calls.push([`${prefix}${name}(${given.map(String)})`, () => call(...given)]);
        }
    }
  };
  walk("", client);
  walk("agent.", client.agent());
  for (const [name, call] of calls) {
    const asked = async () => {
      const answer = call() as AsyncIterator<unknown> | Promise<unknown>;
      await ("next" in answer ? answer.next() : answer);
    };
    await expect(asked(), name).rejects.toMatchObject({ name: "RecollectError", code: expect.any(String) });
  }
  expect(calls.length).toBeGreaterThan(500);
});
