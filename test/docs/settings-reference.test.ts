import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderSettingsReference } from "../../scripts/settings-reference.ts";

test("docs/SETTINGS.md is what the schemas say; `npm run docs` writes it", () => {
  const page = renderSettingsReference();
  expect(readFileSync("docs/SETTINGS.md", "utf8")).toBe(page);
  // The column about who may set a value comes from the rule that refuses. If the rule returned
  // nothing, it would show here.
  expect(page).toMatch(/\| `remote\.apiKey` \| text \| – \| file \|/);
  expect(page).toMatch(/\| `extraPaths` \| list, at most 100 \| `\[\]` \| admin \|/);
  expect(page).toMatch(/\| `query\.maxResults` \| 1 to 100 \| `6` \| tenant \|/);
  expect(page).toMatch(/\| `RECOLLECT_PORT` \| 0 to 65,535 \| `7420` \|/);
});
