import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FilePage } from "../../src/client/client.ts";
import { countStatements } from "../support/count-statements.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../support/test-app.ts";

/**
 * Names around the slash in byte order (`-` `.` `/` `0`), a folder with a file's name, and names
 * beyond ASCII.
 */
const PATHS = [
  ...["notes", "notes-old.md", "notes.md", "notes/a.md", "notes/b/c.md", "notes/b/d/e.md", "notes/z.md", "notes0.md"],
  ...["größe/ä.md", "größe/ü/x.md", "top.md", "日本/一.md", "😀/smile.md", "100%_real/a.md"],
];

describe("a folder of files", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ embedder: undefined });
    const put = PATHS.map((path) => ({ path, content: `# ${path}` }));
    await app.call("POST", "/v1/agents/main/files", { put });
  });
  afterAll(() => app.drop());

  const list = async (prefix: string, more = "") =>
    (
      await app.call<FilePage>(
        "GET",
        `/v1/agents/main/files?delimiter=/&prefix=${encodeURIComponent(prefix)}${more && `&${more}`}`,
      )
    ).body;
  /** Returns the entries directly behind a prefix. */
  const expected = (prefix: string) => {
    const below = PATHS.filter((path) => path.startsWith(prefix));
    const folders = below
      .map((path) => prefix + path.slice(prefix.length).split("/")[0])
      .filter((path, at) => below[at] !== path)
      .map((path) => `${path}/`);
    return {
      files: below.filter((path) => !path.slice(prefix.length).includes("/")).sort(byBytes),
      folders: [...new Set(folders)].sort(byBytes),
    };
  };

  test.each(["", "notes", "notes/", "notes/b/", "n", "größe/", "😀/", "100%_", "absent/"])(
    "%j has its files and its folders",
    async (prefix) => {
      const { files, folders, nextCursor } = await list(prefix);
      expect({ files: files.map(({ path }) => path), folders }).toEqual(expected(prefix));
      expect(nextCursor).toBeUndefined();
      for (const file of files) expect(file).toMatchObject({ chunks: 1, lines: 1, origin: null });
    },
  );

  test.each([1, 2, 3])("pages of %i have each entry once, in path order", async (limit) => {
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { files, folders = [], nextCursor } = await list("", `limit=${limit}${cursor && `&cursor=${cursor}`}`);
      const entries = [...files.map(({ path }) => path), ...folders].sort(byBytes);
      expect(entries.length).toBeLessThanOrEqual(limit);
      seen.push(...entries);
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    const { files, folders } = expected("");
    expect(seen).toEqual([...files, ...folders].sort(byBytes));
  });

  test("costs one statement, and a list without a delimiter is as before", async () => {
    expect(await countStatements(app, /\.files\b/, () => list("notes/"))).toBe(1);
    const { body } = await app.call<FilePage>("GET", "/v1/agents/main/files?prefix=notes/");
    expect(body.files.map(({ path }) => path)).toEqual(PATHS.filter((path) => path.startsWith("notes/")));
    expect(body.folders).toBeUndefined();
  });

  test("of nothing is empty; what goes with no delimiter is refused", async () => {
    const agent = await app.call("POST", "/v1/agents", { id: "empty" });
    expect(agent.status).toBe(201);
    expect((await app.call("GET", "/v1/agents/empty/files?delimiter=/")).body).toEqual({ files: [], folders: [] });
    for (const query of ["delimiter=x", "delimiter=/&origin=mine", "delimiter=/&cursor=!"]) {
      const { status, body } = await app.call<ErrorBody>("GET", `/v1/agents/main/files?${query}`);
      expect([query, status, body.error.code]).toEqual([query, 400, "invalid_request"]);
    }
  });
});

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
