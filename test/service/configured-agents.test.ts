import { expect, test } from "vitest";
import { extraFolder } from "../support/extra-folder.ts";
import { startTestApp } from "../support/test-app.ts";

interface Listed {
  agents: { id: string; name: string; usage: { files: number } }[];
  nextCursor?: string;
}

test("agents of the operator's file are listed under their names before their first use", async () => {
  const home = extraFolder();
  const list = ["ann", "main", "zoe"].map((id) => ({ id, name: `${id} of the file` }));
  home.write(".recollect/config.yaml", JSON.stringify({ agents: { list } }));
  const app = await startTestApp({ worker: false, env: { HOME: home.path } });
  try {
    await app.put("a.md", "A.", "bob");
    await app.put("a.md", "A.", "zoe");
    const listed = async (query = "") => (await app.call<Listed>("GET", `/v1/agents${query}`)).body;
    const all = await listed();
    expect(all.agents.map(({ id, name, usage }) => [id, name, usage.files])).toEqual([
      ["ann", "ann of the file", 0],
      ["bob", "", 1],
      ["main", "main of the file", 0],
      ["zoe", "zoe of the file", 1],
    ]);
    const pages: string[][] = [];
    for (let cursor = ""; ; ) {
      const page = await listed(`?limit=1${cursor}`);
      pages.push(page.agents.map(({ id }) => id));
      if (page.nextCursor === undefined) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(pages).toEqual([["ann"], ["bob"], ["main"], ["zoe"]]);
    // Databases do not agree on the order of these: by code point it is "a-c", "a1", "a_b", "ab".
    for (const id of ["a-c", "ab", "a1", "a_b"]) await app.put("a.md", "A.", id);
    const whole = (await listed()).agents.map(({ id }) => id);
    const single: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await listed(`?limit=1${cursor}`);
      single.push(...page.agents.map(({ id }) => id));
      if (page.nextCursor === undefined) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(single).toEqual(whole);
    expect(single.toSorted()).toEqual(["a-c", "a1", "a_b", "ab", "ann", "bob", "main", "zoe"]);
    await app.call("PATCH", "/v1/agents/zoe", { name: "Zoë" });
    expect((await app.call<{ name: string }>("GET", "/v1/agents/zoe")).body.name).toBe("Zoë");
    expect((await app.call<{ name: string }>("GET", "/v1/agents/ann")).body.name).toBe("ann of the file");
    // The file knows no other tenant.
    const key = await app.key(["tenant", "agent:read"], { tenantId: await app.tenant("other") });
    const others = await app.call<Listed>("GET", "/v1/agents", undefined, key);
    expect(others.body.agents.map(({ id }) => id)).toEqual([]);
  } finally {
    await app.drop();
    home.remove();
  }
});
