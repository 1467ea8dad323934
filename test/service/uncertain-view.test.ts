import { expect, test } from "vitest";
import { modelView } from "../../src/service/tools/model-view.ts";

test("a model reads that nothing is certain before it reads the nearest passages", () => {
  const hit = { path: "a.md", startLine: 1, endLine: 1, score: 0.03, snippet: "one", source: "memory" };
  const answer = { results: [hit], mode: "hybrid", certain: false, note: "Nothing certain was found." };
  expect(Object.keys(modelView(answer, "who likes sushi?"))).toEqual(["certain", "note", "results", "mode"]);
  const { certain: _, note: __, ...certain } = answer;
  expect(Object.keys(modelView(certain, "who likes sushi?"))).toEqual(["results", "mode"]);
});
