import { expect } from "vitest";
import type { ErrorBody, TestApp } from "./test-app.ts";

/**
 * SQL over `n` from 1: pairs of equal times; all other times differ by less than a Date can tell.
 */
export const CLOSE_TIMES = "timestamptz '2026-01-01T00:00:00.123456Z' + (n / 2) * interval '1 microsecond'";

/**
 * Reads a list ordered by time and returns its ids. Expects the same ids from pages of two, of
 * three and from one page, so that pages end between equal times and between different ones. Also
 * expects that the list refuses texts that are not its own cursors.
 *
 * @param path the path with its query, at least `?`
 */
export async function idsOfPages(app: TestApp, path: string, name: string, key: string): Promise<string[]> {
  type Page = Record<string, { id: string }[]> & { nextCursor?: string };
  const [all = [], ...paged] = await Promise.all([1000, 2, 3].map(readAll));
  for (const ids of paged) expect(ids).toEqual(all);
  for (const text of ["", "x", "1767225600123456", "1 1", `99999999999999999 ${all[0]}`, `1767225600123456 ${all[0]}'`])
    for (const cursor of [text, Buffer.from(text).toString("base64url")]) {
      const { status, body } = await app.call<ErrorBody>("GET", `${path}&cursor=${cursor}`, undefined, key);
      expect([cursor, status, body.error?.code]).toEqual([cursor, 400, "invalid_request"]);
    }
  return all;

  async function readAll(limit: number): Promise<string[]> {
    const ids: string[] = [];
    let cursor = "";
    do {
      const { status, body } = await app.call<Page>("GET", `${path}&limit=${limit}${cursor}`, undefined, key);
      const rows = body[name] ?? [];
      expect([status, rows.length === limit || body.nextCursor === undefined]).toEqual([200, true]);
      ids.push(...rows.map((row) => row.id));
      cursor = body.nextCursor === undefined ? "" : `&cursor=${body.nextCursor}`;
      // A cursor that never advances would make this loop endless.
      expect(ids.length).toBeLessThan(100);
    } while (cursor !== "");
    return ids;
  }
}
