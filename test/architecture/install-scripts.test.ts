import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Locked {
  dev?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
}

/** Packages that report an install or a run to somebody, without being asked. */
const REPORTING = /^(@scarf\/|posthog|@segment\/|mixpanel|@sentry\/|@amplitude\/|insight$|update-notifier$)/;

test("no package that Recollect installs runs a script at its install, or reports to anybody", () => {
  const lock = new URL("../../package-lock.json", import.meta.url);
  const { packages } = JSON.parse(readFileSync(lock, "utf8")) as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
  expect(installed.length).toBeGreaterThan(20);
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  const named = installed.flatMap(([path, { dependencies = {} }]) => [
    path.split("node_modules/").at(-1) ?? path,
    ...Object.keys(dependencies),
  ]);
  expect(named.filter((name) => REPORTING.test(name))).toEqual([]);
});

test("Recollect itself has no script that npm counts as an install script", () => {
  const own = new URL("../../package.json", import.meta.url);
  const { scripts } = JSON.parse(readFileSync(own, "utf8")) as { scripts: Record<string, string> };
  // npm counts `prepare` for a package that comes from a file, and warns of it.
  const counted = ["preinstall", "install", "postinstall", "prepare"];
  expect(counted.filter((name) => scripts[name] !== undefined)).toEqual([]);
  expect(scripts.dependencies).toContain("prepare.ts");
});
