import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentPath, evalAgentId } from "../../../src/features/evaluation/commands/document-path.ts";
import { AGENT_ID } from "../../../src/settings/agent-id.ts";
import { checkMemoryPath } from "../../../src/settings/memory-path.ts";

const id = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }),
  fc.constantFrom("..", ".", "a/b", "a~2fb", "~~", "C:", "-", "\\", "~7e~7e", "\n"),
);

describe("documentPath", () => {
  test("reads as the id does", () => {
    expect(documentPath("conv-26/D1:3")).toBe("corpus/conv-26~2fD1~3a3.md");
    expect(documentPath("..")).toBe("corpus/...md");
  });

  test("any id is a path the server takes as it is", () => {
    fc.assert(
      fc.property(id, (one) => {
        expect(checkMemoryPath(documentPath(one))).toBe(documentPath(one));
      }),
    );
  });

  test("two ids never share a path, also not when they differ in case, in form, or far behind", () => {
    const long = "x".repeat(400);
    const pairs = [
      ...[["a/b", "a~2fb"] as const, ["é", "e\u0301"] as const, ["Ab", "ab"] as const],
      ...[[long, `${long}x`] as const, ["~~1", "1"] as const],
    ];
    for (const [one, other] of pairs) expect(documentPath(one)).not.toBe(documentPath(other));
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(documentPath(one) === documentPath(other)).toBe(one === other);
      }),
    );
  });
});

describe("evalAgentId", () => {
  test("the plain words when they are an agent id, else the nearest with a hash", () => {
    expect(evalAgentId("locomo", "conv-26")).toBe("eval-locomo-conv-26");
    expect(evalAgentId("faq", "")).toBe("eval-faq");
    expect(evalAgentId("My FAQ", "")).toMatch(/^eval-my-faq-[0-9a-f]{8}$/);
    expect(evalAgentId("faq", "Käse")).not.toBe(evalAgentId("faq", "Kise"));
  });

  test("any name and scope make a legal agent id, and other scopes another", () => {
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(name, name, name, (one, scope, other) => {
        expect(evalAgentId(one, scope)).toMatch(AGENT_ID);
        expect(evalAgentId(one, scope) === evalAgentId(one, other)).toBe(scope === other);
      }),
    );
  });
});
