import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needsPythonPackages } from "../support/needs.ts";

const MYPY = "mypy==2.4.0";
/** The module of fixtures imports it. */
const PYTEST = "pytest==9.1.1";

describe("the Python client as its users have it", needsPythonPackages(), () => {
  let folder: string;
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: "utf8", timeout: 240_000, stdio: ["ignore", "pipe", "pipe"] });
  const python = (...args: string[]) => run("venv/bin/python", ...args);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "recollect-python-"));
    // Copies the source, because pip leaves its build files beside it.
    cpSync("clients/python", join(folder, "client"), { recursive: true });
    cpSync("test/release/python/typed.py", join(folder, "typed.py"));
    run("python3", "-m", "venv", "venv");
    python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "./client");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  test("it installs with httpx and sniffio, and asks for nothing else", () => {
    const listed = JSON.parse(python("-m", "pip", "list", "--format=json", "--disable-pip-version-check")) as {
      name: string;
      version: string;
    }[];
    const names = listed.map(({ name }) => name);
    expect(names).toContain("httpx");
    const asked = "import importlib.metadata as of; print(of.requires('recollect-client'))";
    expect(python("-c", asked).trim()).toBe("['httpx<0.29,>=0.28', 'sniffio<2,>=1.1']");
    expect(python("-c", "import recollect; print(recollect.__version__)").trim()).toBe(
      listed.find(({ name }) => name === "recollect-client")?.version,
    );
  });

  test("a wheel can be built, which has every module", () => {
    python(
      "-m",
      "pip",
      "wheel",
      "--quiet",
      "--disable-pip-version-check",
      "--no-deps",
      "--wheel-dir",
      "wheels",
      "./client",
    );
    const [wheel = "", ...others] = readdirSync(join(folder, "wheels"));
    expect(wheel).toMatch(/^recollect_client-[\d.]+-py3-none-any\.whl$/);
    expect(others).toEqual([]);
    const packed = python("-m", "zipfile", "--list", `wheels/${wheel}`);
    for (const name of ["client.py", "py.typed", "_async/agent.py", "_sync/agent.py"]) expect(packed).toContain(name);
  });

  test("a program that uses it has types under mypy's strict rules", () => {
    python("-m", "pip", "install", "--quiet", "--disable-pip-version-check", MYPY, PYTEST);
    expect(python("-m", "mypy", "--strict", "typed.py", "client/src")).toMatch(/^Success: no issues found/);
  });
});
