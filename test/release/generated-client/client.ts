// The code of a project with a client generated from /openapi.json. generated-client.test.ts
// compiles and runs it.
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
const agentId = "made";
const path = "notes/a b.md";

const health = await client.GET("/health/ready");
const made = await client.POST("/v1/agents", { body: { id: agentId, name: "Made" } });
const put = await client.PUT("/v1/agents/{agentId}/files/{path}", {
  params: { path: { agentId, path } },
  body: { content: "# Ports\n\nThe gateway listens on 8080.\n" },
});
const listed = await client.GET("/v1/agents/{agentId}/files", { params: { path: { agentId }, query: { limit: 5 } } });
const found = await client.POST("/v1/agents/{agentId}/tools/memory_search", {
  params: { path: { agentId } },
  body: { query: "gateway", maxResults: 1 },
});
const read = await client.POST("/v1/agents/{agentId}/tools/memory_get", {
  params: { path: { agentId } },
  body: { path, from: 3 },
});
const missing = await client.GET("/v1/agents/{agentId}/files/{path}", {
  params: { path: { agentId, path: "none.md" } },
});

const search = "/v1/agents/{agentId}/tools/memory_search";
// @ts-expect-error a search without its question
void (() => client.POST(search, { params: { path: { agentId } }, body: { maxResults: 1 } }));
// @ts-expect-error a member that no agent has
void made.data?.nothing;

const status: string | undefined = health.data?.status;
const hash: string | undefined = put.data?.hash;
const code: string | undefined = missing.error?.code;
process.stdout.write(
  JSON.stringify({
    status,
    made: made.data?.id,
    hash: hash?.length,
    listed: listed.data?.files.map((file) => file.path),
    found: found.data?.results.map((hit) => [hit.path, hit.startLine]),
    read: read.data?.text,
    code,
  }),
);
