import fc from "fast-check";
import { expect, test } from "vitest";
import { block, int, readFields, readInts } from "../../src/onnx/protobuf.ts";

const bytesOf = (parts: readonly (readonly Uint8Array[])[]) => Buffer.concat(parts.flat());

test("what is written is read again", () => {
  const numbers = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.maxSafeNat());
  const texts = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.string({ unit: "binary", maxLength: 300 }));
  fc.assert(
    fc.property(fc.array(fc.oneof(numbers, texts)), (fields) => {
      const message = bytesOf(
        fields.map(([field, content]) => (typeof content === "number" ? int(field, content) : block(field, content))),
      );
      const read = [...readFields(message)];
      expect(
        read.map(({ number, int: whole, bytes }, i) => [
          number,
          typeof fields[i]?.[1] === "number" ? whole : Buffer.from(bytes).toString(),
        ]),
      ).toEqual(
        fields.map(([field, content]) => [
          field,
          typeof content === "number" ? content : Buffer.from(content).toString(),
        ]),
      );
      expect(Buffer.concat(read.map(({ raw }) => raw))).toEqual(message);
    }),
  );
});

test("a negative number is one of 64 bits, as protobuf.dev has it", () => {
  expect(bytesOf([int(8, -1)])).toEqual(Buffer.from("40ffffffffffffffffff01", "hex"));
  expect(bytesOf([int(8, -2)])).toEqual(Buffer.from("40feffffffffffffffff01", "hex"));
});

test("lists of numbers are read packed or one by one", () => {
  expect(readInts([...readFields(Buffer.from("0a0330ac02", "hex"))], 1)).toEqual([48, 300]);
  expect(readInts([...readFields(Buffer.from("083008ac02", "hex"))], 1)).toEqual([48, 300]);
});

test.each(["0a", "0a05ff", "08", "08ffffffffffffffffffff01", "0b", "0d0000"])("the bytes %s are no message", (hex) => {
  expect(() => [...readFields(Buffer.from(hex, "hex"))]).toThrow();
});
