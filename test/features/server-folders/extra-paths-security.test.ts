import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Found,
  type FoundFile,
  openExtraPath,
  walkExtraPath,
} from "../../../src/features/server-folders/walk-extra-path.ts";
import { checkExtraPaths } from "../../../src/settings/extra-paths.ts";
import { type ExtraFolder, extraFolder, syncNow } from "../../support/extra-folder.ts";
import { type ErrorBody, startTestApp, type TestApp } from "../../support/test-app.ts";

describe("which folders settings may name", () => {
  let root: ExtraFolder;
  let app: TestApp;
  beforeAll(async () => {
    root = extraFolder();
    mkdirSync(root.at("team"));
    symlinkSync("/etc", root.at("etc"));
    app = await startTestApp({
      worker: false,
      env: { RECOLLECT_EXTRA_PATH_ROOTS: `${root.path}/:/srv/no-such-folder` },
    });
  });
  afterAll(async () => {
    await app.drop();
    root.remove();
  });
  const name = (path: string) => app.call<ErrorBody>("PATCH", "/v1/agents/main", { settings: { extraPaths: [path] } });

  test("inside a root, whether or not it exists", async () => {
    for (const path of [root.path, root.at("team"), root.at("not/yet/there"), "/srv/no-such-folder/x"])
      expect([path, (await name(path)).status]).toEqual([path, 200]);
  });

  test("nothing else, in no spelling, with one answer for what is there and what is not", async () => {
    const refused = [
      ...[
        "/etc",
        "/etc/passwd",
        "/no/such/thing",
        "/",
        "",
        "relative",
        "~/notes",
        "../x",
        "C:\\x",
        `file://${root.path}`,
      ],
      ...[
        `${root.path}/..`,
        `${root.path}/../x`,
        `${root.path}/team/../../etc`,
        `${root.path}/./team`,
        `/..${root.path}`,
      ],
      ...[`${root.path}//team`, `/${root.path}`, `${root.path}/team/`, `${root.path}x`, root.path.toUpperCase()],
      ...[`${root.path}/a\u0000b`, `${root.path}/a\nb`, `${root.path}\\..\\etc`, `${root.path}/${"x".repeat(300)}`],
    ];
    const answers = new Set<string>();
    for (const path of refused) {
      const { status, body } = await name(path);
      expect([path, status]).toEqual([path, 400]);
      expect(body.error.message).not.toContain("passwd");
      if (path.length > 0 && !path.includes("\u0000")) {
        expect([path, body.error.code]).toEqual([path, "invalid_settings"]);
        answers.add(body.error.message);
      }
    }
    expect([...answers]).toEqual([expect.stringContaining("settings.extraPaths[0]: must be an absolute path")]);
    const tenant = await app.call<ErrorBody>("PATCH", "/v1/tenant", { settings: { extraPaths: ["/etc"] } });
    expect(tenant.body.error.code).toBe("invalid_settings");
    const made = await app.call("POST", "/v1/agents", { id: "made", settings: { extraPaths: ["/etc"] } });
    expect([made.status, made.body.error.code]).toEqual([400, "invalid_settings"]);
  });

  test("a tenant names none at all, not even inside a root", async () => {
    const key = await app.key(["tenant"]);
    for (const path of [root.path, "/etc"]) {
      const settings = { extraPaths: [path] };
      const answer = await app.call("PATCH", "/v1/agents/main", { settings }, key);
      expect([answer.status, answer.body.error.code]).toEqual([403, "forbidden"]);
    }
  });

  test("a root that is withdrawn does not keep other settings from changing", async () => {
    await name(root.at("team"));
    const bare = await startTestApp({ worker: false, on: app });
    expect((await bare.call("PATCH", "/v1/agents/main", { settings: { citations: "off" } })).status).toBe(200);
    const again = await bare.call("PATCH", "/v1/agents/main", { settings: { extraPaths: [root.at("team"), "/x"] } });
    expect(again.body.error.code).toBe("invalid_settings");
    await bare.drop();
  });

  test("a link below a root that leads out of it is allowed by its spelling and not read", async () => {
    await name(root.at("etc"));
    expect(await syncNow(app.runtime.deps, "main")).toMatchObject({ read: 0 });
    const { body } = await app.call<{ extraPaths: { error?: string }[] }>("GET", "/v1/agents/main/status");
    expect(body.extraPaths[0]?.error).toContain("leads out");
  });

  test("roots are checked at the start", async () => {
    for (const roots of ["/", "relative", "/srv/../etc", "/srv//x"])
      await expect(
        startTestApp({ worker: false, on: app, env: { RECOLLECT_EXTRA_PATH_ROOTS: roots } }),
      ).rejects.toThrow(/RECOLLECT_EXTRA_PATH_ROOTS\[0\]/);
  });

  test("patterns whose matching could take for ever are refused", () => {
    const check = (pattern: string) => () => checkExtraPaths({ extraPaths: [{ path: "/srv/n", pattern }] }, ["/srv"]);
    for (const good of ["**/*.md", "*.{md,txt}", "{a,b}/{c,d,e}/*.{md,txt}", "memory/????-*.md", "**/a*/b*.md"])
      expect(check(good)).not.toThrow();
    for (const bad of ["*a*a*a*a", "+(a|b)", "/etc/*", "../*.md", "a/../b", "{a}{b}{c}{d}", "a\\b"])
      expect(check(bad), bad).toThrow(/settings\.extraPaths\[0\]\.pattern/);
    const names = Array.from({ length: 30 }, (_, i) => i).join();
    for (const bad of ["{1..300000}", "{a..b}{c,{1..9}}", `{${names}}{${names}}`, `{${names},{${names}}}`])
      expect(check(bad), bad).toThrow(/settings\.extraPaths\[0\]\.pattern/);
  });
});

