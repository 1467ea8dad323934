import { sql as raw, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { PagePosition } from "../../base/page-cursor.ts";

/**
 * Returns the SQL of a row's `micros`, the time in its cursor in a list that is ordered by `at`.
 */
export function microsOf(at: AnyPgColumn): SQL<string> {
  return raw<string>`(extract(epoch FROM ${at}) * 1000000)::bigint::text`;
}

/** Returns a cursor as SQL, to compare with a pair of time and id. */
export function placeRow({ micros, id }: PagePosition): SQL {
  return raw`(timestamptz 'epoch' + ${micros}::float8 * interval '1 microsecond', ${id}::uuid)`;
}
