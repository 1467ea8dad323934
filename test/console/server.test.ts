import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const POLICY =
  /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; /;
let app: TestApp;
let off: TestApp;

beforeAll(async () => {
  app = await startTestApp({ embedder: undefined });
  off = await startTestApp({ embedder: undefined, on: app, worker: false, env: { RECOLLECT_CONSOLE: "false" } });
});

afterAll(async () => {
  await off?.drop();
  await app?.drop();
});

const ask = (path: string, init: RequestInit = {}, of: TestApp = app) =>
  of.runtime.app.request(`http://recollect.test${path}`, init);

async function asset(extension: string): Promise<string> {
  const page = await (await ask("/console/")).text();
  const [, path] = new RegExp(`"\\./(assets/[^"]+\\.${extension})"`).exec(page) ?? [];
  if (path === undefined) throw new Error(`The page names no .${extension}: ${page}`);
  return path;
}

describe("the console's files", () => {
  test("the page is served with its headers, has no inline script or style, and is asked for anew each time", async () => {
    const answer = await ask("/console/");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toMatch(POLICY);
    expect(answer.headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    const page = await answer.text();
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    // Addresses are relative, so that a proxy's prefix is kept, and never name another origin.
    expect([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path?.slice(0, 2))).toEqual(
      expect.arrayContaining(["./"]),
    );
    expect(page).not.toMatch(/(?:src|href)="(?!\.\/)/);
  });

  test.each(["js", "css"])("a .%s has its contents in its name and may be kept for ever", async (extension) => {
    const answer = await ask(`/console/${await asset(extension)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(answer.headers.get("content-type")).toMatch(extension === "js" ? /^text\/javascript/ : /^text\/css/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("what a browser loads is under 300 kB in all, compressed, and of React the production build", async () => {
    const sizes = await Promise.all(
      ["js", "css"].map(async (extension) => {
        const text = await (await ask(`/console/${await asset(extension)}`)).text();
        expect(text).not.toContain("react-dom-client.development");
        return gzipSync(text).length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000);
  });

  test.each([
    ["br, gzip", "br"],
    ["gzip, deflate", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["identity", null],
    ["zstd", null],
  ])("a browser that accepts %s gets a text as %s, and the same text", async (accepted, coding) => {
    const path = `/console/${await asset("js")}`;
    const plain = await (await ask(path)).text();
    const answer = await ask(path, { headers: { "accept-encoding": accepted } });
    expect(answer.headers.get("content-encoding")).toBe(coding);
    expect(answer.headers.get("vary")).toBe("accept-encoding");
    expect(answer.headers.get("content-type")).toMatch(/^text\/javascript/);
    const body = Buffer.from(await answer.arrayBuffer());
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[coding ?? ""];
    expect((unpack ? unpack(body) : body).toString()).toBe(plain);
  });

  test("a compressed copy has no address of its own", async () => {
    expect((await ask("/console/index.html.gz")).status).toBe(404);
    expect((await ask(`/console/${await asset("js")}.br`)).status).toBe(404);
  });

  test("HEAD has the headers of GET and no body", async () => {
    const answer = await ask("/console/", { method: "HEAD" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-security-policy")).toMatch(POLICY);
    expect(await answer.text()).toBe("");
  });

  test.each([
    ["/console/../package.json", "outside"],
    ["/console/%2e%2e/package.json", "outside, encoded"],
    ["/console/..%2f..%2fpackage.json", "outside, with an encoded slash"],
    ["/console/..%5c..%5cpackage.json", "outside, with a backslash"],
    ["/console//etc/passwd", "an absolute path"],
    ["/console/assets/", "a folder"],
    ["/console/index.html%00.js", "a null byte"],
    ["/console/__proto__", "a name of every object"],
  ])("%s is not found: %s", async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toMatch(/"devDependencies"|root:/);
  });

  test("other methods are refused", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) expect((await ask("/console/", { method })).status).toBe(405);
  });
});

describe("where people are led", () => {
  test("`/` leads a browser to the console, relative to any prefix, and gives programs an index", async () => {
    const people = await ask("/", { headers: { accept: "text/html,application/xhtml+xml" } });
    expect([people.status, people.headers.get("location")]).toEqual([302, "console/"]);
    const programs = await ask("/", { headers: { accept: "application/json" } });
    expect(programs.status).toBe(200);
    expect(await programs.json()).toMatchObject({
      name: "recollect",
      openapi: "openapi.json",
      reference: "reference",
      console: "console/",
    });
  });

  test("`/console` leads to the folder", async () => {
    const answer = await ask("/console");
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "console/"]);
  });

  test("with RECOLLECT_CONSOLE=false nothing is served, and `/` is the index for everybody", async () => {
    expect((await ask("/console/", {}, off)).status).toBe(404);
    const answer = await ask("/", { headers: { accept: "text/html" } }, off);
    expect(answer.status).toBe(200);
    expect(await answer.json()).not.toHaveProperty("console");
  });
});
