import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ErrorBody, startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.drop());

const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as ErrorBody).error?.code];

describe("bindings", () => {
  interface Route {
    agentId: string;
    matchedBy: string;
    sessionKey: string;
  }
  const put = (bindings: unknown[], key?: string) => app.call("PUT", "/v1/bindings", { bindings }, key);
  const route = async (message: object, key?: string) =>
    (await app.call<Route>("POST", "/v1/route", message, key)).body;
  const peer = { kind: "direct", id: "u1" };

  test("route a message by peer, then account, then channel, then to the default agent", async () => {
    for (const id of ["by-channel", "by-account", "by-peer"]) await app.call("POST", "/v1/agents", { id });
    const bindings = [
      { agentId: "by-channel", match: { channel: "slack" } },
      { agentId: "by-account", match: { channel: "slack", accountId: "team" } },
      { agentId: "by-peer", match: { channel: "slack", peer } },
      { agentId: "main", match: { channel: "slack" } },
    ];
    expect(await put(bindings)).toMatchObject({ status: 200, body: { bindings } });
    expect((await app.call("GET", "/v1/bindings")).body).toEqual({ bindings, inherited: [] });
    expect(await route({ channel: "slack", accountId: "team", peer })).toEqual({
      agentId: "by-peer",
      matchedBy: "peer",
      sessionKey: "agent:by-peer:slack:direct:u1",
    });
    expect(await route({ channel: "Slack", accountId: "team" })).toMatchObject({
      agentId: "by-account",
      matchedBy: "account",
    });
    expect(await route({ channel: "slack", context: "c1" })).toEqual({
      agentId: "by-channel",
      matchedBy: "channel",
      sessionKey: "agent:by-channel:slack:c1",
    });
    expect(await route({ channel: "irc", peer })).toMatchObject({ agentId: "main", matchedBy: "default" });
    expect(await route({})).toEqual({ agentId: "main", matchedBy: "default", sessionKey: "agent:main:api:main" });
  });

  test("are replaced whole, and one that is not valid changes nothing", async () => {
    const before = (await app.call<{ bindings: object[] }>("GET", "/v1/bindings")).body;
    expect(before.bindings).toHaveLength(4);
    const fine = { agentId: "by-peer", match: { channel: "irc" } };
    expect(codeOf(await put([fine, { agentId: "nobody", match: { channel: "irc" } }]))).toEqual([
      ...[404, "agent_not_found"],
    ]);
    const bad = await app.call<ErrorBody>("PUT", "/v1/bindings", { bindings: [fine, { ...fine, match: {} }] });
    expect(codeOf(bad)).toEqual([400, "invalid_settings"]);
    expect(bad.body.error.message).toContain("bindings[1].match");
    expect((await app.call("GET", "/v1/bindings")).body).toEqual(before);
    await put([fine]);
    expect((await app.call("GET", "/v1/bindings")).body).toMatchObject({ bindings: [fine] });
    await put([]);
    expect(await route({ channel: "irc" })).toMatchObject({ agentId: "main" });
  });

  test("without a match they are the default route", async () => {
    await put([{ agentId: "by-channel" }, { agentId: "by-peer", match: { channel: "slack", peer } }]);
    expect(await route({ channel: "irc" })).toMatchObject({ agentId: "by-channel", matchedBy: "default" });
    expect(await route({ channel: "slack", peer })).toMatchObject({ agentId: "by-peer", matchedBy: "peer" });
    const listed = await app.call<{ bindings: unknown[] }>("GET", "/v1/bindings");
    expect(listed.body.bindings[0]).toEqual({ agentId: "by-channel" });
    await put([]);
  });

  test("are a tenant's own, and lead to its own agents only", async () => {
    await put([{ agentId: "by-peer", match: { channel: "mail" } }]);
    const key = await app.key(["tenant"], { tenantId: await app.tenant("routed") });
    expect(codeOf(await put([{ agentId: "by-peer", match: { channel: "mail" } }], key))).toEqual([
      404,
      "agent_not_found",
    ]);
    expect(await route({ channel: "mail" }, key)).toMatchObject({ agentId: "main", matchedBy: "default" });
    expect(await put([{ agentId: "main", match: { channel: "mail" } }], key)).toMatchObject({ status: 200 });
    expect(await route({ channel: "mail" })).toMatchObject({ agentId: "by-peer" });
  });
});
