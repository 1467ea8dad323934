import { AppError } from "./errors.ts";

/** A row's position in a list by time. The id orders rows of the same instant. */
export interface PagePosition {
  /** Microseconds since 1970, as digits. Postgres keeps microseconds; a Date would skip or repeat rows of one millisecond. */
  micros: string;
  /** A UUID. */
  id: string;
}

// 16 digits reach the year 2286, which Postgres accepts as a timestamp.
const POSITION = /^(\d{1,16}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads a cursor that `pageOf` made; undefined without one. @throws AppError `invalid_request` */
export function parsePageCursor(cursor: string | undefined): PagePosition | undefined {
  if (cursor === undefined) return undefined;
  const [, micros, id] = POSITION.exec(Buffer.from(cursor, "base64url").toString("utf8")) ?? [];
  if (micros === undefined || id === undefined || encode({ micros, id }) !== cursor)
    throw new AppError("invalid_request", "The cursor is not from a listing; start again without it.");
  return { micros, id };
}

/** Cuts a list that was read with one row more than requested, and makes the cursor of the next page. */
export function pageOf<T extends PagePosition>(
  rows: readonly T[],
  limit: number,
): { page: T[]; next: { nextCursor?: string } } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next: rows.length > limit && last ? { nextCursor: encode(last) } : {} };
}

function encode({ micros, id }: PagePosition): string {
  return Buffer.from(`${micros} ${id}`, "utf8").toString("base64url");
}
