import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createMetrics } from "../../src/observe/metrics.ts";
import { addProcessMetrics } from "../../src/observe/process-metrics.ts";

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
  templating: { list: { query: string | { query: string } }[] };
}
interface Alerts {
  groups: { rules: { alert: string; expr: string }[] }[];
}

const metrics = createMetrics();
addProcessMetrics(metrics, "0");
const known = new Map(
  (await metrics.registry.getMetricsAsArray()).flatMap((metric) => {
    const { name, type, labelNames = [] } = metric as unknown as { name: string; type: string; labelNames?: string[] };
    const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    return suffixes.map((suffix): [string, string[]] => [name + suffix, [...labelNames, "le", "job", "instance"]]);
  }),
);

/**
 * Returns the names in an expression that do not exist: metrics, labels of filters, labels of
 * groups.
 */
function unknownIn(expr: string): string[] {
  const named = [...expr.matchAll(/\b((?:recollect|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)];
  const labels = named.flatMap(([, name = ""]) => known.get(name) ?? []);
  const filters = named.flatMap(([, name = "", filter = ""]) =>
    [...filter.matchAll(/(\w+)\s*[=!]/g)].flatMap(([, label = ""]) =>
      known.get(name)?.includes(label) ? [] : [`${name}{${label}}`],
    ),
  );
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
  return [
    ...(named.length === 0 ? [`nothing in ${expr}`] : []),
    ...named.flatMap(([, name = ""]) => (known.has(name) ? [] : [name])),
    ...filters,
    ...groups.filter((label) => !labels.includes(label)).map((label) => `by (${label})`),
  ];
}

const dashboard = JSON.parse(readFileSync("deploy/grafana-dashboard.json", "utf8")) as Dashboard;
const alerts = parse(readFileSync("deploy/prometheus-alerts.yaml", "utf8")) as Alerts;
const shown = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => target.expr));
const rules = alerts.groups.flatMap((group) => group.rules.map((rule) => rule.expr));

test("every expression of the dashboard and of the alerts asks for metrics and labels that are there", () => {
  const variables = dashboard.templating.list.flatMap(({ query }) => (typeof query === "string" ? [] : [query.query]));
  expect([shown.length, rules.length].every((count) => count > 5)).toBe(true);
  expect([...shown, ...rules, ...variables].flatMap(unknownIn)).toEqual([]);
  expect(unknownIn('sum by (colour) (rate(recollect_jobs_total{kind="x"}[5m]))')).toEqual([
    "recollect_jobs_total",
    "recollect_jobs_total{kind}",
    "by (colour)",
  ]);
});

test("every metric of ours is on the dashboard and in the documentation", () => {
  const documented = readFileSync("docs/operations/monitor.md", "utf8");
  const ours = [...new Set([...known.keys()].map((name) => name.replace(/_(bucket|sum|count)$/, "")))].filter((name) =>
    name.startsWith("recollect_"),
  );
  expect(ours.length).toBeGreaterThan(15);
  expect(ours.filter((name) => !shown.some((expr) => expr.includes(name)))).toEqual([]);
  expect(ours.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
});

test("the searches of each mode are counted from zero, so that their rate includes the first", async () => {
  const text = await createMetrics().registry.metrics();
  for (const mode of ["hybrid", "vector", "keyword", "unavailable"])
    expect(text).toContain(`recollect_search_duration_seconds_count{mode="${mode}"} 0`);
});
