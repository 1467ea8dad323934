import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkMarkdown } from "../../src/ingest/chunk-markdown.ts";
import { withoutData } from "../../src/ingest/embedded-data.ts";
import { cutWindows } from "../../src/ingest/session-windows.ts";
import { processorTime } from "../support/processor-time.ts";

/** Returns the same bytes on each call: of random bytes, one in sixty ended in a line that may be a word. */
const noise = (bytes: number) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes / 32) }, (_, n) => createHash("sha256").update(String(n)).digest()),
  ).subarray(0, bytes);
const base64 = (bytes: number) => noise(bytes).toString("base64");
const one = (line: string) => withoutData([line])[0];
const wrapped = (bytes: number) => base64(bytes).match(/.{1,76}/g) ?? [];

describe("data in a text", () => {
  test("a data URL is left out, and the text around it stays", () => {
    const png = `data:image/png;base64,${base64(120_000)}`;
    expect(one(`Before ![a screen](${png}) after`)).toBe("Before ![a screen]([image/png data, 160 kB]) after");
    expect(one(`<img alt="plan" src="${png}">`)).toBe('<img alt="plan" src="[image/png data, 160 kB]">');
    expect(one(`[logo]: ${png} "Logo"`)).toBe('[logo]: [image/png data, 160 kB] "Logo"');
    expect(one(`${png} and ${png}`)).toBe("[image/png data, 160 kB] and [image/png data, 160 kB]");
  });

  test.each([
    ["a font", `src: url(data:font/woff2;charset=utf-8;base64,${base64(3000)})`, "src: url([font/woff2 data, 4 kB])"],
    ["a PDF", `DATA:application/pdf;name=a.pdf;base64,${base64(3000)}`, "[application/pdf data, 4 kB]"],
    ["without a type", `data:;base64,${base64(3000)}`, "[embedded data, 4 kB]"],
    [
      "an escaped drawing",
      `![x](data:image/svg+xml,${encodeURIComponent("<svg xmlns='a'><path d='M 1 2'/></svg>".repeat(20))}) y`,
      /^!\[x\]\(\[image\/svg\+xml data, \d kB\]\) y$/,
    ],
    ["a notebook's output", `  "image/png": "${base64(3000)}",`, '  "image/png": "[base64 data, 4 kB]",'],
    ["base64url", `token ${noise(3000).toString("base64url")} end`, "token [base64 data, 4 kB] end"],
    ["hexadecimal", `dump ${noise(3000).toString("hex")}`, "dump [base64 data, 6 kB]"],
    ["20 MB", `data:video/mp4;base64,${"QUJDR0x1".repeat(2_500_000)}`, "[video/mp4 data, 20 MB]"],
  ])("%s", (_, line, expected) => {
    if (typeof expected === "string") expect(one(line)).toBe(expected);
    else expect(one(line)).toMatch(expected);
  });

  test("data that is broken into lines is left out, and the lines are still counted", () => {
    const data = wrapped(6000);
    const lines = ["Content-Transfer-Encoding: base64", "", ...data, "", "Regards"];
    const left = withoutData(lines);
    expect(left).toHaveLength(lines.length);
    expect(left.filter((line) => line !== "")).toEqual([lines[0], "[base64 data, 8 kB]", "Regards"]);
  });

  test.each([
    ["a small icon", `![i](data:image/gif;base64,${base64(90)}) ${"word ".repeat(40)}`],
    ["the word", `data: ${"numbers, names and data ".repeat(30)}`],
    ["a line of one sign", "-".repeat(5000)],
    ["a sequence", "ACGT".repeat(1000)],
    ["a word without end", "ha".repeat(3000)],
    ["a long path", "some/folder/with/parts/".repeat(80)],
    ["minified code", "function(a){return b.c(d,e)};".repeat(200)],
    ["text in a URL", `data:text/plain,${"Hello there. ".repeat(40)}`],
    ["unspaced script", "東京タワーに行きました".repeat(300)],
  ])("%s stays", (_, line) => {
    expect(one(line)).toBe(line);
  });

  test("a key of some lines stays", () => {
    const key = ["-----BEGIN CERTIFICATE-----", ...wrapped(1500), "-----END CERTIFICATE-----"];
    expect(withoutData(key)).toEqual(key);
  });

  test("takes linear time", () => {
    const hostile = [
      "data:".repeat(200_000),
      `data:image/png${";a=b".repeat(200_000)}`,
      `data:image/png;base64,${"A".repeat(199)} `.repeat(4000),
      "aB3".repeat(300_000),
      `data:image/svg+xml,${")".repeat(900_000)}`,
    ];
    const spent = processorTime();
    for (const line of hostile) withoutData([line]);
    withoutData(Array.from({ length: 40_000 }, (_, n) => (n % 39 === 0 ? "x" : "aB3d".repeat(15))));
    expect(spent()).toBeLessThan(500);
  });

  test("property: a text without long runs stays as it is", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 199 }), { maxLength: 30 }), (lines) => {
        expect(withoutData(lines)).toEqual(lines);
      }),
    );
  });
});

describe("chunks", () => {
  const settings = { tokens: 400, overlap: 80 };

  test("a note with a picture has few chunks, with true lines", () => {
    const note = `# Plan\n\nThe kitchen.\n\n![k](data:image/png;base64,${base64(120_000)})\n\nThe tap drips.\n`;
    const chunks = chunkMarkdown(note, settings);
    expect(chunks).toHaveLength(1);
    expect(chunks[0]).toMatchObject({ startLine: 1, endLine: 7 });
    expect(chunks[0]?.text).toBe("# Plan\n\nThe kitchen.\n\n![k]([image/png data, 160 kB])\n\nThe tap drips.");
  });

  test("a message with a picture has a window without it", () => {
    const text = `See data:image/jpeg;base64,${base64(60_000)} there`;
    const messages = [{ seq: 1, role: "user", name: null, text, firstLine: 1 }];
    const windows = cutWindows(messages, { from: 0, to: 0 }, settings);
    expect(windows.map((one) => one.text)).toEqual(["user: See [image/jpeg data, 80 kB] there"]);
  });
});
