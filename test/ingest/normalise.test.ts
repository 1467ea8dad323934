import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../src/base/errors.ts";
import { contentHash, decodeUtf8, toLines } from "../../src/ingest/normalise.ts";

describe("decodeUtf8", () => {
  it("keeps every character, the byte order mark too", () => {
    const text = "\uFEFFa\u0000é漢😀\r\n";
    expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
  });

  it.each([
    ["a lone continuation byte", [0x61, 0x80]],
    ["Latin-1", [0x63, 0x61, 0x66, 0xe9]],
    ["a cut-off sequence", [0xe6, 0xbc]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
  ])("refuses %s", (_name, bytes) => {
    const decode = () => decodeUtf8(Uint8Array.from(bytes));
    expect(decode).toThrow(AppError);
    expect(decode).toThrow(expect.objectContaining({ code: "invalid_encoding" }));
  });
});

describe("toLines", () => {
  it.each([
    ["", []],
    ["\uFEFF", []],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["\n", [""]],
    ["\n\n", ["", ""]],
    ["a\n\n", ["a", ""]],
    ["a\r\nb\rc\nd", ["a", "b", "c", "d"]],
    ["a\r\r\nb\r", ["a", "", "b"]],
    ["\uFEFF\uFEFFa", ["\uFEFFa"]],
    ["a\u2028b\u0085c\fd", ["a\u2028b\u0085c\fd"]],
    ["x\uD800y\n\uDC00", ["x\uFFFDy", "\uFFFD"]],
  ])("%j", (content, lines) => {
    expect(toLines(content)).toEqual(lines);
  });

  it("gives the same lines for every kind of line end", () => {
    const lines = fc.array(fc.stringMatching(/^[ -~漢é]*$/), { minLength: 1 });
    fc.assert(
      fc.property(lines, fc.constantFrom("\n", "\r\n", "\r"), (expected, end) => {
        expect(toLines(expected.map((line) => line + end).join(""))).toEqual(expected);
      }),
    );
  });
});

describe("contentHash", () => {
  it("is the SHA-256 of the UTF-8 bytes", () => {
    expect(contentHash("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const text = "\uFEFFé漢😀\r\n";
    expect(contentHash(text)).toBe(createHash("sha256").update(Buffer.from(text)).digest("hex"));
  });

  it("tells line ends and a byte order mark apart", () => {
    expect(new Set(["a\n", "a\r\n", "\uFEFFa\n"].map(contentHash)).size).toBe(3);
  });
});
