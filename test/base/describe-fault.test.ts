import { expect, test } from "vitest";
import { describeFault } from "../../src/base/describe-fault.ts";
import { AppError } from "../../src/base/errors.ts";

const caught = (work: () => unknown): Error => {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
};
const database = (code: string, message: string) => Object.assign(new Error(message), { code });

test("what quotes its input is told without its message, and with its place", () => {
  const parsing = caught(() => JSON.parse("quokka"));
  expect(parsing.message).toContain("quokka");
  for (const error of [
    parsing,
    database("22P02", 'invalid input syntax for type uuid: "quokka"'),
    database("23514", "quokka"),
    database("ENOENT", "ENOENT: no such file or directory, open '/quokka'"),
    new Error("the provider said quokka"),
    new AppError("internal", "It failed.", { cause: new Error("quokka") }),
  ])
    expect(JSON.stringify(describeFault(error))).not.toContain("quokka");
  expect(describeFault(parsing)).toMatchObject({ type: "SyntaxError", stack: expect.stringMatching(/^\s+at /) });
});

test("what cannot quote it is told: mistakes in code, states of the database, own sentences", () => {
  const mistake = caught(() => (undefined as unknown as { name: string }).name);
  expect(describeFault(mistake).message).toBe("Cannot read properties of undefined (reading 'name')");
  expect(describeFault(database("42P01", 'relation "x" does not exist'))).toMatchObject({
    code: "42P01",
    message: 'relation "x" does not exist',
  });
  expect(describeFault(new AppError("internal", "There is no generation.")).message).toBe("There is no generation.");
  expect(describeFault("quokka")).toEqual({ type: "string" });
});
