import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { type ConsolePage, evaluate, openBrowser, openPage, openView } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

const FILES = 100_000;
const MESSAGES = 50_000;
/** A screen of rows and some on both sides. A full list would have thousands. */
const MOST_ROWS = 80;
const TREE = "Tree of files";

describe("long lists", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;
  /** The offsets of the requested pages. */
  const asked: number[] = [];
  /** The requested folders. */
  const folders: string[] = [];
  /** The open session. Requests of a page that is being left belong to another session. */
  let open = "long";

  beforeAll(async () => {
    app = await startConsoleApp();
    await app.put("a.md", "A note.");
    browser = await openBrowser();
    page = await openPage(browser, app.console);
    // Other tests cover the service's part: writing a hundred thousand files would take minutes.
    await page.route(/\/v1\/agents\/main\/files\?/, async (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [from, limit] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))];
      asked.push(from);
      const files = range(from, Math.min(FILES, from + limit)).map((number) => ({
        path: `notes/${String(number).padStart(6, "0")}.md`,
        hash: "0",
        size: 100,
        lines: 3,
        chunks: 1,
        mtime: "2026-05-18T08:00:00.000Z",
        origin: null,
      }));
      const next = from + limit < FILES ? { nextCursor: String(from + limit) } : {};
      const [prefix, delimiter] = [query.get("prefix"), query.get("delimiter")];
      folders.push(`${prefix} ${delimiter}`);
      await route.fulfill({
        json: prefix === "" ? { files: [], folders: ["notes/"] } : { files, folders: [], ...next },
      });
    });
    await page.route(/\/v1\/agents\/main\/sessions\/long/, async (route) => {
      const { pathname, searchParams: query } = new URL(route.request().url());
      const limit = Number(query.get("limit"));
      const before = query.has("before") ? Math.min(MESSAGES + 1, Number(query.get("before"))) : undefined;
      const after = before === undefined ? Number(query.get("after") ?? 0) : Math.max(0, before - 1 - limit);
      const key = pathname.slice(pathname.lastIndexOf("/") + 1);
      if (key === open) asked.push(after);
      const at = "2026-05-18T08:00:00.000Z";
      const last = before === undefined ? Math.min(MESSAGES, after + limit) : before - 1;
      const messages = range(after + 1, last + 1).map((number) => ({
        number,
        role: number % 2 ? "user" : "assistant",
        text: `Message ${number} hums.\n`.repeat((number % 5) + 1),
        at,
        startLine: number,
        endLine: number,
      }));
      const path = `sessions/${key}`;
      const session = { session: key, key, path, scope: {}, messages: MESSAGES, bytes: 1, lines: 1 };
      const next = last < MESSAGES ? { nextAfter: last } : {};
      const summary = { ...session, startedAt: at, lastMessageAt: at, unindexedMessages: 0 };
      await route.fulfill({ json: { session: summary, lastMessageId: null, messages, ...next } });
    });
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  /** Scrolls to the end of the loaded rows. */
  const toTheEnd = (label: string) =>
    evaluate(
      page,
      `{ const list = document.querySelector('[aria-label="${label}"]'); list.scrollTop = list.scrollHeight; }`,
    );
  const rowsOf = (label: string) =>
    evaluate<number>(page, `document.querySelectorAll('[aria-label="${label}"] :is(li, [role="treeitem"])').length`);

  test("of a folder of 100,000 files a screen stands in the page, and scrolling loads the rest page by page", async () => {
    asked.length = 0;
    folders.length = 0;
    await openView(page, "/agents/main/files");
    const folder = page.getByRole("treeitem", { name: "notes/" });
    await folder.waitFor();
    expect(folders).toEqual([" /"]);
    asked.length = 0;
    await folder.click();
    await page.getByText("000000.md").waitFor();
    // Distant pages are not requested.
    expect(asked).toEqual([0]);
    expect(await rowsOf(TREE)).toBeLessThan(MOST_ROWS);
    while (asked.length < FILES / 1000) {
      const before = asked.length;
      // Repeats the scrolling, because the rows of the page before may not be drawn yet.
      const scrolled = async () => {
        await toTheEnd(TREE);
        return asked.length;
      };
      await expect.poll(scrolled, { interval: 20 }).toBeGreaterThan(before);
      expect(await rowsOf(TREE)).toBeLessThan(MOST_ROWS);
    }
    await expect.poll(() => scrollHeight(TREE)).toBeGreaterThanOrEqual(FILES * 32);
    await toTheEnd(TREE);
    await page.getByText("099999.md").waitFor();
    expect(asked).toEqual(range(0, FILES / 1000).map((number) => number * 1000));
    expect(await rowsOf(TREE)).toBeLessThan(MOST_ROWS);
    expect(new Set(folders)).toEqual(new Set([" /", "notes/ /"]));
  });

  test("of a conversation of 50,000 messages a screen stands in the page, whatever their heights", async () => {
    asked.length = 0;
    await openView(page, "/agents/main/conversations?session=long&after=0");
    await page.getByText("Message 1 hums.").first().waitFor();
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(await rowsOf("Messages")).toBeLessThan(MOST_ROWS);
    for (let round = 0; round < 10; round++) {
      const before = asked.length;
      const scrolled = async () => {
        await toTheEnd("Messages");
        return asked.length;
      };
      await expect.poll(scrolled, { interval: 20 }).toBeGreaterThan(before);
      expect(await rowsOf("Messages")).toBeLessThan(MOST_ROWS);
    }
    // Each page is requested once, in order.
    expect(asked).toEqual(range(0, asked.length).map((number) => number * 100));
  });

  test("a conversation opens at its newest message, and goes back page by page without a jump", async () => {
    asked.length = 0;
    open = "longest";
    await openView(page, "/agents/main/conversations?session=longest");
    await page.getByText("Message 50000 hums.").first().waitFor();
    // An earlier page that is added while the list scrolls to its end would leave the list elsewhere.
    expect(asked).toEqual([49_900]);
    for (let round = 0; round < 5; round++) {
      const before = asked.length;
      const scrolled = async () => {
        await evaluate(page, `document.querySelector('[aria-label="Messages"]').scrollTop = 0`);
        return asked.length;
      };
      await expect.poll(scrolled, { interval: 20 }).toBeGreaterThan(before);
      expect(await rowsOf("Messages")).toBeLessThan(MOST_ROWS);
    }
    expect(asked).toEqual(range(0, asked.length).map((number) => 49_900 - number * 100));
  });

  test("an address leads into the middle of a conversation without the pages between", async () => {
    asked.length = 0;
    open = "longer";
    await openView(page, "/agents/main/sessions?session=longer&after=25000");
    await page.waitForURL(/conversations\?session=longer&after=25000/);
    await page.getByText("Message 25001 hums.").first().waitFor();
    expect(asked[0]).toBe(25_000);
    expect(asked.every((from) => Math.abs(from - 25_000) <= 300)).toBe(true);
    expect(page.problems).toEqual([]);
  });

  const scrollHeight = (label: string) =>
    evaluate<number>(page, `document.querySelector('[aria-label="${label}"]').scrollHeight`);
});

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}
