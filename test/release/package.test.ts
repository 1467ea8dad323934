import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** The oldest Node.js that package.json allows has its newest release here; the newest is the one that runs this. */
const OLDER_NODE = "22.23.3";

const LIMIT_MS = 240_000;

interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string }[];
}

const root = process.cwd();
let folder: string;
let project: string;
let packed: Packed;

/** Runs a command in the project under a Node.js; standard output, or what it said when it failed. */
function run(node: string, command: string, args: string[], env: Record<string, string> = {}): string {
  const options = { cwd: project, env: environment(node, env), encoding: "utf8", timeout: LIMIT_MS } as const;
  return execFileSync(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
}

/** All but the settings of npm, which are those of this repository and no user has, and of this run. */
function environment(node: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|vitest|recollect_|node_(env|options))/i.test(name),
  );
  return { ...Object.fromEntries(kept), PATH: `${node}${delimiter}${process.env.PATH}`, NO_COLOR: "1", ...more };
}

const nodes = () => ({
  [OLDER_NODE]: join(folder, "older/node_modules/.bin"),
  [process.versions.node]: dirname(process.execPath),
});

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "recollect-package-"));
  project = join(folder, "project");
  mkdirSync(project);
  const current = dirname(process.execPath);
  execFileSync("npm", ["install", "--prefix", join(folder, "older"), `node@${OLDER_NODE}`], {
    env: environment(current),
  });
  const pack = ["pack", "--json", "--silent", "--pack-destination", folder];
  const said = execFileSync("npm", pack, { cwd: root, env: environment(current), encoding: "utf8" });
  [packed] = JSON.parse(said.slice(said.search(/^\[/m))) as [Packed];
  cpSync(join(root, "test/release/consumer"), project, { recursive: true });
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  run(join(folder, "older/node_modules/.bin"), "npm", ["install", "--engine-strict", join(folder, packed.filename)]);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("it is small: few files of its own, few packages, none for one platform or for tests", () => {
  const installed = Object.values(
    (
      JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8")) as {
        packages: Record<string, { hasInstallScript?: boolean }>;
      }
    ).packages,
  );
  const megabytes = Number(run(dirname(process.execPath), "du", ["-sk", "node_modules"]).split("\t")[0]) / 1024;
  process.stdout.write(
    `Package: ${packed.files.length} files, ${(packed.unpackedSize / 1e6).toFixed(2)} MB unpacked; ` +
      `node_modules: ${installed.length} packages, ${Math.round(megabytes)} MB on disk\n`,
  );
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["dist/console/index.html", "dist/reference/swagger-ui-bundle.js.gz"]));
  expect(paths.filter((path) => path.startsWith("console/"))).toEqual([]);
  // Of which 2.7 MB are the engine in WebAssembly, compressed, 0.7 MB the console, and 0.5 MB the viewer of the reference.
  expect(packed.unpackedSize).toBeLessThan(7_200_000);
  expect(packed.files.filter(({ path }) => /\.map$|^(src|test|bench|docs)\//.test(path))).toEqual([]);
  expect(installed.length).toBeLessThan(90);
  expect(installed.filter((one) => one.hasInstallScript)).toEqual([]);
  expect(megabytes).toBeLessThan(200);
});

test.each(["nodenext", "bundler"])("its types resolve under moduleResolution %s, and are whole", (moduleResolution) => {
  const tsconfig = {
    compilerOptions: {
      ...{ target: "es2024", module: moduleResolution === "bundler" ? "esnext" : "nodenext", moduleResolution },
      ...{ strict: true, noEmit: true, types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
    },
    files: ["app.ts"],
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
  expect(run(dirname(process.execPath), join(root, "node_modules/.bin/tsc"), ["-p", "."])).toBe("");
});

describe.each(["the older Node.js", "the newer Node.js"])("on %s", (which) => {
  const node = () => Object.values(nodes())[which === "the older Node.js" ? 0 : 1] ?? "";

  test("npx recollect serve answers its client, and the service runs in a process", async () => {
    const data = join(folder, `data ${which}`);
    const server = spawn("npx", ["--no-install", "recollect", "serve", "--port", "0"], {
      cwd: project,
      env: environment(node(), { RECOLLECT_DATA_DIR: data, RECOLLECT_PROVIDER: "none" }),
      stdio: ["ignore", "pipe", "pipe"],
      // npx starts a shell that starts Node.js: a group is ended together.
      detached: true,
    });
    const ended = new Promise((resolve) => server.on("close", resolve));
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let output = "";
        const read = (part: Buffer) => {
          output += part;
          const [, address] = /"url":"([^"]+)"/.exec(output) ?? [];
          if (address) resolve(address);
        };
        server.stdout.on("data", read);
        server.stderr.on("data", read);
        server.on("close", () => reject(new Error(output)));
      });
      const app = run(node(), "node", ["app.ts", url], { RECOLLECT_CACHE_DIR: join(folder, "cache") });
      expect(JSON.parse(app)).toEqual({ byMeaning: ["ports.md"], byWord: ["lunch.md"], code: "file_not_found" });
    } finally {
      process.kill(-(server.pid ?? 0), "SIGTERM");
      await ended;
    }
  });

  test("says which Node.js it is", () => {
    expect(run(node(), "node", ["--version"]).trim()).toBe(
      `v${which === "the older Node.js" ? OLDER_NODE : process.versions.node}`,
    );
  });
});
