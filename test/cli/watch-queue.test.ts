import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWatchQueue } from "../../src/cli/folder/watch-queue.ts";
import { EVERYTHING, scopeOf } from "../../src/cli/folder/watch-scope.ts";

const QUIET_MS = 100;

function queueAt(start = 0) {
  let now = start;
  const queue = createWatchQueue(
    () => QUIET_MS,
    () => now,
  );
  return { queue, now: () => now, pass: (ms: number) => (now += ms) };
}

describe("what is taken, and when", () => {
  test("a path that has rested; a path that goes on changing does not hold it up, and is taken at ten times the quiet", () => {
    const { queue, now, pass } = queueAt();
    queue.mark("log.md");
    queue.mark("note.md");
    const taken = new Map<string, number>();
    while (now() < 2000) {
      pass(20);
      queue.mark("log.md");
      for (const path of queue.take()) if (!taken.has(path)) taken.set(path, now());
    }
    expect(taken).toEqual(
      new Map([
        ["note.md", 100],
        ["log.md", 1000],
      ]),
    );
  });

  test("nothing while further paths come up, so that a rename and a checkout stay together", () => {
    const { queue, pass } = queueAt();
    for (let i = 0; i < 9; i++) {
      queue.mark(`${i}.md`);
      pass(QUIET_MS - 1);
      expect(queue.take().size).toBe(0);
    }
    pass(1);
    expect(queue.take().size).toBe(9);
    expect(queue.dueAt()).toBeUndefined();
  });

  test("more than 5,000 paths become everything, which waits no longer than the first of them", () => {
    const { queue, pass } = queueAt();
    queue.mark("first.md");
    pass(50);
    for (let i = 0; i < 20_000; i++) queue.mark(`${i}.md`);
    expect(queue.has("whatever.md")).toBe(true);
    expect(queue.dueAt()).toBe(150);
    for (let i = 0; i < 30 && queue.dueAt() !== 1000; i++) {
      pass(40);
      queue.mark("more.md");
    }
    pass(1000);
    expect([...queue.take()]).toEqual([""]);
  });

  test("a path is in the queue with all that is in it", () => {
    const { queue } = queueAt();
    queue.mark("a/b");
    expect(["a/b", "a/b/c.md"].map(queue.has)).toEqual([true, true]);
    expect(["a", "a/bc"].map(queue.has)).toEqual([false, false]);
  });

  test("it is due when something can be taken, and not before", () => {
    const steps = fc.array(fc.tuple(fc.constantFrom("a", "b", "c/d", ""), fc.nat(150)), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (list) => {
        const { queue, now, pass } = queueAt(5);
        for (const [path, ms] of list) {
          queue.mark(path);
          pass(ms);
          const isDue = (queue.dueAt() ?? Number.POSITIVE_INFINITY) <= now();
          expect(queue.take().size > 0).toBe(isDue);
        }
      }),
    );
  });
});

type Step =
  | { kind: "write"; path: string; content: number }
  | { kind: "unlink"; path: string }
  | { kind: "rename"; from: string; to: string }
  | { kind: "unlinkDir"; folder: string }
  | { kind: "storm" }
  | { kind: "pass"; ms: number };

const path = fc.constantFrom("a.md", "b.md", "x/a.md", "x/b.md", "x/y/c.md", "z/Ä.md");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), path, content: fc.nat(3) }),
  fc.record({ kind: fc.constant("unlink" as const), path }),
  fc.record({ kind: fc.constant("rename" as const), from: path, to: path }),
  fc.record({ kind: fc.constant("unlinkDir" as const), folder: fc.constantFrom("x", "x/y", "z") }),
  { arbitrary: fc.record({ kind: fc.constant("storm" as const) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(300) }), weight: 4 },
);

/** Changes the folder as a step says. @returns the paths that an event names */
function change(folder: Map<string, number>, step: Step): string[] {
  switch (step.kind) {
    case "write":
      folder.set(step.path, step.content);
      return [step.path];
    case "unlink":
      folder.delete(step.path);
      return [step.path];
    case "rename": {
      const content = folder.get(step.from);
      if (content === undefined) return [];
      folder.delete(step.from);
      folder.set(step.to, content);
      return [step.from, step.to];
    }
    case "unlinkDir":
      // One event for the folder and none for its files: a watcher may report no more.
      for (const inside of [...folder.keys()]) if (inside.startsWith(`${step.folder}/`)) folder.delete(inside);
      return [step.folder];
    case "storm":
      return Array.from({ length: 5001 }, (_, i) => `other/${i}.md`);
    case "pass":
      return [];
  }
}

test("whatever comes, changes and goes in whatever order, the memory ends as the folder", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const { queue, pass } = queueAt();
      const folder = new Map<string, number>();
      const memory = new Map<string, number>();
      const look = () => {
        const taken = queue.take();
        const { covers } = taken.has("") ? EVERYTHING : scopeOf(taken);
        for (const path of [...memory.keys()]) if (covers(path)) memory.delete(path);
        for (const [path, content] of folder) if (covers(path)) memory.set(path, content);
      };
      for (const step of steps) {
        for (const path of change(folder, step)) queue.mark(path);
        if (step.kind === "pass") pass(step.ms);
        look();
      }
      pass(QUIET_MS);
      look();
      expect([...memory].sort()).toEqual([...folder].sort());
      expect(queue.dueAt()).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});