describe("links on disk", () => {
  let root: ExtraFolder;
  let outside: ExtraFolder;
  beforeEach(() => {
    root = extraFolder();
    outside = extraFolder();
    outside.write("secret.md", "Secret");
    outside.write("deep/secret.md", "Secret");
    root.write("sub/a.md", "Alpha");
  });
  afterEach(() => {
    root.remove();
    outside.remove();
  });

  async function open(path: string) {
    const opened = await openExtraPath(path, [root.path]);
    if (typeof opened === "string") throw new Error(opened);
    return opened;
  }
  /**
   * Walks the path, calls `atFirst` at the first entry found, and returns all entries with their
   * texts.
   */
  async function walk(atFirst: () => void = () => undefined) {
    const all: { found: Found; text: string }[] = [];
    for await (const found of walkExtraPath(await open(root.path), () => true)) {
      if (all.length === 0) atFirst();
      all.push({ found, text: found.kind === "file" ? await text(found) : "" });
    }
    return all;
  }
  const text = (file: FoundFile) =>
    file.read(1000).then(String, (error: NodeJS.ErrnoException) => `failed: ${error.code ?? error.message}`);

  test("are not followed: files, folders, chains, to themselves and to nothing", async () => {
    symlinkSync(outside.at("secret.md"), root.at("file.md"));
    symlinkSync(outside.path, root.at("folder"));
    symlinkSync("file.md", root.at("chain.md"));
    symlinkSync("loop.md", root.at("loop.md"));
    symlinkSync("/no/such/file", root.at("dangling.md"));
    symlinkSync("..", root.at("sub/up"));
    const all = await walk();
    expect(all.filter(({ found }) => found.kind === "file").map(({ text }) => text)).toEqual(["Alpha"]);
    expect(all.filter(({ found }) => found.kind === "skipped")).toHaveLength(6);
  });

  test("a file that becomes a link after it was listed is not read through it", async () => {
    root.write("first.md", "First");
    rmSync(root.at("sub"), { recursive: true });
    const [first] = await walk(() => {
      rmSync(root.at("first.md"));
      symlinkSync(outside.at("secret.md"), root.at("first.md"));
    });
    expect(first?.text).toBe("failed: ELOOP");
  });

  test("a folder that becomes a link before it is entered is not entered", async () => {
    root.write("first.md", "First");
    root.write("sub/secret.md", "Mine");
    const all = await walk(() => {
      renameSync(root.at("sub"), root.at(".moved"));
      symlinkSync(outside.path, root.at("sub"));
    });
    expect(all.map(({ found, text }) => [found.kind, text])).toEqual([
      ["file", "First"],
      ["unread", ""],
    ]);
  });

  test("a folder that becomes a link while it is read goes on being the folder it was", async () => {
    rmSync(root.at("sub/a.md"));
    root.write("sub/secret.md", "Mine");
    const all = await walk(() => {
      renameSync(root.at("sub"), root.at(".moved"));
      symlinkSync(outside.path, root.at("sub"));
    });
    // On Linux the open folder is read; elsewhere the swap is noticed. The link's target is never
    // read.
    expect(all.map(({ text }) => text)).toEqual([
      process.platform === "linux" ? "Mine" : expect.stringMatching(/^failed/),
    ]);
  });

  test("the extra path itself may be a link inside a root, or a root be one, but not lead out", async () => {
    symlinkSync("sub", root.at("inside"));
    symlinkSync(outside.path, root.at("out"));
    symlinkSync(root.path, outside.at("root-link"));
    await (await open(root.at("inside"))).handle.close();
    expect(await openExtraPath(root.at("out"), [root.path])).toBe("not allowed");
    expect(await openExtraPath(root.at("out/deep"), [root.path])).toBe("not allowed");
    expect(await openExtraPath(root.at("nothing"), [root.path])).toBe("unreadable");
    const byLink = await openExtraPath(outside.at("root-link/sub"), [outside.at("root-link")]);
    expect(byLink).toMatchObject({ real: root.at("sub") });
    if (typeof byLink !== "string") await byLink.handle.close();
  });

  test("no more than the limit is read of a file that grows", async () => {
    root.write("sub/a.md", "x".repeat(10));
    for await (const found of walkExtraPath(await open(root.path), () => true)) {
      if (found.kind !== "file") continue;
      writeFileSync(root.at("sub/a.md"), "x".repeat(5000));
      expect(await found.read(1000)).toBe("too large");
    }
  });

  test("a tree without end is given up at a depth, and what lies below is not taken for gone", async () => {
    root.write(`${"d/".repeat(40)}a.md`, "Deep");
    const all = await walk();
    expect(all.map(({ found }) => found.kind).toSorted()).toEqual(["file", "unread"]);
  });
});
