import { createYielder } from "../../src/base/cooperative-yield.ts";
import { collectSegment, storeSegment } from "../../src/db/agent/segments/pack-segments.ts";
import type { SqlExecutor } from "../../src/db/database.ts";

type Packing = Parameters<typeof storeSegment>;

/** Makes a segment in one transaction. */
export async function pack(sql: SqlExecutor, index: Packing[1], plan: Packing[2]): Promise<void> {
  await storeSegment(sql, index, plan, await collectSegment((read) => read(sql), index, plan, createYielder()));
}
