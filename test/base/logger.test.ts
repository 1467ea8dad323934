import { expect, test } from "vitest";
import { describeFault } from "../../src/base/describe-fault.ts";
import { createLogger } from "../../src/base/logger.ts";

test("a described error keeps its type, and gets no empty stack", () => {
  const lines: { err: object }[] = [];
  const logger = createLogger("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const lost = Object.assign(new Error("the server closes"), { code: "57P01", name: "DatabaseError" });
  logger.warn({ err: { type: "Error", message: "lost" } }, "a connection");
  logger.warn({ err: describeFault(lost) }, "described");
  logger.warn({ err: new RangeError("too far") }, "an error");
  expect(lines[0]?.err).toEqual({ type: "Error", message: "lost" });
  expect(lines[1]?.err).toMatchObject({ type: "DatabaseError", code: "57P01", stack: expect.stringContaining("at ") });
  expect(lines[2]?.err).toMatchObject({ type: "RangeError", message: "too far" });
});
