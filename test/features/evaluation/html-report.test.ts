import { describe, expect, test } from "vitest";
import { compareRuns } from "../../../src/features/evaluation/commands/compare-runs.ts";
import type { EvalReport } from "../../../src/features/evaluation/commands/eval-report.ts";
import { htmlReport } from "../../../src/features/evaluation/commands/html-report.ts";
import { figuresOf, summarise } from "../../../src/features/evaluation/commands/summarise.ts";
import { differencePlot, latencyPlot, measureBars } from "../../../src/features/evaluation/commands/svg-plots.ts";

const HOSTILE = `</title><script>alert(1)</script>"'><img src=x onerror=alert(2)>\u202e\u001b[31m`;
const QUERIES = ["q1", "q2", HOSTILE].map((id) => ({ id, scope: "", text: HOSTILE, judgements: new Map([["d", 1]]) }));
const run = (name: string, ...rankings: string[][]) =>
  summarise({ name, rankings, milliseconds: [3, 4, 500], seconds: 1 }, QUERIES);
const RUNS = [
  run("keyword", ["d"], [], ["x"]),
  run("vector", [], ["x", "d"], ["d"]),
  run(`hybrid ${HOSTILE}`, ["d"], ["d"], ["x", "d"]),
];
const [keyword] = RUNS;
const SAVED = { form: "recollect-eval-1" as const, name: HOSTILE, savedAt: "", runs: keyword ? [keyword] : [] };

function page(): string {
  const report: EvalReport = {
    name: HOSTILE,
    server: HOSTILE,
    provider: HOSTILE,
    model: HOSTILE,
    queries: 3,
    clients: 1,
    documents: 2,
    agents: 1,
    chunks: 2,
    sent: 0,
    unchanged: 2,
    removed: 0,
    erased: 0,
    runs: RUNS.map(figuresOf),
    comparisons: compareRuns(RUNS, SAVED).map((one) => ({ ...one, before: HOSTILE })),
    notes: [HOSTILE],
  };
  const document = { id: HOSTILE, score: 1, text: HOSTILE };
  const worst = {
    id: HOSTILE,
    text: HOSTILE,
    ndcg10: 0,
    expected: [document, { ...document, rank: 3 }],
    first: document,
  };
  return htmlReport(report, { runs: RUNS, worst: { run: HOSTILE, queries: [worst] }, version: "1", at: "now" });
}

describe("the HTML report", () => {
  test("what others wrote is text: every tag and attribute is the report's own", () => {
    const html = page();
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    const tags = new Set([...html.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag]) => tag?.toLowerCase()));
    expect([...tags].toSorted()).toEqual(
      [
        ...[
          "!doctype",
          "b",
          "bdi",
          "body",
          "br",
          "caption",
          "div",
          "footer",
          "g",
          "h1",
          "h2",
          "head",
          "html",
          "i",
          "li",
        ],
        ...["main", "meta", "p", "path", "rect", "section", "style", "svg", "table", "tbody", "td", "text", "th"],
        ...["thead", "title", "tr", "ul"],
      ].toSorted(),
    );
    expect(html.replace(/="[^"]*"/g, "")).not.toMatch(/<[^>]*\son[a-z]+/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may reach the page
    expect(html).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test("needs nothing from elsewhere, and says so to the browser", () => {
    const html = page();
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(html).not.toMatch(/\b(href|src|url|@import)\s*[=(]\s*["']?(https?:|\/\/|data:)/);
  });

  test("is light and dark, and every plot has a name for who cannot see it", () => {
    const html = page();
    expect(html).toContain("prefers-color-scheme: dark");
    const plots = html.match(/<svg [^>]*>/g) ?? [];
    // Plots of the measures, of hybrid against the better arm, of each run against the only saved
    // one, and of the latency.
    expect(plots).toHaveLength(6);
    for (const plot of plots) expect(plot).toMatch(/role="img" aria-label="[^"]+"/);
    expect(html).toContain("minus vector, the better arm");
  });

  test("its colours are readable: contrast of at least 4.5 to their ground, light and dark", () => {
    const [light = "", dark = ""] = [...page().matchAll(/:root\{([^}]*)\}/g)].map(([, rules]) => rules);
    for (const rules of [light, dark]) {
      const colours = new Map([...rules.matchAll(/--(\w+):(#[0-9a-f]{3,6})/g)].map(([, name, value]) => [name, value]));
      for (const [name, colour] of colours)
        if (!["paper", "faint", "soft"].includes(name ?? ""))
          expect(contrast(colour ?? "", colours.get("paper") ?? ""), `${name}`).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe("plots", () => {
  test("no coordinate is NaN, with one run, without latencies, without queries", () => {
    const untimed = summarise({ name: "a", rankings: [] }, []);
    for (const svg of [measureBars([untimed]), latencyPlot([untimed]), differencePlot("d", []), latencyPlot(RUNS)])
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  test("many differences stay a small picture and lose neither end", () => {
    const svg = differencePlot("d", [...new Array<number>(50_000).fill(1), ...new Array<number>(50_000).fill(-1)]);
    expect(svg.length).toBeLessThan(50_000);
    expect(svg).toContain("50,000 queries better, 50,000 worse, 0 the same");
  });
});

/** Returns the contrast of two colours as WCAG 2.2 defines it, 1 to 21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [one, other].map(luminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const full = colour.length === 4 ? colour.replace(/[0-9a-f]/g, "$&$&") : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
