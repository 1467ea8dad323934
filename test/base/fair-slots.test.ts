import { expect, test } from "vitest";
import { createFairSlots, type FairSlots } from "../../src/base/fair-slots.ts";

/** Makes tasks that the test ends. `begun` has their names in the order in which they began. */
function tasks(slots: FairSlots) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (owner: string, name: string) =>
    slots.run(owner, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  /** Ends a task and lets the tasks that wait for it begin. */
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, add, end };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("an owner's first task is next, not behind all of another's", async () => {
  const { begun, add, end } = tasks(createFairSlots({ total: 1, each: 1 }));
  for (let i = 0; i < 50; i++) void add("many", `many ${i}`);
  void add("one", "one");
  void add("two", "two");
  await settle();
  for (let i = 0; i < 4; i++) await end(begun.at(-1) ?? "");
  expect(begun).toEqual(["many 0", "one", "two", "many 1", "many 2"]);
});

test("one owner never holds every slot, so that another's task begins at once", async () => {
  const { begun, add, end } = tasks(createFairSlots({ total: 3, each: 2 }));
  for (let i = 0; i < 5; i++) void add("many", `many ${i}`);
  await settle();
  expect(begun).toEqual(["many 0", "many 1"]);
  void add("one", "one");
  await settle();
  expect(begun).toEqual(["many 0", "many 1", "one"]);
  // The owner that holds fewer slots comes first, whatever the order of arrival.
  void add("two", "two");
  await end("many 0");
  expect(begun.slice(3)).toEqual(["two"]);
  await end("one");
  expect(begun.slice(4)).toEqual(["many 2"]);
});

test("a task that fails leaves its slot, and its failure is its caller's", async () => {
  const slots = createFairSlots({ total: 1, each: 1 });
  const failed = slots.run("a", () => Promise.reject(new Error("broken")));
  const next = slots.run("a", async () => "done");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
});
