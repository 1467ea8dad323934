import { describe, expect, it } from "vitest";
import { headingPaths, headingText } from "../../src/ingest/heading-path.ts";

describe("headingText", () => {
  it.each([
    ["Plain", "Plain"],
    ["`std::vector` **class**", "std::vector class"],
    ["[link](a/b.md) and ![img](c.png)", "link and img"],
    ['<a name="x"></a> Syntax<br/>', "Syntax"],
    ["vector\\<int\\>", "vector<int>"],
    ["`vector<int>`", "vector<int>"],
    ["__cplusplus and snake_case * 2", "__cplusplus and snake_case * 2"],
    ["Title {#anchor}", "Title"],
    ["two\nlines", "two lines"],
  ])("%j", (markdown, text) => {
    expect(headingText(markdown)).toBe(text);
  });

  it("cuts a long one between characters", () => {
    const text = headingText(`x${"😀".repeat(200)}`);
    expect(text.length).toBeLessThanOrEqual(120);
    expect(text.endsWith("😀…")).toBe(true);
    expect(text.isWellFormed()).toBe(true);
  });
});

describe("headingPaths", () => {
  const heading = (line: number, depth: number, text: string) => ({ line, depth, text });

  it("follows the headings down and up", () => {
    const at = headingPaths("", [heading(1, 1, "A"), heading(3, 3, "C"), heading(5, 2, "B"), heading(7, 1, "Z")]);
    expect([0, 1, 2, 3, 5, 6, 7, 9].map(at)).toEqual(["", "A", "A", "A > C", "A > B", "A > B", "Z", "Z"]);
  });

  it("starts with the title, once", () => {
    expect(headingPaths("T", [heading(0, 1, "A")])(0)).toBe("T > A");
    expect(headingPaths("The Title", [heading(1, 1, "The title")])(0)).toBe("The Title");
    expect(headingPaths("The Title", [heading(1, 1, "The title")])(1)).toBe("The title");
  });

  it("drops the outermost headings beyond 300 characters", () => {
    const headings = ["A", "B", "C", "D"].map((text, i) => heading(i, i + 1, text.repeat(100)));
    expect(headingPaths("root", headings)(9)).toBe(["C".repeat(100), "D".repeat(100)].join(" > "));
  });
});
