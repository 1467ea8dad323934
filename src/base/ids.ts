import { createHash, randomBytes } from "node:crypto";

/** `bytes` random bytes in lower-case hex; 6 bytes give names that do not collide within any one cluster's agents. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

/** SHA-256 of many bytes, in hex; off the event loop, which sixteen megabytes would hold. */
export async function sha256OfBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

/** SHA-256 of the text's UTF-8 bytes, lower-case hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
