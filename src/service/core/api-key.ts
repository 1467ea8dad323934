import { timingSafeEqual } from "node:crypto";
import { randomHex, sha256 } from "../../base/ids.ts";

/**
 * The format of a key: `rcl_`, 12 hex digits that name the key, `_`, and 48 hex digits (192 random
 * bits) that are the secret.
 */
const FORMAT = /^(rcl_[0-9a-f]{12})_[0-9a-f]{48}$/;

/** Returns a new key. The whole key is shown once; only its prefix and its hash are stored. */
export function makeApiKey(): { key: string; prefix: string; hash: string } {
  const prefix = `rcl_${randomHex(6)}`;
  const key = `${prefix}_${randomHex(24)}`;
  return { key, prefix, hash: sha256(key) };
}

/** Returns the part of a key by which it is found; undefined for a text that cannot be a key. */
export function apiKeyPrefix(key: string): string | undefined {
  return FORMAT.exec(key)?.[1];
}

/**
 * Returns whether a key has this SHA-256, compared in constant time. A key has 192 random bits, so
 * its hash needs no salt and no slow function.
 */
export function isApiKey(key: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(key), "hex"), Buffer.from(hash, "hex"));
}
