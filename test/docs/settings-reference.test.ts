import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderSettingsReference, whoChanges } from "../../scripts/settings-reference.ts";

test("docs/SETTINGS.md is what the schemas say; `npm run docs` writes it", () => {
  const page = renderSettingsReference();
  expect(readFileSync("docs/SETTINGS.md", "utf8")).toBe(page);
  // The last column, who may set the value, is computed by the rule that refuses settings. These
  // lines fail if the rule refuses nothing any more.
  expect(page).toMatch(/\| `remote\.apiKey` \| text \| – \| file \|/);
  expect(page).toMatch(/\| `extraPaths` \| list, at most 100 \| `\[\]` \| admin \|/);
  expect(page).toMatch(/\| `query\.maxResults` \| 1 to 100 \| `6` \| tenant \|/);
  expect(page).toMatch(/\| `RECOLLECT_PORT` \| 0 to 65,535 \| `7420` \|/);
});

test("a setting that nobody would change is refused, and so is a phrase about no setting", () => {
  const { of, requireNoneLeft } = whoChanges({ "chunking.tokens": "a team with long sections", gone: "nobody" });
  expect(of("chunking.tokens")).toBe("a team with long sections");
  expect(() => of("query.language")).toThrow("query.language: scripts/who-changes-settings.ts does not say");
  expect(requireNoneLeft).toThrow("names gone, which do not exist");
  of("gone");
  expect(requireNoneLeft).not.toThrow();
});
