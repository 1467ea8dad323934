import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendTranscript } from "../../src/cli/sessions/send-transcript.ts";
import { clientOf } from "../../src/cli/shell/connected.ts";
import type { Connection } from "../../src/cli/shell/context.ts";
import { readLines } from "../../src/cli/shell/read-lines.ts";
import { cliOn, type Ran, runCaptured } from "../support/cli-harness.ts";
import { type SessionApp, startSessionApp } from "../support/session-app.ts";

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const said = (count: number, from = 1) =>
  Array.from({ length: count }, (_, i) =>
    line({ role: i % 2 ? "assistant" : "user", content: `turn ${from + i}` }),
  ).join("");

describe("recollect sessions", () => {
  let app: SessionApp;
  let folder: string;
  let cli: (...argv: string[]) => Promise<Ran>;
  let posts: { messages: unknown[] }[] = [];
  let connection: Connection;
  beforeAll(async () => {
    app = await startSessionApp();
    folder = mkdtempSync(join(tmpdir(), "recollect-sessions-"));
    cli = cliOn(app);
    connection = {
      fetch: async (path, init) => {
        if (init?.method === "POST") posts.push(JSON.parse(String(init.body)));
        return app.runtime.app.request(path, init);
      },
      close: async () => undefined,
      description: "the app of this test",
    };
    for (const id of ["cli", "mixed", "grow", "batches", "mute"])
      await app.talker(id, id === "mute" ? { sources: ["memory"] } : {});
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await app.drop();
  });

  const file = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const send = (agent: string, path: string, more = {}) => {
    posts = [];
    return sendTranscript({ memory: clientOf(connection).agent(agent), session: "transcript:t" }, path, more);
  };

  test("an addition that Ctrl-C stops says how much is stored; the same command sends the rest", async () => {
    const paths = [1, 2, 3].map((n) => file(`stopped-${n}.jsonl`, said(2)));
    const ending = new AbortController();
    const connect = async () => ({
      ...connection,
      fetch: async (path: string, init?: RequestInit) => {
        if (init?.method === "POST" && path.includes("stopped-2")) ending.abort();
        return app.runtime.app.request(path, init);
      },
    });
    const add = ["sessions", "add", ...paths, "--agent", "stopped"];
    const stopped = await runCaptured(add, { connect, stopping: () => ending.signal });
    expect(stopped).toMatchObject({ code: 130, out: "" });
    expect(stopped.err).toMatch(/^\nStopped: [12] of 3 transcripts are stored; the same command sends the rest\.\n$/);
    const rest = await cli(...add);
    expect(rest.code).toBe(0);
    const listed = await app.call<{ sessions: { messages: number }[] }>("GET", "/v1/agents/stopped/sessions");
    expect(listed.body.sessions.map(({ messages }) => messages)).toEqual([2, 2, 2]);
  });

  test("adds a conversation for one user", async () => {
    const path = file("eva.jsonl", `${JSON.stringify({ role: "user", content: "My name is Eva." })}\n`);
    expect((await cli("sessions", "add", path, "--user", "eva", "--agent", "ofusers")).code).toBe(0);
    const { body } = await app.call<{ facts: { scope: object }[] }>("GET", "/v1/agents/ofusers/facts");
    expect(body.facts.map(({ scope }) => scope)).toEqual([{ user: "eva" }]);
    const asked = (user: string) => app.search("what is my name?", { scope: { user } }, "ofusers");
    expect([(await asked("eva")).results.length > 0, (await asked("ben")).results]).toEqual([true, []]);
  });

  test("reads a transcript from standard input", async () => {
    const piped = (text: string) =>
      cliOn(app, undefined, {
        input: async function* () {
          yield Buffer.from(text);
        },
      });
    const added = await piped(said(3))("sessions", "add", "-", "--session", "piped", "--agent", "cli", "--json");
    expect(JSON.parse(added.out).files).toMatchObject([{ file: "-", session: "piped", sent: 3 }]);
    const list = await piped(JSON.stringify([{ role: "user", content: "hi" }]))(
      "sessions",
      "add",
      "-",
      "--session",
      "list",
    );
    expect([list.code, list.out]).toEqual([0, expect.stringContaining("- → list: sent 1")]);
    const unnamed = await piped("")("sessions", "add", "-");
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining("name it with --session <key>")]);
    const typed = cliOn(app, undefined, { readInput: async () => "Mina keeps bees.\n" });
    expect((await typed("facts", "add", "-", "--agent", "piped")).out).toMatch(/^stored /);
    expect((await typed("facts", "search", "-", "--agent", "piped")).out).toContain("Mina keeps bees.");
    expect((await typed("search", "-", "--agent", "piped")).out).toContain("Mina keeps bees.");
  });

  test("an addition that stores nothing ends with an error, after its results", async () => {
    const good = file("good.jsonl", said(1));
    const none = await cli("sessions", "add", join(folder, "none.jsonl"), "--agent", "cli", "--json");
    expect(none.code).toBe(1);
    expect(JSON.parse(none.out).files[0].failed).toBeDefined();
    expect(JSON.parse(none.err)).toMatchObject({
      code: "invalid_request",
      detail: expect.stringContaining("none.jsonl"),
    });
    const some = await cli("sessions", "add", join(folder, "none.jsonl"), good, "--agent", "cli", "--json");
    expect([some.code, some.err]).toEqual([1, ""]);
  });

  test("add, find, list, show, delete", async () => {
    const path = file("standup.jsonl", said(12) + line({ role: "user", name: "Ann", content: "The zeppelin lands." }));
    const added = await cli("sessions", "add", path, "--agent", "cli");
    // One line for each quarter that is embedded before the command looks; no line if it looks
    // late.
    expect(added).toMatchObject({ code: 0, err: expect.stringMatching(/^(embedding \d\/3\n)*$/) });
    expect(added.out).toContain("→ transcript:standup: sent 13 · lines skipped 0\n");
    expect((await app.status("cli")).unindexedMessages).toBe(0);
    const found = await cli("search", "zeppelin", "--agent", "cli");
    expect(found.out).toContain("sessions/transcript:standup#L1-L13");
    expect(found.out).toMatch(/ said \d{4}-\d\d-\d\d\n/);
    const again = await cli("sessions", "add", path, "--agent", "cli", "--json");
    expect(JSON.parse(again.out).files[0]).toMatchObject({ sent: 0, duplicates: 0, bad: [] });
    const listed = await cli("sessions", "list", "--agent", "cli");
    expect(listed.out).toMatch(/transcript:standup +13 +0 /);
    const shown = await cli(
      "sessions",
      "show",
      "transcript:standup",
      "--agent",
      "cli",
      "--after",
      "11",
      "--limit",
      "1",
    );
    expect([shown.code, shown.err]).toEqual([0, "(more: --after 12)\n"]);
    expect(shown.out).toMatch(/^12\. 20\S+Z assistant: turn 12\n$/);
    expect((await cli("sessions", "delete", "transcript:standup", "--agent", "cli")).code).toBe(2);
    const gone = await cli("sessions", "delete", "transcript:standup", "--agent", "cli", "--yes");
    expect(gone.out).toBe("Deleted transcript:standup with 13 messages.\n");
    const missing = await cli("sessions", "show", "transcript:standup", "--agent", "cli");
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining("session_not_found")]);
  });

  test("bad lines are named and skipped, a last line that is cut off is left", async () => {
    const content = [
      `\ufeff${line({ type: "session", id: "x" })}`,
      said(2),
      "not json\n",
      "\n",
      line({ role: "narrator", text: "x" }),
      said(1, 3),
      '{"role":"user","content":"cut o',
    ].join("");
    const { code, out } = await cli("sessions", "add", file("mixed.jsonl", content), "--agent", "mixed");
    expect(code).toBe(1);
    expect(out).toContain("sent 3 · lines skipped 2 · bad 2 (named below) · last line cut off");
    expect(out).toMatch(/bad .*mixed\.jsonl:4: not JSON\n.*mixed\.jsonl:6: an unknown role\n/);
    const latin = file("latin.jsonl", Buffer.from('{"role":"user","content":"caf\xe9"}\n', "latin1"));
    const one = await send("mixed", latin);
    expect(one).toMatchObject({ sent: 0, bad: [{ line: 1, reason: "not valid UTF-8" }] });
  });

  test("a list of messages is a transcript too, and giving it again sends only what is new", async () => {
    const messages = [
      { role: "user", content: "The printer is on floor two." },
      { role: "assistant", content: "Noted." },
      { role: "narrator", content: "x" },
    ];
    const forms = {
      packed: JSON.stringify(messages),
      pretty: `\ufeff${JSON.stringify(messages, null, 2)}\n`,
      named: JSON.stringify({ model: "m", messages }),
      "pretty-named": JSON.stringify({ messages }, null, 2),
    };
    for (const [name, content] of Object.entries(forms)) {
      const path = file(`${name}.json`, content);
      const reason = { line: 3, reason: "an unknown role" };
      expect(await send(`list-${name}`, path), name).toMatchObject({ sent: 2, bad: [reason] });
      const longer = file(`${name}.json`, content.replace('"narrator"', '"user"'));
      expect(await send(`list-${name}`, longer), name).toMatchObject({ sent: 1, duplicates: 2, bad: [] });
    }
    const cut = await send("lists", file("cut.json", JSON.stringify(messages, null, 2).slice(0, -1)));
    expect(cut).toMatchObject({
      sent: 2,
      bad: [{ line: 3 }, { reason: expect.stringContaining("ends in the middle") }],
    });
  });

  test("a file without a message is refused, whether or not its last line has an end", async () => {
    const training = '{"messages":[{"role":"user","content":"x"}]}\n'.repeat(2);
    for (const content of [training, '{"service":"ledger"}', '{"service":"ledger"}\n', "[1, 2]", '{\n  "a": 1\n}']) {
      const { code, err } = await cli("sessions", "add", file("foreign.jsonl", content), "--agent", "foreign");
      expect([code, err], content).toEqual([1, expect.stringContaining("No line is a message.")]);
    }
  });

  test("files that cannot be read do not keep the others out", async () => {
    const ok = file("ok.jsonl", said(1));
    const { code, out } = await cli("sessions", "add", join(folder, "none.jsonl"), folder, ok, "--agent", "mixed");
    expect(code).toBe(1);
    expect(out).toMatch(/failed .*none\.jsonl: no such file \(ENOENT\)\n/);
    expect(out).toMatch(/ok\.jsonl → transcript:ok: sent 1/);
    expect((await cli("sessions", "add", ok, ok, "--session", "a:b", "--agent", "mixed")).code).toBe(2);
    const bad = await cli("sessions", "add", ok, "--session", "no\tkey", "--agent", "mixed");
    expect([bad.code, bad.out]).toEqual([1, expect.stringContaining("printable characters")]);
    expect((await cli("sessions", "add", ok, "--session", "session_1", "--agent", "mixed")).code).toBe(0);
  });

  test("an agent that does not search sessions is told so", async () => {
    const { code, err } = await cli("sessions", "add", file("mute.jsonl", said(2)), "--agent", "mute");
    expect([code, err]).toEqual([0, expect.stringContaining("does not search its sessions")]);
    expect((await app.status("mute")).messages).toBe(2);
  });

  test("a transcript that grows is sent from where it was left, with or without the cursor", async () => {
    const path = file("grow.jsonl", `${said(3)}{"role":"user","content":"half`);
    const first = await send("grow", path);
    expect(first).toMatchObject({ sent: 3, incomplete: true, cursor: { line: 3 } });
    appendFileSync(path, ` and whole"}\n${said(2, 5)}`);
    const second = await send("grow", path, { from: first.cursor });
    expect(second).toMatchObject({ sent: 3, incomplete: false, cursor: { line: 6 } });
    expect(posts.flatMap((post) => post.messages)).toHaveLength(3);
    appendFileSync(path, said(1, 7).trimEnd());
    const third = await send("grow", path);
    expect(third).toMatchObject({ sent: 1, duplicates: 0, incomplete: false });
    expect(posts.flatMap((post) => post.messages)).toHaveLength(1);
    appendFileSync(path, `\n${said(1, 8)}`);
    expect(await send("grow", path, { from: third.cursor })).toMatchObject({ sent: 1, duplicates: 0 });
    await send("grow", path);
    expect(posts).toEqual([]);
    const { messages } = await app.page("grow", "transcript:t");
    expect(messages.map((message) => message.text)).toEqual([
      "turn 1",
      "turn 2",
      "turn 3",
      "half and whole",
      "turn 5",
      "turn 6",
      "turn 7",
      "turn 8",
    ]);
    // The file is written again, and shorter.
    writeFileSync(path, said(2, 20));
    expect(await send("grow", path, { from: second.cursor })).toMatchObject({ sent: 2 });
  });

  test("large transcripts go in batches; a message that the server refuses is set apart", async () => {
    const large = `${said(450)}${line({ role: "user", content: "y".repeat(200_000) })}`;
    const path = file("batches.jsonl", large + line({ role: "user", content: "x".repeat(300_000) }) + said(1, 900));
    const refusing: Connection = {
      ...connection,
      fetch: async (url, init) => {
        if (String(init?.body).includes('"turn 77"'))
          return Response.json({ code: "invalid_request", detail: "No." }, { status: 400 });
        return connection.fetch(url, init);
      },
    };
    posts = [];
    const target = { memory: clientOf(refusing).agent("batches"), session: "transcript:t" };
    const sent = await sendTranscript(target, path, { end: true });
    expect(sent.sent).toBe(451);
    expect(sent.bad.map((one) => one.line).sort()).toEqual([452, 77].sort());
    expect(Math.max(...posts.map((post) => post.messages.length))).toBeLessThanOrEqual(200);
  });

  test("lines are read whatever the slices are, and a line without end only takes the memory of its limit", async () => {
    const lines = Array.from({ length: 400 }, (_, i) => `é${"x".repeat((i * 997) % 4000)}`);
    const path = file("lines.txt", `${lines.join("\n")}\n${"z".repeat(17_000_000)}\nlast`);
    const read = [];
    for await (const one of readLines(path, { offset: 0, line: 0 })) read.push(one);
    expect(read.slice(0, 400).map((one) => one.text)).toEqual(lines);
    expect(read.at(-2)).toMatchObject({ number: 401, text: undefined, problem: expect.stringContaining("longer") });
    expect(read.at(-1)).toMatchObject({ number: 402, text: "last", isWhole: false });
    const middle = read[199]?.cursor ?? { offset: 0, line: 0 };
    for await (const one of readLines(path, middle)) {
      expect(one).toMatchObject({ number: 201, text: lines[200] });
      break;
    }
  });
});
