import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test, vi } from "vitest";
import {
  type CommitEntry,
  createGroupCommits,
  createTurns,
  type GroupCommitOptions,
} from "../../src/service/core/group-commit.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("committing together", () => {
  /** Makes a queue whose commits end when the test says so. Each item commits its own name. */
  function harness(options: GroupCommitOptions = {}) {
    const queues = createGroupCommits<string, string>((error) => (error as Error).message.startsWith("lost"), options);
    const groups: string[][] = [];
    const ends: (() => void)[] = [];
    let [running, most] = [0, 0];
    let isLost = false;
    let isBad = (_works: readonly string[]) => false;
    const commit = async (works: readonly string[]) => {
      groups.push([...works]);
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      if (isLost) throw new Error(`lost ${works.join()}`);
      if (isBad(works)) throw new Error(`bad ${works.join()}`);
      return works.map((work) => `${work} is written`);
    };
    const add = (work: string, more: Partial<CommitEntry<string, string>> = {}, queue = "agent") =>
      queues.add(queue, { item: work, kind: "", names: [work], bytes: 1, chunks: 1, commit, ...more });
    /** Ends the commits under way and those that follow, until none is left. */
    const finish = async () => {
      await turn();
      while (ends.length > 0) {
        for (const end of ends.splice(0)) end();
        await turn();
      }
    };
    return {
      groups,
      add,
      finish,
      /** Returns the most commits that were under way at once. */
      most: () => most,
      refuse: (bad: typeof isBad) => {
        isBad = bad;
      },
      lose: () => {
        isLost = true;
      },
    };
  }

  test("what comes in one turn of the event loop goes together, as do those that come meanwhile, each with its own answer", async () => {
    const { groups, add, finish } = harness();
    const first = add("a");
    await turn();
    expect(groups).toEqual([["a"]]);
    const answers = [first, ...["b", "c", "d"].map((name) => add(name))];
    const other = add("e", {}, "another agent");
    await turn();
    expect(groups).toEqual([["a"], ["e"]]);
    await finish();
    expect(groups).toEqual([["a"], ["e"], ["b", "c", "d"]]);
    expect(await Promise.all([...answers, other])).toEqual(
      ["a", "b", "c", "d", "e"].map((name) => `${name} is written`),
    );
    const later = [add("a"), add("b")];
    await finish();
    expect(await Promise.all(later)).toEqual(["a is written", "b is written"]);
    expect(groups.at(-1)).toEqual(["a", "b"]);
  });

  test("what writes the same comes one after the other, as it arrived, and nothing larger than a transaction should be goes together", async () => {
    const { groups, add, finish } = harness();
    const names = (...written: string[]) => ({ names: written });
    const begun = add("begin");
    await turn();
    const all = [
      begun,
      add("x1", names("x")),
      add("xy", names("x", "y")),
      add("y1", names("y")),
      add("z1", names("z")),
      add("other kind", { kind: "k", names: ["w"] }),
      add("w1", names("w")),
      add("large", { bytes: 999_998 }),
      add("many", { chunks: 999 }),
      add("more", { names: Array.from({ length: 64 }, (_, i) => `more ${i}`) }),
    ];
    await finish();
    await Promise.all(all);
    expect(groups).toEqual([
      ["begin"],
      ["x1", "z1", "large"],
      ["xy", "many"],
      ["y1"],
      ["other kind"],
      ["w1"],
      ["more"],
    ]);
  });

  test("of those that fail together only the ones at fault fail, and the queue goes on", async () => {
    const { add, finish, refuse } = harness();
    refuse((works) => works.includes("bad"));
    const answers = Promise.allSettled(["a", "bad", "b"].map((name) => add(name)));
    const later = add("bad", { names: ["another"] });
    const failed = expect(later).rejects.toThrow("bad bad");
    await finish();
    expect((await answers).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    await failed;
    const next = add("c");
    await finish();
    expect(await next).toBe("c is written");
  });

  test("when the database is lost nobody is tried again, as what became of it is not known", async () => {
    const { groups, add, finish, lose } = harness();
    const first = add("a");
    await turn();
    const answers = Promise.allSettled([first, ...["b", "c"].map((name) => add(name))]);
    lose();
    await finish();
    expect((await answers).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(groups).toEqual([["a"], ["b", "c"]]);
  });

  test("a commit that never ends is given up, and later ones go on", async () => {
    const queues = createGroupCommits<string, string>(() => false, { limitMs: 50 });
    const commit = (works: readonly string[]) =>
      works.includes("stuck") ? new Promise<never>(() => undefined) : Promise.resolve(works.map(String));
    const add = (name: string) =>
      queues.add("agent", {
        item: name,
        kind: "",
        names: [name],
        bytes: 1,
        chunks: 1,
        commit,
      });
    const [first, second] = [add("a"), add("stuck")];
    const later = turn().then(() => add("b"));
    const unknown = { code: "outcome_unknown" };
    // Both entries were in one commit, whose outcome is unknown.
    await expect(first).rejects.toMatchObject(unknown);
    await expect(second).rejects.toMatchObject(unknown);
    expect(await later).toBe("b");
    await expect(add("stuck")).rejects.toMatchObject(unknown);
    expect(await add("c")).toBe("c");
  });

  test("one that is too large for a group holds nobody up", async () => {
    const { groups, add, finish } = harness();
    const large = add("large", { bytes: 1_000_001 });
    const small = add("small");
    await turn();
    expect(groups).toEqual([["large"], ["small"]]);
    await finish();
    expect(await Promise.all([large, small])).toEqual(["large is written", "small is written"]);
  });

  test("what is committed together runs for one of those that asked, never for one that has its answer", async () => {
    const requests = new AsyncLocalStorage<string>();
    const { add, finish } = harness();
    const ranFor: unknown[] = [];
    const commit = async (works: readonly string[]) => {
      ranFor.push(requests.getStore());
      return works.map(String);
    };
    const of = (request: string, more = {}) => requests.run(request, () => add(request, more));
    const first = of("first");
    await turn();
    const others = ["second", "third"].map((name) => of(name, { commit }));
    await finish();
    await Promise.all([first, ...others]);
    expect(ranFor).toEqual(["second"]);
  });

  test("in turn, neither what is large nor what failed together is committed beside others", async () => {
    const { groups, add, finish, refuse, most } = harness({ inTurn: true });
    refuse((works) => works.includes("b") || works.length > 1);
    const large = ["l1", "l2"].map((name) => add(name, { bytes: 2_000_000 }));
    const answers = ["a", "b", "c"].map((name) => add(name));
    const settled = Promise.allSettled([...large, ...answers]);
    await turn();
    // The second large write waits for the first; the small ones do not.
    expect(groups).toEqual([["l1"], ["a", "b", "c"]]);
    await finish();
    expect(groups.filter(([name]) => !name?.startsWith("l"))).toEqual([["a", "b", "c"], ["a"], ["b"], ["c"]]);
    expect(groups).toContainEqual(["l2"]);
    expect(most()).toBe(2);
    expect((await settled).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });

  test("an entry whose turn does not come is refused and never committed, and the queue goes on", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { groups, add, finish } = harness({ maxWaitMs: 1000 });
      const first = add("a");
      await turn();
      const late = Promise.allSettled(["b", "c"].map((name) => add(name)));
      vi.advanceTimersByTime(1000);
      const busy = { status: "rejected", reason: expect.objectContaining({ code: "database_busy" }) };
      expect(await late).toEqual([busy, busy]);
      await finish();
      expect(await first).toBe("a is written");
      const later = add("d");
      await finish();
      expect(await later).toBe("d is written");
      expect(groups).toEqual([["a"], ["d"]]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("turns run one after the other, and one that fails does not hold up the next", async () => {
    const turns = createTurns();
    const begun: string[] = [];
    const gate = Promise.withResolvers<void>();
    const write = (name: string, wait?: Promise<void>) => async () => {
      begun.push(name);
      await wait;
      if (name === "bad") throw new Error("bad");
      return name;
    };
    const all = [turns("agent", write("a", gate.promise)), turns("agent", write("bad")), turns("agent", write("c"))];
    const settled = Promise.allSettled(all);
    expect(await turns("another", write("other"))).toBe("other");
    expect(begun.toSorted()).toEqual(["a", "other"]);
    gate.resolve();
    expect((await settled).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(begun.slice(-2)).toEqual(["bad", "c"]);
  });
});
