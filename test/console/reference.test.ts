import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import { type ConsolePage, openBrowser, openPage } from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";
import { type PrefixProxy, startPrefixProxy } from "../support/prefix-proxy.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const PREFIX = "/memory";
const KEY = `rcl_${"ab".repeat(6)}_${"0f".repeat(24)}`;

describe("the reference's files", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ embedder: undefined, worker: false });
  });
  afterAll(() => app.drop());
  const ask = (path: string, headers: Record<string, string> = {}) => app.runtime.app.request(path, { headers });

  test("the page is of this origin alone, with relative addresses and no script or style of its own", async () => {
    const answer = await ask("/reference");
    const page = await answer.text();
    expect(answer.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/);
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? "");
    expect(
      addresses.filter((address) => !/^(reference\/[\w.-]+\?[0-9a-f]{16}|data:,|openapi\.json)$/.test(address)),
    ).toEqual([]);
    for (const address of addresses.filter((one) => one.startsWith("reference/")))
      expect((await ask(`/${address}`)).status, address).toBe(200);
  });

  test("the viewer's files are sent as they are packed, or unpacked to whoever cannot", async () => {
    const packed = await ask("/reference/swagger-ui-bundle.js", { "accept-encoding": "gzip, deflate" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(packed.headers.get("cache-control")).toContain("immutable");
    const plain = await ask("/reference/swagger-ui-bundle.js");
    expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([null, "accept-encoding"]);
    expect(await plain.text()).toContain("SwaggerUIBundle");
    expect((await packed.arrayBuffer()).byteLength).toBeLessThan(500_000);
  });

  test("nothing else is there, and a slash behind it leads to it", async () => {
    for (const path of ["/reference/LICENSE", "/reference/..%2fpackage.json", "/reference/x.js"])
      expect((await ask(path)).status, path).toBe(404);
    const answer = await ask("/reference/");
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "../reference"]);
  });
});

describe("the reference in a browser, behind a path prefix", needsBrowser(), () => {
  let app: ConsoleApp;
  let proxy: PrefixProxy;
  let browser: Browser;
  let page: ConsolePage;
  beforeAll(async () => {
    app = await startConsoleApp({ keyless: false, env: { RECOLLECT_ADMIN_KEY: KEY } });
    proxy = await startPrefixProxy(PREFIX, app.console);
    browser = await openBrowser();
    page = await openPage(browser, proxy.url);
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    await app?.drop();
  });

  test("shows every operation and tries one with a key, without a breach of its policy or another origin", async () => {
    await page.goto("reference");
    await page.getByRole("heading", { name: /^Recollect/ }).waitFor();
    const operations = page.locator(".opblock-tag-section");
    expect(await operations.count()).toBeGreaterThan(8);
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.locator("#auth-bearer-value").fill(KEY);
    await page.getByRole("button", { name: "Apply credentials" }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await page.locator("#operations-tag-Agents").click();
    await page.locator("#operations-Agents-agentsList .opblock-summary-control").click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
    expect(await page.locator(".live-responses-table").textContent()).toContain('"agents"');
    expect(proxy.asked.filter((path) => !path.startsWith(`${PREFIX}/`))).toEqual([]);
    expect(proxy.asked.some((path) => path.startsWith(`${PREFIX}/v1/agents`))).toBe(true);
    expect([page.problems, page.strangers, page.refused]).toEqual([[], [], []]);
    // The key is not kept for the next user of the page.
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(KEY);
  });
});
