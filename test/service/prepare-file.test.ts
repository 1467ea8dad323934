import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { type FilePreparer, startFilePreparer } from "../../src/service/files/prepare-file.ts";
import type { PrepareRequest } from "../../src/service/files/prepared-file.ts";
import type { TextWork } from "../../src/service/files/text-work.ts";
import { HOPELESS, IN_THREAD, STUCK } from "../support/stuck.worker.ts";

const STUCK_WORKER = fileURLToPath(new URL("../support/stuck.worker.ts", import.meta.url));
const NEVER_MS = 600_000;
const chunking = { tokens: 400, overlap: 80, headings: true };
const large = (text: string) => text + "and more words. ".repeat(600);

const started: FilePreparer[] = [];
let warnings = 0;
const start = (options: { threads?: number; deadlineMs?: number; worker?: string } = {}) => {
  const logger = { warn: () => warnings++ };
  const preparer = startFilePreparer({ threads: 1, deadlineMs: NEVER_MS, ...options, logger });
  started.push(preparer);
  return preparer;
};
afterEach(async () => {
  warnings = 0;
  for (const preparer of started.splice(0)) await preparer.close();
});

test("many small files at once leave the event loop turns, and each is whole", async () => {
  const preparer = start();
  // Text without spaces takes longest: these files take some 150 ms together.
  const text = (i: number) =>
    `第${i}章。${"設定項目の見直しを検討した結果、検索語彙の正規化が必要である。".repeat(80)}`;
  const files = Array.from({ length: 100 }, (_, i) => text(i));
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  const prepare = (content: string) => preparer.prepare("a", { content, tokens: 64, overlap: 0, headings: true });
  const prepared = await Promise.all(files.map(prepare));
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(3);
  expect(new Set(prepared.map(({ hash }) => hash)).size).toBe(100);
  expect(prepared.every(({ chunks }) => chunks.length > 1)).toBe(true);
});

test("a file is prepared in the same way here and in a thread", async () => {
  const preparer = start();
  const paragraph = "# Reeds\n\nThe heron stands at the pond and waits for frogs.\n\n";
  const [small, large] = await Promise.all(
    [100, 200].map((times) => preparer.prepare("a", { content: paragraph.repeat(times), ...chunking })),
  );
  expect(small?.size).toBeLessThan(8192);
  expect(large?.size).toBeGreaterThan(8192);
  expect(large?.chunks[0]).toEqual(small?.chunks[0]);
});

test("texts are compared in a thread, and the event loop has its turns meanwhile", async () => {
  const preparer = start();
  const before = "\n".repeat(300_000);
  let turns = 0;
  let timer = setTimeout(function count() {
    turns++;
    timer = setTimeout(count, 1);
  });
  const { diff, exact } = await preparer.compare("a", { path: "a.md", before, after: `${before}new` });
  clearTimeout(timer);
  expect([diff.slice(-33), exact]).toEqual(["+new\n\\ No newline at end of file\n", true]);
  expect(turns).toBeGreaterThan(5);
});

describe("what is prepared on the event loop", () => {
  const inThread = async (files: Promise<{ size: number }>[]) =>
    (await Promise.all(files)).filter(({ size }) => size === IN_THREAD).length;

  test("nothing that may hold a table", async () => {
    const preparer = start({ worker: STUCK_WORKER });
    expect(await inThread([preparer.prepare("a", { content: "a note", ...chunking })])).toBe(0);
    expect(await inThread([preparer.prepare("a", { content: "|a|\n|-|\n|b|", ...chunking })])).toBe(1);
  });

  test("of hundreds of small files of one tenant a few, and another tenant's all the same", async () => {
    const preparer = start({ worker: STUCK_WORKER });
    const content = "a note. ".repeat(1000);
    const many = Array.from({ length: 400 }, () => preparer.prepare("many", { content, ...chunking }));
    const one = preparer.prepare("one", { content, ...chunking });
    expect(await inThread([one])).toBe(0);
    expect(await inThread(many)).toBeGreaterThanOrEqual(360);
  });
});

/** The work of a feature, whose thread never finishes a hopeless text. */
const STUCK_WORK: TextWork<PrepareRequest, unknown> = {
  worker: STUCK_WORKER,
  run: () => "on the event loop",
  textsOf: ({ content }) => [content],
  warmUp: (pause) => pause(),
  instead: () => "instead",
};

test("the work of a feature is done in a thread until it is warm here, and then only for large texts", async () => {
  const preparer = start();
  const work = (content: string) => preparer.run("a", STUCK_WORK, { content, ...chunking });
  const inThread = { size: IN_THREAD };
  expect(await work("a note")).toMatchObject(inThread);
  expect(await work("a note")).toBe("on the event loop");
  expect(await work(large(""))).toMatchObject(inThread);
});

describe("a text that a thread does not come to the end of", () => {
  test("is cut as plain text, and the thread is replaced", async () => {
    const preparer = start({ worker: STUCK_WORKER, deadlineMs: 10_000 });
    const content = large(STUCK);
    const { chunks } = await preparer.prepare("a", { content: `${content}\n\n# A heading\n\nThe end.`, ...chunking });
    expect(chunks.at(-1)?.text).toContain("# A heading");
    expect(chunks.at(-1)?.heading).toBe("");
    expect(warnings).toBe(1);
    expect((await preparer.prepare("a", { content: large(""), ...chunking })).size).toBe(IN_THREAD);
  });

  test("is refused with a remedy if that takes as long", async () => {
    const preparer = start({ worker: STUCK_WORKER, deadlineMs: 1000 });
    await expect(preparer.prepare("a", { content: large(HOPELESS), ...chunking })).rejects.toMatchObject({
      code: "payload_too_large",
    });
  });

  test("fails the indexing of a window, and gives the work of a feature the result for that case", async () => {
    const preparer = start({ worker: STUCK_WORKER, deadlineMs: 1000 });
    expect(await preparer.run("a", STUCK_WORK, { content: large(HOPELESS), ...chunking })).toBe("instead");
    const messages = [{ seq: 1, role: "user", name: null, text: large(STUCK), at: new Date(0) }] as never;
    await expect(
      preparer.prepareWindows("a", { messages, from: 0, to: 1, tokens: 400, overlap: 80 }),
    ).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("holds up no other tenant, however many of them there are", async () => {
    const preparer = start({ threads: 2, worker: STUCK_WORKER });
    let ended = 0;
    for (let i = 0; i < 20; i++) {
      const stuck = preparer.prepare("attacker", { content: large(`${STUCK}${i} `), ...chunking });
      stuck.catch(() => undefined).finally(() => ended++);
    }
    for (let i = 0; i < 5; i++) {
      const { size } = await preparer.prepare("victim", { content: large(`File ${i} `), ...chunking });
      expect(size).toBe(IN_THREAD);
    }
    expect(ended).toBe(0);
  });
});
