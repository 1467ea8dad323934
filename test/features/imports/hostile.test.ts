import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ZipFile } from "yazl";
import { type JsonElement, readElements } from "../../../src/cli/shell/json-elements.ts";
import { basicMemory } from "../../../src/features/imports/basic-memory.ts";
import { chatgpt } from "../../../src/features/imports/chatgpt.ts";
import { claude } from "../../../src/features/imports/claude.ts";
import { codex } from "../../../src/features/imports/codex.ts";
import { hindsight } from "../../../src/features/imports/hindsight.ts";
import { honcho } from "../../../src/features/imports/honcho.ts";
import type { Entry, ImportKind, Item, SourceFile } from "../../../src/features/imports/import-kind.ts";
import { langgraph } from "../../../src/features/imports/langgraph.ts";
import { letta } from "../../../src/features/imports/letta.ts";
import { mcpMemory } from "../../../src/features/imports/mcp-memory.ts";
import { mem0 } from "../../../src/features/imports/mem0.ts";
import { openSource } from "../../../src/features/imports/open-source.ts";
import { openclaw } from "../../../src/features/imports/openclaw.ts";
import { zep } from "../../../src/features/imports/zep.ts";
import { runCaptured } from "../../support/cli-harness.ts";
import { processorTime } from "../../support/processor-time.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-hostile-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, content: string | Buffer) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
  return join(folder, path);
};

async function elementsOf(text: string | Iterable<Buffer>, lists: string[] = [], slice = 7): Promise<JsonElement[]> {
  const bytes = typeof text === "string" ? Buffer.from(text) : undefined;
  const slices = bytes
    ? Array.from({ length: Math.ceil(bytes.length / slice) }, (_, i) => bytes.subarray(i * slice, (i + 1) * slice))
    : (text as Iterable<Buffer>);
  const found = [];
  for await (const one of readElements(Readable.from(slices), lists)) found.push(one);
  return found;
}

/** Returns all items that a kind finds in a file, with the entries of conversations. */
async function itemsOf(kind: ImportKind, path: string): Promise<(Item | Entry)[]> {
  const { files } = await openSource(path, () => undefined);
  const found: (Item | Entry)[] = [];
  for await (const item of kind.read?.(files[0] as SourceFile) ?? []) {
    if (!("conversation" in item)) found.push(item);
    else for await (const entry of item.conversation.entries) found.push(entry);
  }
  return found;
}

