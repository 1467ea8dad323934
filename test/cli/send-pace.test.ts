import { describe, expect, test } from "vitest";
import { cutBatches } from "../../src/cli/folder/send-changes.ts";
import { createSendPace } from "../../src/cli/folder/send-pace.ts";
import type { Unit } from "../../src/cli/folder/sending.ts";

const MOST = 1_000_000;

/** Returns the sizes of the requests that carry files of 8 kB to a server that takes some time per byte. */
function requestsTo(msPerKilobyte: (request: number) => number, files = 400): number[] {
  const pace = createSendPace(MOST);
  const file = { path: "a", absolute: "", hash: "", size: 8000, mtime: new Date(0) };
  const units = Array.from({ length: files }, (): Unit => ({ file }));
  const sizes: number[] = [];
  for (const batch of cutBatches(units, pace.bytes)) {
    sizes.push(batch.length);
    pace.took(batch.length * 8000, batch.length * 8 * msPerKilobyte(sizes.length));
  }
  return sizes;
}

describe("the size of a request", () => {
  test("grows to the largest on a server that stores quickly", () => {
    expect(requestsTo(() => 0.1).slice(0, 4)).toEqual([16, 32, 64, 64]);
  });

  test("shrinks to what a slow server stores in four seconds", () => {
    const sizes = requestsTo((request) => (request < 3 ? 1 : 20));
    expect(sizes.slice(0, 6)).toEqual([16, 32, 64, 25, 25, 25]);
  });

  test("never falls below 128 kB, and recovers when the server does", () => {
    const sizes = requestsTo((request) => (request < 10 ? 5000 : 1));
    expect(sizes.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 16));
    expect(sizes.slice(10, 12)).toEqual([32, 64]);
  });
});
