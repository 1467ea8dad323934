import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { connectTo } from "../../src/wiring/connect-to-server.ts";

const asked: (string | undefined)[] = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  response.end("{}");
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test.each([
  ["", ""],
  ["/", ""],
  ["/v1", ""],
  ["/v1/", ""],
  ["/console/", ""],
  ["/memory/v1//", "/memory"],
  ["/memory1", "/memory1"],
  ["/mv1", "/mv1"],
])("clients and commands find the API at an address that ends with %j", async (end, base) => {
  asked.length = 0;
  await createClient({ url: `${url}${end}` }).key();
  await connectTo({ url: `${url}${end}`, description: "the server" } as Parameters<typeof connectTo>[0]).fetch(
    "/v1/key",
  );
  expect(asked).toEqual([`${base}/v1/key`, `${base}/v1/key`]);
});
