import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { createCoalescer } from "../../src/base/coalesce-requests.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("asking together", () => {
  /** Makes a coalescer whose answers the test releases. */
  function harness() {
    const together = createCoalescer<string, string>();
    const asked: string[] = [];
    const ends: PromiseWithResolvers<void>[] = [];
    const answer = async (questions: readonly string[]) => {
      const all = questions.join();
      asked.push(all);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
      return `answer to ${all}`;
    };
    const add = (question: string, queue = "agent") => together(queue, question, answer);
    return { together, asked, ends, add };
  }

  test("what comes in one turn of the event loop is asked together, as are those that come meanwhile, after its answer", async () => {
    const { asked, ends, add } = harness();
    const first = add("a");
    await turn();
    expect(asked).toEqual(["a"]);
    const others = [add("b"), add("c")];
    const elsewhere = add("d", "another agent");
    await turn();
    expect(asked).toEqual(["a", "d"]);
    ends[0]?.resolve();
    expect(await first).toBe("answer to a");
    await expect.poll(() => asked).toEqual(["a", "d", "b,c"]);
    // This request is already under way. Its data may be too old for a caller that comes now.
    const late = add("e");
    ends[2]?.resolve();
    expect(await Promise.all(others)).toEqual(["answer to b,c", "answer to b,c"]);
    await expect.poll(() => asked).toEqual(["a", "d", "b,c", "e"]);
    ends[1]?.resolve();
    ends[3]?.resolve();
    expect(await Promise.all([elsewhere, late])).toEqual(["answer to d", "answer to e"]);
    void add("f");
    void add("g");
    await turn();
    expect(asked.at(-1)).toBe("f,g");
  });

  test("a failure is for those who asked together; the next ask all the same", async () => {
    const { asked, ends, add } = harness();
    const first = add("a");
    await turn();
    const second = add("b");
    ends[0]?.reject(new Error("lost"));
    await expect(first).rejects.toThrow("lost");
    await expect.poll(() => asked).toEqual(["a", "b"]);
    ends[1]?.resolve();
    expect(await second).toBe("answer to b");
  });

  test("one that hangs does not hold up the others for good", async () => {
    const { asked, ends, add } = harness();
    void add("a");
    await turn();
    const second = add("b");
    await expect.poll(() => asked).toEqual(["a", "b"]);
    ends[1]?.resolve();
    expect(await second).toBe("answer to b");
    // The hanging request no longer holds up the next one.
    const third = add("c");
    await expect.poll(() => asked).toEqual(["a", "b", "c"]);
    ends[2]?.resolve();
    expect(await third).toBe("answer to c");
  });

  test("at most sixty-four go together, and a long list alone", async () => {
    const { asked, ends, add } = harness();
    const all = Array.from({ length: 66 }, (_, n) => add(String(n)));
    await turn();
    ends[0]?.resolve();
    await expect.poll(() => ends).toHaveLength(2);
    ends[1]?.resolve();
    await Promise.all(all);
    expect(asked.map((one) => one.split(",").length)).toEqual([64, 2]);

    const lists = createCoalescer<readonly number[], number>();
    const count = async (questions: readonly (readonly number[])[]) => questions.flat().length;
    const listOf = (length: number) => Array.from({ length }, (_, n) => n);
    const answers = [1, 1, 201, 150, 50].map((length) => lists("agent", listOf(length), count));
    expect(await Promise.all(answers)).toEqual([152, 152, 201, 152, 50]);
  });

  test("a turn is part of the request of its first", async () => {
    const request = new AsyncLocalStorage<string>();
    const together = createCoalescer<string, string | undefined>();
    const ask = async () => request.getStore();
    const add = (name: string) => request.run(name, () => together("agent", name, ask));
    expect(await Promise.all([add("a"), add("b"), add("c")])).toEqual(["a", "a", "a"]);
  });
});
