/** Malformed HTTP requests. Each one is sent as the bytes of a separate connection. */
const STATUS = "/v1/agents/main/status";
const FACTS = "/v1/agents/main/facts";
const FILE = "/v1/agents/main/files/kept.md";

/**
 * Makes a request with a key. `headers` replace the headers of a good request; undefined omits a
 * header.
 */
export function rawRequest(
  key: string,
  line: string,
  headers: Record<string, string | undefined> = {},
  body = "",
): string {
  const all = { host: "localhost", authorization: `Bearer ${key}`, connection: "close", ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${line}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Returns requests by name; each request is wrong in one way. */
export function malformedRequests(key: string): Map<string, string> {
  const request = (line: string, headers?: Record<string, string | undefined>, body?: string) =>
    rawRequest(key, line, headers, body);
  const get = (path: string, headers?: Record<string, string | undefined>) => request(`GET ${path} HTTP/1.1`, headers);
  const post = (headers: Record<string, string | undefined>, body: string, path = FACTS) =>
    request(`POST ${path} HTTP/1.1`, { "content-length": String(body.length), ...headers }, body);
  const json = { "content-type": "application/json" };
  const cases = new Map<string, string>();
  const add = (name: string, made: () => string) => cases.set(name, made());
  for (const host of [
    "",
    " ",
    "0x",
    "xn--",
    "xn--a.example",
    "a..b",
    "1.1.1.1.:80",
    "1.1.1.999:80",
    "[",
    "[::1",
    "[::1]x",
    "a b",
    "a/b",
    "a@b",
    "a?b",
    "a#b",
    "%",
    "%00",
    "a\\b",
    "é",
    "x".repeat(9000),
    "localhost:",
    "localhost:99999",
    "localhost:-1",
    "localhost:1:2",
    ",",
    "a,b",
  ])
    add(`host ${JSON.stringify(host.slice(0, 20))}`, () => get(STATUS, { host }));
  add("no host", () => get(STATUS, { host: undefined }));
  add("two hosts", () => get(STATUS, { Host: "other" }));
  for (const target of [
    "*",
    "",
    "//",
    "///",
    "//x/v1",
    "/%",
    "/%2",
    "/%zz",
    "/%ff",
    "/v1/%ff",
    "/v1/agents/%ff/status",
    "/v1/agents/%00/status",
    "/v1/agents/%ed%a0%80/status",
    "/v1/agents/main/files/%c0%af",
    "/v1/agents/main/files/%2e%2e/%2e%2e",
    "/v1/agents/main/files/..%5c..",
    "/v1/agents/main/files/a\\b",
    "\\v1",
    "http://",
    "http://x:99999/v1",
    "http://[/v1",
    "https://127.999.1.1/v1/key",
    "http://127.999.1.1/v1/key",
    "ftp://x/",
    "localhost:80",
    "/v1/agents/main/status?%",
    "/v1/agents/main/status?a=%ff",
    "/v1/agents/main/files?limit=%00",
    "/v1/agents/main/files?limit=1e999",
    "/v1/agents/main/files?cursor=%ff%fe",
    "/v1/agents/main/files?cursor=AAAA",
    "/v1/agents/main/changes?cursor=eyJ9",
    "/v1/agents/main/changes?since=9999999999999",
    "/v1/agents/main/changes?since=%2B275760-09-13",
    "/v1/audit?cursor=zzz",
    "/v1/jobs?cursor=zzz",
    "/v1/agents?__proto__=1",
    "/v1/agents/__proto__/status",
    "/v1/agents/constructor/status",
    "/v1/agents/main/sessions/%F0%9F%98%80",
    "/v1/agents/main/sessions/%20",
    "/v1/jobs/not-a-uuid",
    "/openapi.json?%",
    "/console/%ff",
    "/console/..%2f..%2fetc%2fpasswd",
    "/console/%00",
    "/reference/%ff",
    `/${"a/".repeat(4000)}`,
    `/v1/${"%41".repeat(4000)}`,
  ])
    add(`target ${JSON.stringify(target.slice(0, 60))}`, () => get(target));
  for (const method of [
    "TRACE",
    "TRACK",
    "CONNECT",
    "OPTIONS",
    "HEAD",
    "PROPFIND",
    "PATCH",
    "PURGE",
    "M-SEARCH",
    "LINK",
    "get",
    "QUERY",
    "SOURCE",
    "FOO",
    "__proto__",
  ]) {
    for (const path of [STATUS, "*", "/", "/health/live", "/console/"])
      add(`method ${method} ${path}`, () => request(`${method} ${path} HTTP/1.1`));
    add(`method ${method} with a body`, () =>
      request(`${method} ${FACTS} HTTP/1.1`, { ...json, "content-length": "2" }, "{}"),
    );
  }
  const headers: Record<string, string>[] = [
    { authorization: "" },
    { authorization: "Bearer" },
    { authorization: "Basic !!!" },
    { authorization: `Bearer ${"x".repeat(8000)}` },
    { authorization: "Bearer \xff\xfe" },
    { authorization: "Bearer rcl_000000000000_" },
    { "recollect-tenant": "" },
    { "recollect-tenant": "\xff" },
    { "recollect-tenant": "00000000-0000-0000-0000-00000000000g" },
    { "x-request-id": "\xe9" },
    { "x-request-id": "x".repeat(5000) },
    { traceparent: "00-zz-zz-zz" },
    { "if-none-match": '"\xff"' },
    { origin: "null" },
    { origin: "http://127.999.1.1" },
    { origin: "\xff" },
    { "accept-encoding": "\xff;q=x" },
    { accept: "///" },
    { range: "bytes=9-1" },
    { expect: "nonsense" },
    { upgrade: "websocket", Connection: "upgrade" },
    { upgrade: "h2c", Connection: "upgrade", "http2-settings": "x" },
    { cookie: "\xff=\xff" },
    { "content-length": "0" },
    { "last-event-id": "\xff" },
    { __proto__x: "1" },
    { "x-http-method-override": "DELETE" },
    { "x-forwarded-for": "\xff" },
    { forwarded: ";;;" },
  ];
  for (const header of headers) {
    const name = JSON.stringify(header).slice(0, 60);
    add(`headers ${name}`, () => get(STATUS, header));
    add(`headers ${name} without a key`, () => get(STATUS, { authorization: undefined, ...header }));
    add(`headers ${name} of an event stream`, () => get("/v1/agents/absent/changes/events", header));
  }
  const types = [
    "",
    "text",
    "application/json; charset=\xff",
    "application/json;;;",
    "application/json; charset=utf-16",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "\xff/\xff",
    "application/pdf",
    "application/json, text/html",
  ];
  for (const type of types)
    for (const path of [
      FACTS,
      "/v1/archives",
      "/v1/agents/main/mcp",
      "/v1/agents/main/files",
      "/v1/agents/main/tools/memory_search",
    ])
      add(`type ${JSON.stringify(type)} to ${path}`, () => post({ "content-type": type }, "{}", path));
  for (const type of types)
    add(`type ${JSON.stringify(type)} of a file`, () =>
      request(`PUT ${FILE} HTTP/1.1`, { "content-type": type, "content-length": "2" }, "{}"),
    );
  for (const coding of ["gzip", "br", "deflate", "identity", "nonsense", "gzip, gzip", "\xff"]) {
    add(`content coding ${JSON.stringify(coding)}`, () => post({ ...json, "content-encoding": coding }, "{}"));
    add(`content coding ${JSON.stringify(coding)} of an archive`, () =>
      post({ "content-type": "application/gzip", "content-encoding": coding }, "{}", "/v1/archives"),
    );
  }
  for (const coding of ["nonsense", "gzip", "chunked, gzip", "gzip, chunked", "identity"])
    add(`transfer coding ${coding}`, () =>
      post({ ...json, "content-length": undefined, "transfer-encoding": coding }, "2\r\n{}\r\n0\r\n\r\n"),
    );
  for (const length of ["-1", "x", "1e3", "0x2", "99999999999999999999", "+2", "2, 2", "2,3", ""])
    add(`length ${JSON.stringify(length)}`, () => post({ ...json, "content-length": length }, "{}"));
  add("both lengths", () => post({ ...json, "transfer-encoding": "chunked" }, "2\r\n{}\r\n0\r\n\r\n"));
  add("a chunk with a bad length", () =>
    post({ ...json, "content-length": undefined, "transfer-encoding": "chunked" }, "zz\r\n{}\r\n0\r\n\r\n"),
  );
  add("trailers", () =>
    post(
      { ...json, "content-length": undefined, "transfer-encoding": "chunked" },
      "2\r\n{}\r\n0\r\nhost: x\r\ncontent-length: 9\r\n\r\n",
    ),
  );
  for (const idempotency of ["", " ", "\xff", "x".repeat(300), "a b"])
    add(`idempotency key ${JSON.stringify(idempotency.slice(0, 9))}`, () =>
      post({ ...json, "idempotency-key": idempotency }, '{"facts":[]}'),
    );
  for (const body of [
    "",
    "null",
    "[]",
    "1",
    '"x"',
    "{",
    "{}}",
    '{"__proto__":{}}',
    '{"constructor":{"prototype":{}}}',
    '{"facts":null}',
    "\xff",
    "[".repeat(70000),
    '{"facts":[{"text":"\\ud800"}]}',
    '{"facts":[{"text":"x","validFrom":"+275760-09-13T00:00:00.001Z"}]}',
    '{"facts":1e999}',
  ])
    for (const path of [
      FACTS,
      "/v1/agents",
      "/v1/keys",
      "/v1/tenants",
      "/v1/agents/main/mcp",
      "/v1/agents/main/tools/memory_get",
      "/v1/agents/main/tools/absent",
      "/v1/agents/main/sync",
    ])
      add(`body ${JSON.stringify(body.slice(0, 40))} to ${path}`, () => post(json, body, path));
  for (const version of ["HTTP/0.9", "HTTP/1.0", "HTTP/2.0", "HTTP/9.9", "ICY", ""])
    add(`version ${version}`, () => request(`GET ${STATUS} ${version}`));
  add("a TLS greeting", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
  add("a header without a name", () => `GET ${STATUS} HTTP/1.1\r\nhost: x\r\n: x\r\n\r\n`);
  add("a header that is folded", () => `GET ${STATUS} HTTP/1.1\r\nhost: x\r\nx: a\r\n b\r\nconnection: close\r\n\r\n`);
  add("ten thousand headers", () =>
    get(STATUS, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`x${i}`, ""]))),
  );

  return cases;
}
