import { AppError } from "./errors.ts";

/** A row's position in a list by time. The id orders rows of the same instant. */
export interface PagePosition {
  /**
   * Microseconds since 1970, as digits. Postgres keeps microseconds; a Date would skip or repeat
   * rows of one millisecond.
   */
  micros: string;
  /** A UUID. */
  id: string;
}

// 16 digits reach the year 2286, which Postgres accepts as a timestamp.
const POSITION = /^(\d{1,16}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
// 18 digits always fit a bigint.
const ID = /^[1-9]\d{0,17}$/;

/**
 * Returns the key that a cursor continues after; without a cursor `""`, which comes before every
 * key.
 *
 * @throws AppError `invalid_request`
 */
export function decodeCursor(cursor: string | undefined): string {
  if (cursor === undefined) return "";
  const key = Buffer.from(cursor, "base64url").toString("utf8");
  if (encodeCursor(key) !== cursor || key.includes("\u0000")) throw notOfAListing();
  return key;
}

/**
 * Returns the numeric id that a cursor continues after; undefined without a cursor.
 *
 * @throws AppError `invalid_request`
 */
export function decodeIdCursor(cursor: string | undefined): string | undefined {
  const id = decodeCursor(cursor);
  if (id === "") return undefined;
  if (!ID.test(id)) throw notOfAListing();
  return id;
}

/**
 * Returns the UUID that a cursor continues after; undefined without a cursor.
 *
 * @throws AppError `invalid_request`
 */
export function decodeUuidCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const id = decodeCursor(cursor);
  if (!UUID.test(id)) throw notOfAListing();
  return id;
}

/**
 * Returns the position that a cursor continues after; undefined without a cursor.
 *
 * @throws AppError `invalid_request`
 */
export function decodePositionCursor(cursor: string | undefined): PagePosition | undefined {
  if (cursor === undefined) return undefined;
  const [, micros, id] = POSITION.exec(decodeCursor(cursor)) ?? [];
  if (micros === undefined || id === undefined) throw notOfAListing();
  return { micros, id };
}

/** Returns the key of a row in a list by time, for `pageOf`. */
export function positionKey({ micros, id }: PagePosition): string {
  return `${micros} ${id}`;
}

/**
 * Cuts a list that was read with one row more than requested, and makes the cursor of the next
 * page: the key of the page's last row, encoded so that clients do not take it for an offset.
 */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => string,
): { page: T[]; next: { nextCursor?: string } } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last ? { nextCursor: encodeCursor(keyOf(last)) } : {} };
}

/** Returns a key as a cursor. */
export function encodeCursor(key: string): string {
  return Buffer.from(key, "utf8").toString("base64url");
}

/** Returns the error for a cursor that no listing made. */
export function notOfAListing(): AppError {
  return new AppError("invalid_request", "The cursor is not from a listing; start again without it.");
}
