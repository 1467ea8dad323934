import { createHash, randomBytes } from "node:crypto";

/**
 * Returns `bytes` random bytes in lower-case hex; 6 bytes give names that do not collide among the
 * agents of any one cluster.
 */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

/**
 * Returns the SHA-256 of many bytes in hex. It is computed off the event loop, which sixteen
 * megabytes would block.
 */
export async function sha256OfBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

/** Returns the SHA-256 of the text's UTF-8 bytes in lower-case hex. */
export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns whether a text has the form of a UUID, as the ids of tenants and keys have. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
