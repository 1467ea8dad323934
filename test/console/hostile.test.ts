import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleApp, startConsoleApp } from "../support/console-app.ts";
import {
  axeViolations,
  type ConsolePage,
  evaluate,
  openBrowser,
  openPage,
  openView,
} from "../support/console-browser.ts";
import { needsBrowser } from "../support/needs.ts";

const IMG = `<img src=x onerror="window.ran='image'">`;
const ATTACKS = `
<script>window.ran = "script"; alert(1)</script>
${IMG}
<svg onload="window.ran='svg'"><script>window.ran='svg script'</script></svg>
<iframe srcdoc="<script>parent.ran='frame'</script>"></iframe>
<object data="https://evil.test/o"></object><embed src="https://evil.test/e">
<form action="https://evil.test/form"><button>Send</button><input name="key" autofocus onfocus="window.ran='focus'"></form>
<link rel="stylesheet" href="https://evil.test/style.css"><style>@import "https://evil.test/s.css"; body { display: none }</style>
<meta http-equiv="refresh" content="0; url=https://evil.test/">
<base href="https://evil.test/">
<a href="javascript:window.ran='link'" id="bad">a link</a> <a href="&#106;avascript:alert(1)">another</a>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;"></table></mtext></math>
<details open ontoggle="window.ran='toggle'"><summary>x</summary></details>
<div style="position:fixed;inset:0;background:red" class="danger" id="root">over everything</div>

[markdown](javascript:alert(1)) [data](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) [vb](vbscript:x)
![remote](https://evil.test/pixel.png) <https://evil.test/auto> [fine](https://example.test/page)
`;
const ARABIC = "هذا نص من اليمين إلى اليسار عن المضخة.";
const TABLE = `| ${"column | ".repeat(60)}\n|${"---|".repeat(60)}\n${`| ${"value | ".repeat(60)}\n`.repeat(300)}`;
const SESSION = `<img src=x onerror="window.ran='session'">`;
const PATH = `<img src=x onerror="window.ran='path'">.md`;

describe("what a hostile memory does in the console", needsBrowser(), () => {
  let app: ConsoleApp;
  let browser: Browser;
  let page: ConsolePage;
  let fact = "";

  beforeAll(async () => {
    app = await startConsoleApp();
    const put = [
      { path: "hostile.md", content: `# Hostile\n${ATTACKS}` },
      { path: PATH, content: `pump ${ATTACKS}` },
      { path: "rtl.md", content: `# ${ARABIC}\n\n${ARABIC} \u202e txt.exe` },
      { path: "table.md", content: TABLE },
    ];
    await app.call("POST", "/v1/agents/main/files", { put });
    const messages = [
      { role: "user", text: `pump ${ATTACKS}`, name: IMG },
      { role: "assistant", text: ARABIC },
    ];
    await app.call("POST", `/v1/agents/main/sessions/${encodeURIComponent(SESSION)}/messages`, { messages });
    const facts = [{ text: `pump ${IMG}`, key: "k", tags: ["<script>alert(1)</script>"] }];
    const stored = await app.call<{ facts: { id: string }[] }>("POST", "/v1/agents/main/facts", { facts });
    fact = stored.body.facts[0]?.id ?? "";
    await app.key(["search"], { name: IMG });
    await app.call("POST", "/v1/agents", { id: "named", name: IMG });
    browser = await openBrowser();
    page = await openPage(browser, app.console);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.drop();
  });

  const harmless = async () => {
    expect(await evaluate(page, "String(window.ran)")).toBe("undefined");
    expect(
      await evaluate(
        page,
        `document.querySelectorAll(
      "#content :is(script, img, iframe, object, embed, form.markdown, .markdown form, .markdown input, .markdown style, .markdown svg, .markdown [style], .markdown [id], .markdown [class])").length`,
      ),
    ).toBe(0);
    expect(
      await evaluate(
        page,
        `[...document.querySelectorAll("#content a[href]")].filter(
        ({ protocol }) => !["http:", "https:", "mailto:"].includes(protocol)).map((a) => a.outerHTML)`,
      ),
    ).toEqual([]);
    expect(page.problems.splice(0)).toEqual([]);
    expect(page.strangers.splice(0)).toEqual([]);
  };

  test.each(["hostile.md", PATH])("the file %s runs nothing, however it is shown", async (path) => {
    await openView(page, `/agents/main/files?path=${encodeURIComponent(path)}`);
    await page.locator(".markdown").waitFor();
    await harmless();
    for (const mode of ["Source", "Chunks"]) {
      await page.getByRole("tab", { name: mode }).click();
      await page.getByText("over everything").first().waitFor();
      await harmless();
    }
    await page.getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => page.getByLabel("Content").inputValue()).toContain("over everything");
    await harmless();
  });

  test("its links without an address do nothing; others open a window of their own that knows nothing of this one", async () => {
    await openView(page, "/agents/main/files?path=hostile.md");
    for (const name of ["markdown", "data", "vb"])
      await page.locator(".markdown").getByText(name, { exact: true }).first().click();
    await harmless();
    const fine = page.getByRole("link", { name: "fine" });
    expect(await fine.getAttribute("href")).toBe("https://example.test/page");
    expect(await fine.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await fine.getAttribute("target")).toBe("_blank");
  });

  test("a conversation, a fact and hits run nothing", async () => {
    const views: [string, RegExp][] = [
      [`/agents/main/conversations?session=${encodeURIComponent(SESSION)}&after=0&windows=true`, /over everything/],
      [`/agents/main/memories?id=${fact}`, /pump <img/],
      [`/agents/main/memories?view=timeline`, /pump <img/],
      ["/agents/main/search?q=pump", /pump/],
      [`/agents/main/search?q=${encodeURIComponent(IMG)}`, /Search/],
      [`/agents/main/search?mode=recall&q=${encodeURIComponent(IMG)}`, /What the agent gets/],
      ["/agents/main", /remembers/],
      ["/agents/main/activity?view=changes", /hostile\.md/],
      ["/workspace/access", /key/],
      ["/workspace/agents", /named/],
      ["/workspace/audit", /Audit/],
    ];
    for (const [view, text] of views) {
      await openView(page, view);
      await page.locator("main").getByText(text).first().waitFor();
      await harmless();
    }
    expect(await axeViolations(page)).toEqual([]);
  });

  test("an address that is hostile itself runs nothing", async () => {
    for (const view of [`/agents/${encodeURIComponent(IMG)}`, `/operate/${encodeURIComponent(IMG)}`, "/nowhere"]) {
      await openView(page, view);
      await harmless();
    }
  });

  test("a text from right to left is set so, and a huge table scrolls in itself at 360 pixels", async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await openView(page, "/agents/main/files?path=rtl.md");
    await page.locator(".markdown").waitFor();
    expect(await evaluate(page, `getComputedStyle(document.querySelector(".markdown")).direction`)).toBe("rtl");
    await openView(page, "/agents/main/files?path=table.md");
    await page.locator(".markdown table").waitFor();
    expect(await evaluate(page, "document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await harmless();
  });
});
