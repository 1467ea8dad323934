import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { enterFolder, startRules } from "../../src/cli/folder/ignore-rules.ts";
import { textProblem, walkFolder } from "../../src/cli/folder/walk-folder.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "recollect-walk-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Buffer = "text\n"): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const walk = (ignore: string[] = [], maxFileBytes = 1000) => walkFolder(root, { ignore, maxFileBytes, prefix: "" });
const paths = async (ignore: string[] = []) => (await walk(ignore)).files.map((file) => file.path);

describe("what is taken", () => {
  test("Markdown and plain text in path order, nothing else, however deep", async () => {
    for (const name of ["b.md", "a.MD", "c.markdown", "d.mdx", "e.txt", "f.rst", "g.adoc", "h.org"]) write(name);
    for (const name of ["x/y/z.md", "code.ts", "photo.png", "md", "Makefile"]) write(name);
    expect(await paths()).toEqual([
      "a.MD",
      "b.md",
      "c.markdown",
      "d.mdx",
      "e.txt",
      "f.rst",
      "g.adoc",
      "h.org",
      "x/y/z.md",
    ]);
  });

  test("the hash is that of the bytes, byte order mark and line ends included", async () => {
    const bytes = Buffer.from("\ufeffone\r\ntwo");
    write("a.md", bytes);
    const { files } = await walk();
    expect(files[0]).toMatchObject({ size: 11, hash: createHash("sha256").update(bytes).digest("hex") });
  });

  test("an empty file is a file", async () => {
    write("empty.md", "");
    expect(await paths()).toEqual(["empty.md"]);
  });

  test("names are sent in Unicode normal form C, and a second spelling of one name is skipped by name", async () => {
    write("日本/cafe\u0301.md");
    expect(await paths()).toEqual(["日本/caf\u00e9.md"]);
    write("日本/caf\u00e9.md");
    const { files, skipped } = await walk();
    // A file system that treats both names as one file, such as that of macOS, has nothing to skip.
    expect(files).toHaveLength(1);
    expect(skipped.every((file) => file.path === "日本/caf\u00e9.md")).toBe(true);
  });
});

