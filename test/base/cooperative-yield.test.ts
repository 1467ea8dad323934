import { expect, test } from "vitest";
import { nextTurn } from "../../src/base/cooperative-yield.ts";

test("one piece of work goes on in a turn of the event loop, some turns stay free after it, and owners take turns", async () => {
  const order: string[] = [];
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) setImmediate(count);
  };
  const turns: number[] = [];
  const work = async (owner: string, name: string) => {
    await nextTurn(owner);
    order.push(name);
    turns.push(turn);
  };
  setImmediate(count);
  await Promise.all([
    ...[1, 2, 3].map((n) => work("busy", `busy${n}`)),
    work("other", "other1"),
    work("third", "third1"),
    work("other", "other2"),
  ]);
  isOver = true;
  expect(order).toEqual(["busy1", "other1", "third1", "busy2", "other2", "busy3"]);
  const gaps = turns.slice(1).map((at, i) => at - (turns[i] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(1);
  // A task that comes when no other waits continues as well.
  await nextTurn("late");
});
