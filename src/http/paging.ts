import { AppError } from "../base/errors.ts";

/** A cursor is the key of the last row of a page, encoded so that nobody takes it for an offset. */
export function encodeCursor(key: string): string {
  return Buffer.from(key, "utf8").toString("base64url");
}

/** The key in a cursor; `""`, before every key, when there is none. @throws AppError `invalid_request` */
export function decodeCursor(cursor: string | undefined): string {
  if (cursor === undefined) return "";
  const key = Buffer.from(cursor, "base64url").toString("utf8");
  if (encodeCursor(key) !== cursor || key.includes("\u0000"))
    throw new AppError("invalid_request", "The cursor is not from a listing; start again without it.");
  return key;
}

/** The id in a cursor; undefined when there is none. @throws AppError `invalid_request` */
export function decodeIdCursor(cursor: string | undefined): string | undefined {
  const id = decodeCursor(cursor);
  if (id === "") return undefined;
  // 18 digits fit a bigint, whatever they are.
  if (/^[1-9]\d{0,17}$/.test(id)) return id;
  throw new AppError("invalid_request", "The cursor is not from a listing; start again without it.");
}

/** Cuts a list that was read with one row more than asked for, and says where the next page begins. */
export function toPage<T>(rows: readonly T[], limit: number, keyOf: (row: T) => string) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last ? { nextCursor: encodeCursor(keyOf(last)) } : {} };
}
