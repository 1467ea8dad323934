import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { typedCommand } from "../../src/start/typed-command.ts";

const url = (path: string) => pathToFileURL(path).href;

test("a clone's command is named as it can be typed in the folder; an installed one by its name", () => {
  const inClone = url("/home/me/recollect/src/start/typed-command.ts");
  expect(typedCommand("/home/me/recollect", inClone)).toBe("./recollect");
  expect(typedCommand("/home/me/notes", inClone)).toBe("/home/me/recollect/recollect");
  expect(typedCommand("/home/me", inClone)).toBe("/home/me/recollect/recollect");
  const installed = url("/app/node_modules/recollect/dist/start/typed-command.js");
  expect(typedCommand("/app/node_modules/recollect", installed)).toBe("recollect");
});
