import { expect, test } from "vitest";
import { diagnoseModel } from "../../src/service/diagnose-machine.ts";

// A package that Recollect has no more would be asked for for ever.
test("the model and its native code are found where everything is installed", async () => {
  expect(await diagnoseModel()).toMatchObject({
    state: "ok",
    message: "The built-in model is there, with native code.",
  });
});
