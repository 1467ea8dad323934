import type { RecollectError } from "../../client/client.ts";
import { DOCUMENT_TYPES, type DocumentType, MAX_DOCUMENT_BYTES } from "../../service/files/document-type.ts";
import { codeOf, sentenceOf } from "../shell/problem.ts";
import { readSettled } from "./read-settled.ts";
import { ABOUT_A_FILE, type Sent, type Target, type Unit } from "./sending.ts";
import { reasonOf, tooLarge } from "./walk-folder.ts";

/**
 * Error codes by which the server refuses a document's content, or cannot read the document. The
 * document is skipped, like a binary file.
 */
const SKIPS = new Set(["converter_missing", "unsupported_media_type", "document_unreadable", "payload_too_large"]);
/** Error codes that apply to every document of the same kind. */
const OF_ITS_KIND = new Set(["converter_missing", "unsupported_media_type"]);

/**
 * The kinds of documents that the server has said it cannot read, each with the server's reason.
 */
export type UnreadKinds = Map<DocumentType, string>;

/**
 * Sends a document unchanged in a request of its own. The server reads its text, unless it already
 * has the same document at the path. A refusal is recorded in `sent`.
 *
 * @returns whether the old name of a moved document can be deleted
 * @throws RecollectError for a reason that concerns more than a single file
 */
export async function sendDocument(target: Target, unit: Unit, sent: Sent, unread: UnreadKinds): Promise<boolean> {
  const { file } = unit;
  const type = file?.document;
  if (!file || !type) return false;
  const { path, hash } = file;
  const skip = (reason: string) =>
    sent.refused.push({ path, hash, reason, overQuota: false, isOthers: false, isSkipped: true });
  const known = unread.get(type);
  if (known !== undefined) return skip(known) > 0;
  try {
    const { bytes, mtime } = await readSettled(file.absolute);
    if (bytes.length > MAX_DOCUMENT_BYTES) throw new Error(tooLarge(MAX_DOCUMENT_BYTES));
    const body = new Blob([new Uint8Array(bytes)], { type });
    const { origin, takeOver } = target;
    const written = await target.memory.files.putDocument(path, body, { mtime: mtime.toISOString(), origin, takeOver });
    if (unit.isAdopted) sent.adopted++;
    else sent.sent++;
    sent.chunks += written.chunks;
    sent.toEmbed += written.pendingEmbeddings;
    target.known.set(path, { hash, origin });
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) {
      sent.unread.push({ path, reason: `changed while syncing: ${reasonOf(error)}` });
      return false;
    }
    if (code === "unsupported_media_type") unread.set(type, `this server reads no ${DOCUMENT_TYPES[type].name}`);
    else if (OF_ITS_KIND.has(code)) unread.set(type, sentenceOf(error));
    if (SKIPS.has(code)) return skip(unread.get(type) ?? sentenceOf(error)) > 0;
    const isOthers = code === "origin_conflict";
    if (!isOthers && !ABOUT_A_FILE.has(code)) throw error as RecollectError;
    sent.refused.push({ path, hash, reason: sentenceOf(error), overQuota: code === "quota_exceeded", isOthers });
    return true;
  }
}
