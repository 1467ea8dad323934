import { expect, test } from "vitest";
import { createLaneQueue, type Held, type QueuedLane } from "../../src/db/lane-queue.ts";

function queueOf(size: number, waitMs: number) {
  const lanes = Array.from({ length: size }, (): QueuedLane => ({ isTaken: false }));
  const queue = createLaneQueue(lanes, { waitMs, maxWaiting: 100 });
  let tenants = 0;
  // Each caller has a different tenant, so that no tenant's share matters.
  const take = (node?: string, isNested = false) =>
    queue.take({ tenant: `tenant ${++tenants}`, node, isNested, suits: () => true, first: 0 });
  return { queue, take };
}

test("callers of one node hold half of the lanes while another node is used, and get one when one of theirs is given back", async () => {
  const { queue, take } = queueOf(4, 60_000);
  (await take("b")).giveBack();
  const held = [await take("a"), await take("a")];
  let third: Held<QueuedLane> | undefined;
  const waiting = take("a").then((lane) => {
    third = lane;
  });
  const others = [await take("b"), await take()];
  expect([queue.waiting(), third]).toEqual([1, undefined]);
  held[0]?.giveBack();
  await waiting;
  expect(third).toBeDefined();
  for (const lane of [...others, ...held.slice(1), third]) lane?.giveBack();
});

test("a node that is used alone leaves one lane, and what waits in vain is told that the node is busy", async () => {
  const { take } = queueOf(3, 50);
  const held = [await take("a"), await take("a")];
  await expect(take("a")).rejects.toMatchObject({
    code: "database_busy",
    message: expect.stringContaining("the same server of the cluster"),
  });
  for (const lane of [await take("b"), ...held]) lane.giveBack();
});

test("a caller that holds a lane already does not wait for its node's share", async () => {
  const { take } = queueOf(3, 50);
  const held = [await take("a"), await take("a"), await take("a", true)];
  expect(held).toHaveLength(3);
});
