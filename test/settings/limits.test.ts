import { expect, test } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { parseLimits } from "../../src/settings/limits.ts";

test("limits of an agent and of a tenant", () => {
  const agent = { files: 10, bytes: Number.MAX_SAFE_INTEGER, chunks: 0, facts: 5 };
  expect(parseLimits(agent, "limits.agent", "agent")).toEqual(agent);
  expect(parseLimits({ ...agent, agents: 3 }, "limits.tenant", "tenant")).toEqual({ ...agent, agents: 3 });
  expect(parseLimits({}, "limits.agent", "agent")).toEqual({});
});

test.each<[unknown, string]>([
  [{ files: -1 }, "limits.agent.files"],
  [{ bytes: 1.5 }, "limits.agent.bytes"],
  [{ chunks: 2 ** 53 }, "limits.agent.chunks"],
  [{ facts: "10" }, "limits.agent.facts"],
  [{ file: 1 }, "limits.agent.file"],
  [{ agents: 1 }, "limits.agent.agents"],
  [{ files: null }, "limits.agent.files"],
  [7, "limits.agent"],
])("%j is refused by its path", (value, path) => {
  expect(() => parseLimits(value, "limits.agent", "agent")).toThrow(AppError);
  expect(() => parseLimits(value, "limits.agent", "agent")).toThrow(`${path}: `);
});
