import type { Context } from "hono";
import { AppError } from "../../base/errors.ts";
import { sha256OfBytes } from "../../base/ids.ts";
import { type DocumentType, MAX_DOCUMENT_BYTES, MEDIA_TYPES } from "../../service/files/document-type.ts";
import type { SentDocument } from "../../service/files/file-hooks.ts";
import type { AppEnv, HttpDeps } from "../context.ts";
import { createRoom } from "./body-memory.ts";
import { fingerprintOf } from "./check-body.ts";
import { type BodyReader, lengthOf, partsOf, receive, tooLarge, typeOf } from "./read-body.ts";

/**
 * Returns the kind of document that a request declares as its body; undefined if the body is no
 * document.
 */
export function documentTypeOfBody(c: Context<AppEnv>): DocumentType | undefined {
  const type = typeOf(c);
  return MEDIA_TYPES.find((one) => one === type);
}

/**
 * Refuses a body that is neither JSON with a text nor a document.
 *
 * @throws AppError `unsupported_media_type`
 */
export function requireTextOrDocument(c: Context<AppEnv>): void {
  if (typeOf(c) === "application/json") return;
  throw new AppError(
    "unsupported_media_type",
    'Send a text as JSON, {"content": "…"} with the header Content-Type: application/json, or a document with its own type: ' +
      `${MEDIA_TYPES.join(", ")}.`,
  );
}

/**
 * Makes the reader of bodies that are documents. It returns their bytes unchanged, and refuses a
 * body that is too long while it arrives.
 */
export function createDocumentReader({ bodyMemory }: HttpDeps): BodyReader {
  const maxBytes = Math.min(MAX_DOCUMENT_BYTES, bodyMemory.most);
  return {
    read: async (c, once, admit) => {
      const length = lengthOf(c);
      if (length !== undefined && length > maxBytes) throw tooLarge(maxBytes);
      const { tenantId, actor } = c.get("caller");
      const room = createRoom(bodyMemory, { tenantId, actor });
      const free = () => room.free();
      const check = (_part: Uint8Array, received: number) => {
        if (received > maxBytes) throw tooLarge(maxBytes);
      };
      try {
        const bytes = await receive(partsOf(c, length), length, check, { room, admit });
        const [, charset] = /;\s*charset="?([\w-]{1,40})/i.exec(c.req.header("content-type") ?? "") ?? [];
        const body: SentDocument = { type: documentTypeOfBody(c) ?? "text/html", bytes, charset };
        const fingerprint = once && fingerprintOf(once, await sha256OfBytes(bytes));
        return { body, fingerprint, free };
      } catch (error) {
        free();
        throw error;
      }
    },
  };
}