describe("what is skipped and named", () => {
  test("binary, NUL, not UTF-8, UTF-16, too large; other kinds of file are not named", async () => {
    write("image.md", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00]));
    write("late-nul.md", `${"text ".repeat(150)}\u0000`);
    write("latin1.md", Buffer.from("A long enough line with one caf\xe9 in it.", "latin1"));
    write("utf16.txt", Buffer.from("\ufeffhello", "utf16le"));
    write("large.md", "x".repeat(1001));
    write("exact.md", "x".repeat(1000));
    write("photo.png", Buffer.from([0, 1, 2]));
    const { files, skipped, failed } = await walk();
    expect(files.map((file) => file.path)).toEqual(["exact.md"]);
    expect(skipped).toEqual([
      { path: "image.md", reason: "binary" },
      { path: "large.md", reason: "larger than 1000 bytes" },
      { path: "late-nul.md", reason: "binary" },
      { path: "latin1.md", reason: "not valid UTF-8; save it as UTF-8" },
      { path: "utf16.txt", reason: "UTF-16 text; save it as UTF-8" },
    ]);
    expect(failed).toEqual([]);
  });

  test.each([
    ["Cyrillic in CP1251", [0xc1, 0xe5, 0xe3, 0xe5, 0xec, 0xee, 0xf2, 0x20, 0xe6, 0xe8, 0xe2, 0xb8, 0xf2, 0x0d, 0x0a]],
    [
      "Japanese in Shift JIS",
      [0x83, 0x4a, 0x83, 0x6f, 0x82, 0xcd, 0x93, 0xf1, 0x8f, 0x5c, 0x88, 0xea, 0x94, 0xd4, 0x0a],
    ],
    ["Chinese in GBK", [0xba, 0xd3, 0xc2, 0xed, 0xd7, 0xa1, 0xd4, 0xda, 0xb6, 0xfe, 0xca, 0xae, 0x0a]],
  ])("a text in another encoding is not called binary: %s", async (_, bytes) => {
    expect(await textProblem(Buffer.from(bytes), 1000)).toBe("not valid UTF-8; save it as UTF-8");
    expect(await textProblem(Buffer.from([...bytes, 0x02, 0x11]), 1000)).toBe("binary");
  });

  test("symbolic links are not followed: a loop ends, and what might be missed is named", async () => {
    write("real/a.md");
    symlinkSync(root, join(root, "real/loop"));
    symlinkSync("self.md", join(root, "self.md"));
    symlinkSync(join(root, "real/a.md"), join(root, "link.md"));
    symlinkSync("/nowhere/at/all", join(root, "broken.md"));
    symlinkSync(join(root, "real/a.md"), join(root, "link.bin"));
    const { files, skipped } = await walk();
    expect(files.map((file) => file.path)).toEqual(["real/a.md"]);
    expect(skipped).toEqual([
      { path: "broken.md", reason: "symbolic link" },
      { path: "link.md", reason: "symbolic link" },
      { path: "real/loop/", reason: "symbolic link to a folder" },
      { path: "self.md", reason: "symbolic link" },
    ]);
  });

  test("text without control characters is never taken for binary, in any script", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }).filter((s) => !/\p{Cc}|%PDF-/u.test(s));
    await fc.assert(
      fc.asyncProperty(text, async (sample) => {
        expect(await textProblem(Buffer.from(sample), 1_000_000)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});

describe("what is left out unless somebody asks for it", () => {
  test.each([
    ".obsidian/plugins/x.md",
    ".trash/a.md",
    ".history/a.md",
    ".stversions/a.md",
    ".vscode/a.md",
    "logseq/bak/pages/a.md",
    "graph/logseq/.recycle/a.md",
    "deep/below/.Trash-1000/files/a.md",
    "$RECYCLE.BIN/a.md",
    "System Volume Information/a.txt",
    "#recycle/a.md",
    "@eaDir/a.md",
    "__MACOSX/a.md",
    "venv/lib/python3.12/site-packages/x.dist-info/a.txt",
    "web/Node_Modules/x/readme.md",
  ])("%s", async (path) => {
    write(path);
    write("kept/a.md");
    const { files, leftOut } = await walk();
    expect(files.map((file) => file.path)).toEqual(["kept/a.md"]);
    expect(leftOut).toHaveLength(1);
    expect(path.startsWith(leftOut[0] ?? "none")).toBe(true);
  });

  test("but not a hidden file, nor a folder that only has such a word in its name", async () => {
    const kept = [
      "Trash talk/a.md",
      "bak/a.md",
      "logseq/pages/bak.md",
      "my.obsidian/a.md",
      "node_modules.md",
      ".note.md",
    ];
    for (const path of kept) write(path);
    expect(await paths()).toEqual(kept.sort());
  });

  test("an ignore file or the command line brings a folder back, whole", async () => {
    for (const path of [".github/workflows/a.md", ".notes/b.md", ".trash/c.md", ".notes/.trash/d.md"]) write(path);
    write(".recollectignore", "!.notes/\n");
    expect(await paths(["!.github/"])).toEqual([".github/workflows/a.md", ".notes/b.md"]);
  });
});

describe("tables, canvases, and notes in forms that are not read", () => {
  test("are taken, or named with a way out", async () => {
    const table = "Tasks 0123456789abcdef0123456789abcdef";
    for (const path of ["a.csv", "b.TSV", "c.canvas", `${table}.csv`, `${table}_all.csv`, "d.text", "e.mkd"])
      write(path);
    for (const path of ["f.opml", "g.odt", "h.xlsx", "i.ipynb", "j.enex", "k.epub", "l.eml", "m.tex", "n.base"])
      write(path);
    for (const path of ["o.png", "p.json", "q.ts", "r", "README", "s.JSON", ".DS_Store", "t.ics", "u.vtt"]) write(path);
    write("large.csv", "x,y\n".repeat(300));
    const { files, skipped, otherKinds } = await walk();
    const taken = [`${table}_all.csv`, "a.csv", "b.TSV", "c.canvas", "d.text", "e.mkd"];
    expect(files.map((file) => file.path)).toEqual(taken);
    expect(skipped).toMatchObject([
      { path: `${table}.csv`, reason: `${table}_all.csv has the same table` },
      { path: "f.opml", reason: "opml is not read; export it as Markdown" },
      ...["g.odt", "h.xlsx", "i.ipynb", "j.enex", "k.epub", "l.eml"].map((path) => ({ path })),
      { path: "large.csv", reason: "larger than 1000 bytes" },
      ...["m.tex", "n.base", "t.ics", "u.vtt"].map((path) => ({ path })),
    ]);
    expect(otherKinds).toEqual({ ".json": 2, ".png": 1, ".ts": 1, "without an ending": 2 });
  });
});

describe("what is ignored", () => {
  test("git's own folder, node_modules and .recollect at every level, whatever the rules say", async () => {
    for (const name of [".git/a.md", "x/node_modules/b.md", "x/.recollect/c.md", "x/d.md"]) write(name);
    write(".gitignore", "!node_modules\n!.git\n");
    expect(await paths()).toEqual(["x/d.md"]);
  });

  test("ignore files count from where they stand, and the deeper one wins", async () => {
    write(".gitignore", "*.txt\n/top.md\ndrafts/\n");
    write("sub/.gitignore", "!keep.txt\n/local.md\n");
    for (const name of ["top.md", "sub/top.md", "a.txt", "sub/keep.txt", "sub/b.txt", "sub/local.md", "local.md"])
      write(name);
    write("sub/drafts/c.md");
    expect(await paths()).toEqual(["local.md", "sub/keep.txt", "sub/top.md"]);
  });

  test("a folder that a deeper file brings back has its files, except what the outer rules ignore by themselves", async () => {
    write(".gitignore", "build1/\n*.txt\n");
    write("sub/.gitignore", "!build1/\n");
    for (const name of ["sub/build1/a.md", "sub/build1/b.txt", "sub/build1/build1/c.md", "build1/d.md"]) write(name);
    expect(await paths()).toEqual(["sub/build1/a.md", "sub/build1/build1/c.md"]);
  });

  test("a folder brought back may have a name that reads like a pattern", async () => {
    write(".gitignore", "b?1?/\n");
    write("sub/.gitignore", "!b?1?/\n");
    for (const name of ["sub/b[1]/a.md", "b[1]/c.md"]) write(name);
    expect(await paths()).toEqual(["sub/b[1]/a.md"]);
  });

  test(".recollectignore wins over the .gitignore beside it; a byte order mark and CRLF do no harm", async () => {
    write(".gitignore", "\ufeffsecret.md\r\nnotes/\r\n");
    write(".recollectignore", "!notes/\n*.org\n");
    for (const name of ["secret.md", "notes/a.md", "b.org"]) write(name);
    expect(await paths()).toEqual(["notes/a.md"]);
  });

  test("patterns of the command line win over every file", async () => {
    write("sub/.gitignore", "!z.md\n");
    for (const name of ["sub/z.md", "sub/y.md", "x.md"]) write(name);
    write(".gitignore", "x.md\n");
    expect(await paths(["z.md", "!x.md"])).toEqual(["sub/y.md", "x.md"]);
  });

  test("case counts where it does for git", async () => {
    write(".gitignore", "Draft.md\n");
    write("draft.md");
    expect(await paths()).toEqual(["win32", "darwin"].includes(process.platform) ? [] : ["draft.md"]);
  });

  test("an ignore file that cannot be read is an error, not an absence", async () => {
    write(".gitignore", "secret.md\n");
    const entries = readdirSync(root, { withFileTypes: true });
    rmSync(join(root, ".gitignore"));
    await expect(enterFolder(startRules([]), root, "", entries)).rejects.toThrow("ENOENT");
  });
});

test("a file and a folder that cannot be read are named, and the rest is taken", async () => {
  write("good.md");
  // Files whose names are not UTF-8 cannot be opened again, not even by root, whom a mode of 000
  // would not stop.
  const expected = process.platform === "linux" ? writeBadNames() : [];
  const { files, failed } = await walk();
  expect(files.map((file) => file.path)).toEqual(["good.md"]);
  expect(failed).toEqual(expected);
});

function writeBadNames() {
  const inRoot = (name: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);
  writeFileSync(inRoot("bad-\xff.md"), "text");
  mkdirSync(inRoot("dir-\xff"));
  const reason = "its name is not valid UTF-8";
  return [
    { path: "bad-\ufffd.md", reason },
    { path: "dir-\ufffd/", reason },
  ];
}
