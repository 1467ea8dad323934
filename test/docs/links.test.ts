import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { documents } from "../support/doc-blocks.ts";

/** Returns GitHub's anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

const anchorsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

const notes = readdirSync("bench/notes").map((name) => join("bench/notes", name));

test("links between the documents lead to files and headings that are there", () => {
  const links = [...documents(), ...notes].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^\w+:/.test(target))
      .map((target) => {
        const [path = "", anchor] = target.split("#");
        return { file, target, to: path === "" ? file : join(dirname(file), path), anchor };
      }),
  );
  expect(links.length).toBeGreaterThan(30);
  const broken = links.filter(
    ({ to, anchor }) => !existsSync(to) || (anchor !== undefined && !anchorsOf(to).includes(anchor)),
  );
  expect(broken.map(({ file, target }) => `${file}: ${target}`)).toEqual([]);
});
