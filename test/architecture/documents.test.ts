import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const DECISIONS = readdirSync("docs/decisions").filter((name) => name !== "README.md");
const DOCUMENTS = ["AGENTS.md", "docs/ARCHITECTURE.md", ...DECISIONS.map((name) => `docs/decisions/${name}`)];
const files = ["src", "console", "test", "scripts", "bench", "migrations"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `/${folder}/${name.replaceAll("\\", "/")}`),
);

test.each(DOCUMENTS)("%s names only files that there are", (document) => {
  const named = [...readFileSync(document, "utf8").matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !existsSync(name) && !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});
