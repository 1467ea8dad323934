import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Service {
  profiles?: string[];
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
}
interface Prometheus {
  scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; type: string; port: number }[] }[];
  rule_files: string[];
}
interface Datasources {
  datasources: { name: string; type: string; url: string; isDefault: boolean }[];
}
interface Providers {
  providers: { type: string; options: { path: string } }[];
}
interface Dashboard {
  uid: string;
  templating: { list: { name: string; type: string; query: unknown }[] };
  panels: { datasource?: { type: string; uid: string }; targets?: { datasource?: { uid: string } }[] }[];
}

const read = <T>(path: string, options = {}) => parse(readFileSync(path, "utf8"), options) as T;
const compose = read<{ services: Record<string, Service>; volumes: Record<string, unknown> }>("docker-compose.yml", {
  merge: true,
});
const { prometheus, grafana, api, worker, ...others } = compose.services;

/** Returns the mounts of a service: the path in the container and the source. */
function mountsOf(service: Service | undefined): Map<string, { source: string; readOnly: boolean }> {
  return new Map(
    (service?.volumes ?? []).map((line) => {
      const [source = "", target = "", mode] = line.split(":");
      return [target, { source, readOnly: mode === "ro" }];
    }),
  );
}

/** Returns the file of the repository that a container sees at a path. */
function fileAt(service: Service | undefined, path: string): string {
  const source = mountsOf(service).get(path)?.source ?? "";
  expect([path, source.startsWith("./") && existsSync(source)]).toEqual([path, true]);
  return source;
}

const configPath = prometheus?.command?.find((word) => word.startsWith("--config.file="))?.split("=")[1] ?? "";
const config = read<Prometheus>(fileAt(prometheus, configPath));

test("the profile has Prometheus and Grafana with exact versions, and nothing else needs it", () => {
  for (const service of [prometheus, grafana]) {
    expect(service?.profiles).toEqual(["monitoring"]);
    expect(service?.image).toMatch(/:v?\d+\.\d+\.\d+$/);
    for (const [target, { source, readOnly }] of mountsOf(service)) {
      if (source.startsWith("./")) expect([target, existsSync(source), readOnly]).toEqual([target, true, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  }
  for (const service of [api, worker, ...Object.values(others)]) expect(service?.profiles).toBeUndefined();
});

test("Prometheus asks the services that open the metrics port, which is not published", () => {
  const [job] = config.scrape_configs;
  expect(config.scrape_configs).toHaveLength(1);
  expect(job?.dns_sd_configs).toMatchObject([{ names: ["api", "worker"], type: "A" }]);
  for (const service of [api, worker]) {
    expect(service?.environment).toMatchObject({
      RECOLLECT_METRICS_PORT: String(job?.dns_sd_configs[0]?.port),
      RECOLLECT_METRICS_HOST: "0.0.0.0",
    });
    for (const port of service?.ports ?? []) expect(port).not.toContain(String(job?.dns_sd_configs[0]?.port));
  }
});

test("Prometheus reads the alerts, whose rules name its job", () => {
  for (const path of config.rule_files) {
    const rules = readFileSync(fileAt(prometheus, join(dirname(configPath), path)), "utf8");
    const jobs = [...rules.matchAll(/job="([^"]+)"/g)].map(([, name]) => name);
    expect([...new Set(jobs)]).toEqual(config.scrape_configs.map(({ job_name }) => job_name));
  }
});

test("Grafana finds Prometheus, and shows the dashboard at once", () => {
  const datasource = fileAt(grafana, "/etc/grafana/provisioning/datasources/recollect.yaml");
  const [source, ...rest] = read<Datasources>(datasource).datasources;
  const published = prometheus?.ports?.[0]?.split(":").at(-1);
  expect([source, rest]).toEqual([
    expect.objectContaining({ type: "prometheus", url: `http://prometheus:${published}`, isDefault: true }),
    [],
  ]);
  const [provider] = read<Providers>(fileAt(grafana, "/etc/grafana/provisioning/dashboards/recollect.yaml")).providers;
  const home = grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? "";
  expect([provider?.type, provider?.options.path]).toEqual(["file", dirname(home)]);
  const dashboard = JSON.parse(readFileSync(fileAt(grafana, home), "utf8")) as Dashboard;
  // The dashboard takes whichever data source of this type there is, so no name has to match.
  const variable = dashboard.templating.list.find(({ type }) => type === "datasource");
  expect([variable?.name, variable?.query]).toEqual(["datasource", source?.type]);
  const uids = dashboard.panels.flatMap((panel) => [
    panel.datasource?.uid,
    ...(panel.targets ?? []).map((target) => target.datasource?.uid),
  ]);
  expect([...new Set(uids)].filter((uid) => uid !== undefined)).toEqual([`$\{datasource}`]);
});

test("nobody can change Grafana, and it is on loopback only", () => {
  expect(grafana?.environment).toMatchObject({
    GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
    GF_AUTH_BASIC_ENABLED: "false",
    GF_AUTH_DISABLE_LOGIN_FORM: "true",
  });
  for (const port of [...(grafana?.ports ?? []), ...(prometheus?.ports ?? [])]) expect(port).toMatch(/^127\.0\.0\.1:/);
});
