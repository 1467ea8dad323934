import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { createAskTogether } from "../../src/base/ask-together.ts";

describe("asking together", () => {
  /** Answers when it is told to. */
  function harness() {
    const together = createAskTogether<string, string>();
    const asked: string[] = [];
    const ends: PromiseWithResolvers<void>[] = [];
    const answer = async (questions: readonly string[]) => {
      const turn = questions.join();
      asked.push(turn);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
      return `answer to ${turn}`;
    };
    const add = (question: string, queue = "agent") => together(queue, question, answer);
    return { together, asked, ends, add };
  }

  test("the first is asked at once, those that come meanwhile together, after its answer", async () => {
    const { asked, ends, add } = harness();
    const first = add("a");
    expect(asked).toEqual(["a"]);
    const others = [add("b"), add("c")];
    const elsewhere = add("d", "another agent");
    expect(asked).toEqual(["a", "d"]);
    ends[0]?.resolve();
    expect(await first).toBe("answer to a");
    await expect.poll(() => asked).toEqual(["a", "d", "b,c"]);
    // It is on its way: what it may have read already is too old for whoever comes now.
    const late = add("e");
    ends[2]?.resolve();
    expect(await Promise.all(others)).toEqual(["answer to b,c", "answer to b,c"]);
    await expect.poll(() => asked).toEqual(["a", "d", "b,c", "e"]);
    ends[1]?.resolve();
    ends[3]?.resolve();
    expect(await Promise.all([elsewhere, late])).toEqual(["answer to d", "answer to e"]);
    void add("f");
    expect(asked.at(-1)).toBe("f");
  });

  test("a failure is for those who asked together; the next ask all the same", async () => {
    const { asked, ends, add } = harness();
    const first = add("a");
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
    const second = add("b");
    await expect.poll(() => asked).toEqual(["a", "b"]);
    ends[1]?.resolve();
    expect(await second).toBe("answer to b");
    // What hung is not the last any more.
    const third = add("c");
    ends[2]?.resolve();
    expect(await third).toBe("answer to c");
  });

  test("at most sixty-four go together, and a long list alone", async () => {
    const { asked, ends, add } = harness();
    const all = Array.from({ length: 66 }, (_, n) => add(String(n)));
    ends[0]?.resolve();
    await expect.poll(() => ends).toHaveLength(2);
    ends[1]?.resolve();
    await expect.poll(() => ends).toHaveLength(3);
    ends[2]?.resolve();
    await Promise.all(all);
    expect(asked.map((turn) => turn.split(",").length)).toEqual([1, 64, 1]);

    const lists = createAskTogether<readonly number[], number>();
    const count = async (questions: readonly (readonly number[])[]) => questions.flat().length;
    const listOf = (length: number) => Array.from({ length }, (_, n) => n);
    const answers = [1, 1, 201, 150, 50].map((length) => lists("agent", listOf(length), count));
    expect(await Promise.all(answers)).toEqual([1, 151, 201, 151, 50]);
  });

  test("a turn is part of the request of its first", async () => {
    const request = new AsyncLocalStorage<string>();
    const together = createAskTogether<string, string | undefined>();
    const ask = async () => request.getStore();
    const add = (name: string) => request.run(name, () => together("agent", name, ask));
    expect(await Promise.all([add("a"), add("b"), add("c")])).toEqual(["a", "b", "b"]);
  });
});