describe("elements of a JSON document", () => {
  test("a list, an object with lists, one object; whatever the slices are", async () => {
    for (const slice of [1, 2, 3, 1000]) {
      const text = '\ufeff[{"a":"é \\ud83d\\ude00"}, 2, [], null]';
      expect(await elementsOf(text, [], slice)).toEqual(
        [{ a: "é 😀" }, 2, [], null].map((value, index) => ({ list: "", index, value })),
      );
    }
    const text = '{"n":{"results":[1]},"results":[{"id":1}],"next":"results","relations":[2,3],"x":[4]}';
    expect(await elementsOf(text, ["results", "relations"])).toEqual([
      { list: "results", index: 0, value: { id: 1 } },
      { list: "relations", index: 0, value: 2 },
      { list: "relations", index: 1, value: 3 },
    ]);
    expect(await elementsOf('{"a":1}')).toEqual([{ list: "", index: 0, value: { a: 1 } }]);
    expect(await elementsOf("[]")).toEqual([]);
  });

  test("what stands before a mistake is read, and the mistake is named with its place", async () => {
    for (const [text, reason] of [
      ['[{"a":1},{"b":', "ends in the middle"],
      ['[{"a":1},{"b":tru', "not JSON from here on"],
      ['[{"a":1},nope]', "not JSON from here on"],
      ["", "ends in the middle"],
    ] as const) {
      const found = await elementsOf(text, []);
      const index = text === "" ? 0 : 1;
      expect(found.at(-1)).toEqual({ list: "", index, bad: expect.stringContaining(reason) });
      expect(found).toHaveLength(index + 1);
    }
    expect((await elementsOf([Buffer.from('[1,"caf\xe9"]', "latin1")])).at(-1)).toMatchObject({
      index: 1,
      bad: /utf-8/,
    });
  });

  test("elements that are too deep are passed over, and those behind them are read", async () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const found = await elementsOf(`[1,${deep},{"__proto__":{"x":1}},2]`, [], 65_536);
    expect(found.map(({ index, ...one }) => [index, "bad" in one ? one.bad : one.value])).toEqual([
      [0, 1],
      [1, "nested more than 100 levels deep"],
      [2, JSON.parse('{"__proto__":{"x":1}}')],
      [3, 2],
    ]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test("a document of one endless text or list takes the memory of its limit", async () => {
    const slice = Buffer.alloc(1 << 20, "x");
    const many = Buffer.from("[1,".repeat(20_000));
    function* endless(start: string, part: Buffer, times: number) {
      yield Buffer.from(start);
      for (let i = 0; i < times; i++) yield part;
    }
    const text = await elementsOf(endless('[1,"', slice, 100));
    expect(text).toEqual([
      { list: "", index: 0, value: 1 },
      { list: "", index: 1, bad: expect.stringContaining("longer than") },
    ]);
    expect(await elementsOf(endless("[", many, 100))).toEqual([{ list: "", index: 0, bad: expect.any(String) }]);
    const wide = endless("[[1", Buffer.from(",1".repeat(30_000)), 50);
    expect((await elementsOf(wide)).at(-1)).toMatchObject({ index: 0, bad: "the file ends in the middle" });
  });
});

describe("shapes that no export has", () => {
  test("chatgpt: circles, branches to nowhere, and what is no message", async () => {
    const circle = { a: { parent: "b", message: 7 }, b: { parent: "a", message: { author: "x", content: [] } } };
    const odd: unknown[] = [
      ...[null, 1, "x", [], {}, { mapping: [] }, { mapping: {} }, { id: "\u0000", mapping: {} }],
      { id: "circle", current_node: "a", mapping: circle },
      { id: "lost", current_node: "none", mapping: { constructor: 1 } },
      {
        id: "proto",
        current_node: "toString",
        mapping: { u: { message: { author: { role: "user" }, content: { parts: ["Hi"] } } } },
      },
    ];
    const found = await itemsOf(chatgpt, write("odd.json", JSON.stringify(odd)));
    expect(found.filter((one) => "bad" in one && / \[?|\[/.test(one.bad)).length).toBeGreaterThan(7);
    expect(found.at(-1)).toMatchObject({ message: { id: "u", role: "user", text: "Hi" } });
    const marks = { u: { message: { author: { role: "user" }, content: { parts: ["\ue200cite".repeat(50_000)] } } } };
    const spent = processorTime();
    await itemsOf(chatgpt, write("marks.json", JSON.stringify([{ id: "m", mapping: marks }])));
    expect(spent()).toBeLessThan(5000);
  });

  test.each([
    ["mem0", mem0],
    ["zep", zep],
    ["letta", letta],
    ["hindsight", hindsight],
    ["honcho", honcho],
    ["langgraph", langgraph],
  ])("%s: fields of other types are named, and names stay inside the memory", async (name, kind) => {
    const values: unknown[] = [
      null,
      7,
      "x",
      [],
      {},
      { deep: { deep: [{}] } },
      "../../etc",
      "\u0000",
      ["\u0000"],
      -1e300,
    ];
    const fields = [
      ...["id", "uuid", "name", "label", "value", "content", "text", "memory", "fact", "state", "categories"],
      ...["created_at", "valid_at", "invalid_at", "expires_at", "messages", "role", "tool_calls", "facts", "tags"],
      ...["original_text", "peer_id", "session_id", "observed_id", "namespace", "prefix", "source", "summary"],
      ...["file_name", "block_ids", "entities", "constructor", "__proto__"],
    ];
    const odd = fields.flatMap((field) =>
      values.map((value) => ({ name: "a", content: "b", fact: "c", [field]: value })),
    );
    const lists = Object.fromEntries(
      ["agents", "blocks", "files", "items", "edges", "memories"].map((list) => [list, odd]),
    );
    for (const [file, document] of [
      ["odd.json", [...values, ...odd]],
      ["lists.json", lists],
    ] as const) {
      const found = await itemsOf(kind, write(`${name}/documents/${file}`, JSON.stringify(document)));
      expect(found.length).toBeGreaterThan(0);
      for (const one of found)
        if ("file" in one) expect(one.file.path.split("/")).not.toContain("..");
        else if ("fact" in one) expect(one.fact.text.trim()).not.toBe("");
    }
  });

  test("claude: names that lead out of the memory stay in it", async () => {
    const docs = ["../../x.md", "/etc/passwd", "..", "", "a\u0000b\nc", "C:\\x", `${"ü".repeat(900)}`].map(
      (filename) => ({
        filename,
        content: "words",
        uuid: "abcdefgh-1",
      }),
    );
    const path = write("claude/projects.json", JSON.stringify([{ uuid: "../p", name: 1, docs }]));
    const found = await itemsOf(claude, path.replace(/projects\.json$/, "projects.json"));
    const paths = found.flatMap((one) => ("file" in one ? [one.file.path] : []));
    expect(paths).toHaveLength(docs.length);
    for (const one of paths) {
      expect(one).toMatch(/^claude\/projects\/[^/]+\/[^/]+$/);
      expect(
        one.split("/").every((segment) => !["", ".", ".."].includes(segment) && Buffer.byteLength(segment) < 255),
      ).toBe(true);
      expect(one).not.toMatch(/[\p{Cc}\\]/u);
    }
  });

  test("lines: huge, binary and not of the kind", async () => {
    const lines = [
      JSON.stringify({ type: "entity", name: "a", entityType: "x", observations: ["y".repeat(9000), 1, ""] }),
      "z".repeat(17_000_000),
      "[".repeat(100_000),
      '{"type":"relation","from":{}}',
      '{"type":"entity","name":"last","entityType":"x","observations":["o"]}',
    ];
    const found = await itemsOf(mcpMemory, write("memory.jsonl", Buffer.from(`${lines.join("\n")}\n\xff\n`, "latin1")));
    const facts = found.flatMap((one) => ("fact" in one ? [one.fact.text] : []));
    expect(facts.at(-1)).toBe("last: o");
    expect(facts.every((text) => text.length <= 2000)).toBe(true);
    expect(facts.slice(0, -1).join("")).toHaveLength("a: ".length + 9000);
    expect(found.filter((one) => "bad" in one).map((one) => "place" in one && one.place)).toEqual(
      ["1 observations[1]", "1 observations[2]", "2", "3", "4", "6"].map((place) => `memory.jsonl:${place}`),
    );
  });

  test("notes: front matter that is no YAML, or a bomb of aliases; lines that take a pattern long", () => {
    const bomb = `---\na: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${"*a,".repeat(9)}*a]`).join("\n")}\n---\n- [c] fact\n`;
    const spent = processorTime();
    for (const text of [
      bomb,
      "---\n: : [\n---\n- [c] fact\n",
      `- [c] fact\n- ${"[[".repeat(9000)}\n- [x${" ".repeat(9000)}\n`,
    ])
      expect([...(basicMemory.readKept?.(text, "n.md") ?? [])]).toMatchObject([{ fact: { text: "n: fact" } }]);
    expect(spent()).toBeLessThan(5000);
  });

  test("openclaw: sessions of several agents are not mixed", () => {
    expect(() => openclaw.check?.(["agents/a/sessions/1.jsonl", "agents/b/sessions/2.jsonl"])).toThrow(
      /several agents \(a, b\)/,
    );
    openclaw.check?.(["agents/a/sessions/1.jsonl", "agents/a/sessions/2.jsonl", "MEMORY.md"]);
  });
});

async function zipOf(name: string, entries: Record<string, Buffer>): Promise<string> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(entries)) zip.addBuffer(content, path);
  zip.end();
  const path = join(folder, name);
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

describe("archives", () => {
  test("files are read wherever they are in it; those of the computer that packed it are not", async () => {
    const conversation = {
      id: "z",
      mapping: { u: { message: { author: { role: "user" }, content: { parts: ["Hi"] } } } },
    };
    const json = Buffer.from(JSON.stringify([conversation]));
    const path = await zipOf("ok.zip", {
      "export/conversations-000.json": json,
      "export/chat.html": Buffer.from("<p>"),
      "__MACOSX/export/._conversations-000.json": Buffer.from("junk"),
    });
    let bytes = 0;
    const source = await openSource(path, (read) => {
      bytes += read;
    });
    const files = source.files.filter((file) => chatgpt.reads?.(file.path));
    expect(files.map((file) => file.path)).toEqual(["export/conversations-000.json"]);
    const items = [];
    for await (const item of chatgpt.read?.(files[0] as SourceFile) ?? []) items.push(item);
    expect(items).toMatchObject([{ conversation: { session: "chatgpt:z" } }]);
    expect(bytes).toBe(json.length);
    source.close();
  });

  test("a bomb is named and not unpacked; a name that leads out of it too", async () => {
    const path = await zipOf("bomb.zip", { "conversations.json": Buffer.alloc(60_000_000, " ") });
    const source = await openSource(path, () => undefined);
    expect([source.files, source.bad]).toEqual([
      [],
      [{ place: "conversations.json", bad: expect.stringContaining("200 times smaller") }],
    ]);
    source.close();
    const traversal = await zipOf("out.zip", { "aa/conversations.json": Buffer.from("[]") });
    const bytes = (await import("node:fs")).readFileSync(traversal);
    writeFileSync(traversal, Buffer.from(bytes.toString("latin1").replaceAll("aa/conv", "../conv"), "latin1"));
    const out = await openSource(traversal, () => undefined);
    expect([out.files, out.bad]).toEqual([[], [{ place: "../conversations.json", bad: expect.any(String) }]]);
    out.close();
  });

  test("what is no archive, nothing of the kind, or not there, is an error that says so", async () => {
    const bad = write("bad.zip", "PK\u0003\u0004 and nothing else");
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const connect = async () => ({
      fetch: () => Promise.reject(new Error("not expected")),
      close: async () => undefined,
      description: "no server",
    });
    for (const [kind, path, text] of [
      ["chatgpt", bad, "cannot be read as a ZIP archive"],
      ["letta", await zipOf("letta.zip", { "a.af": Buffer.from("{}") }), "unpack the archive"],
      ["chatgpt", empty, "looked for conversations.json"],
      ["claude-code", join(folder, "none"), "There is no file or folder"],
    ] as const) {
      const { code, err } = await runCaptured(["import", kind, path], { connect });
      expect([code, err]).toEqual([1, expect.stringContaining(text)]);
      expect(err).toContain("(invalid_request)");
    }
    expect((await runCaptured(["import", "unknown", empty], { connect })).code).toBe(2);
  });

  test("the nearest kind is suggested for an unknown one, and where to read", async () => {
    const { code, out, err } = await runCaptured(["import", "chatgtp", "x"], {});
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("Did you mean chatgpt?");
    expect(err).toContain("See: recollect help import\n");
  });
});

describe("exports in other shapes than the program's own", () => {
  const said = (id: string, content: unknown, parent: string | null = null) => ({
    id,
    parent,
    children: [],
    message: { id, author: { role: "user" }, create_time: 1735722000, content },
  });
  const chat = (content: unknown) => ({ id: "c1", current_node: "a", mapping: { a: said("a", content) } });
  const textsIn = (items: (Item | Entry)[]) =>
    items.flatMap((one) => ("message" in one ? [one.message.text] : "bad" in one ? [`bad: ${one.bad}`] : []));
  const textsOf = async (kind: ImportKind, path: string, content: unknown) =>
    textsIn(await itemsOf(kind, write(`shapes/${path}`, JSON.stringify(content))));

  test("one conversation instead of a list", async () => {
    const parts = { content_type: "text", parts: ["My boat is Alpha."] };
    expect(await textsOf(chatgpt, "one.json", chat(parts))).toEqual(["My boat is Alpha."]);
    const messages = [{ uuid: "m1", sender: "human", text: "My cat is Alpha." }];
    expect(await textsOf(claude, "one-claude.json", { uuid: "k1", chat_messages: messages })).toEqual([
      "My cat is Alpha.",
    ]);
    expect(await textsOf(chatgpt, "none.json", { conversations: [] })).toEqual([]);
    expect(await textsOf(chatgpt, "empty.json", {})).toEqual([]);
  });

  test("words that stand in another field than the program's own", async () => {
    expect(await textsOf(chatgpt, "text.json", [chat("My boat is Beta.")])).toEqual(["My boat is Beta."]);
    const message = { uuid: "m1", sender: "human", content: "My cat is Beta." };
    const conversation = (one: object) => [{ uuid: "k1", chat_messages: [one] }];
    expect(await textsOf(claude, "content.json", conversation(message))).toEqual(["My cat is Beta."]);
    expect(await textsOf(claude, "number.json", conversation({ ...message, content: 7, text: null }))).toEqual([]);
  });

  test("a file that is no JSON is named by its kind", async () => {
    const badOf = async (name: string, content: Buffer | string) =>
      (await itemsOf(chatgpt, write(`shapes/${name}`, content))).map((one) => ("bad" in one ? one.bad : one));
    const list = JSON.stringify([chat("x")]);
    expect(await badOf("a.gz", gzipSync(list))).toEqual(["packed with gzip; unpack it first"]);
    expect(await badOf("b.json", Buffer.from(`\ufeff${list}`, "utf16le"))).toEqual(["UTF-16 text; save it as UTF-8"]);
    expect(await badOf("c.json", "\n <!doctype html><p>Log in")).toEqual(["a web page, not JSON"]);
    expect(await badOf("d.json", `\ufeff${list}`)).toHaveLength(1);
  });

  test("a relation of mem0 is of its user, of the only user of the memories, or left out", async () => {
    const memory = (user_id: string) => ({ memory: "Collects stamps", user_id });
    const relation = (more: object = {}) => ({ source: "karla", relationship: "owes_to", target: "bo", ...more });
    const relationsOf = async (results: object[], relations: object[]) =>
      (await itemsOf(mem0, write("shapes/mem0.json", JSON.stringify({ results, relations }))))
        .slice(results.length)
        .map((one) => ("fact" in one ? (one.fact.scope?.user ?? "everybody") : "bad" in one ? one.bad : one));
    expect(await relationsOf([memory("karla")], [relation(), relation({ user_id: "bo" })])).toEqual(["karla", "bo"]);
    expect(await relationsOf([memory("karla"), memory("bo")], [relation(), relation({ user_id: "bo" })])).toEqual([
      "a relation without a user, among memories of several users",
      "bo",
    ]);
    expect(await relationsOf([], [relation()])).toEqual(["everybody"]);
    const first = JSON.stringify({ relations: [relation()], results: [memory("karla"), memory("bo")] });
    const items = await itemsOf(mem0, write("shapes/mem0.json", first));
    expect(items.filter((one) => "bad" in one)).toHaveLength(1);
  });

  test("the graph that the MCP memory server answers, in one line or in several", async () => {
    const graph = {
      entities: [{ name: "Mina", entityType: "person", observations: ["Sails"] }, 7],
      relations: [{ from: "Mina", to: "Bo", relationType: "knows" }],
    };
    for (const indent of [0, 2]) {
      const items = await itemsOf(mcpMemory, write("shapes/memory.json", JSON.stringify(graph, null, indent)));
      expect(items.map((one) => ("fact" in one ? one.fact.text : "bad" in one ? one.bad : one))).toEqual([
        "Mina: Sails",
        "neither an entity nor a relation",
        "Mina knows Bo",
      ]);
    }
  });

  test("memories that are deleted, blocks without an agent file, and rollouts in another form are left out by name", async () => {
    const memories = [{ id: "1", memory: "Likes figs", event: "DELETE" }];
    expect(await itemsOf(mem0, write("shapes/mem0.json", JSON.stringify(memories)))).toEqual([
      { left: "deleted memories" },
    ]);
    const blocks = [{ label: "human", value: "Name: Mina" }];
    expect(await textsOf(letta, "blocks.af", blocks)).toEqual(["bad: no list of an agent file"]);
    for (const name of ["rollout-2025-05-01-9d0c.json", "rollout-2026-05-01-9d0c.jsonl.zst"]) {
      expect(codex.reads?.(`sessions/${name}`)).toBe(true);
      expect(await itemsOf(codex, write(`shapes/${name}`, "{}"))).toEqual([
        { left: "rollouts in a form that is not read" },
      ]);
    }
  });
});
