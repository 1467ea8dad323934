import { UnreadableDocument } from "./document-text.ts";

/** The most bytes that the text parts may unpack to. 500 pages have about ten megabytes. */
const MAX_UNPACKED_BYTES = 24_000_000;
const MAX_PARTS = 5000;
/** The bytes given to the inflater at a time. Deflate expands them at most a thousandfold. */
const PIECE_BYTES = 4096;
/** The first bytes of a DOCX with a password, which is an OLE container instead of a ZIP. */
const OLE_MAGIC = [0xd0, 0xcf, 0x11, 0xe0];
const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"];

/**
 * Reads the text of a Word document as HTML. The ZIP is unpacked here within limits, and packed
 * again without pictures and without compression, because the reader has no limits of its own.
 *
 * @param advance called from time to time
 * @throws UnreadableDocument
 */
export async function docxToHtml(bytes: Uint8Array, advance: () => void): Promise<string> {
  if (OLE_MAGIC.every((byte, at) => bytes[at] === byte)) throw new UnreadableDocument("encrypted");
  const { default: mammoth } = await import("mammoth");
  const packed = await repack(bytes);
  advance();
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(packed) },
      {
        styleMap: STYLES,
        externalFileAccess: false,
        // Pictures have no text, and as data URLs they would add megabytes.
        convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
        transformDocument: (element: unknown) => {
          advance();
          return element;
        },
      },
    );
    return value;
  } catch (cause) {
    throw new UnreadableDocument(cause instanceof RangeError ? "too deep" : "damaged", cause);
  }
}

/**
 * Repacks the ZIP with only its XML files, uncompressed.
 *
 * @throws UnreadableDocument `damaged`, `too large`
 */
async function repack(bytes: Uint8Array): Promise<Uint8Array> {
  const { Unzip, UnzipInflate, zipSync } = await import("fflate");
  const parts = new Map<string, Uint8Array[]>();
  let [unpacked, entries] = [0, 0];
  const unzip = new Unzip((entry) => {
    if (++entries > MAX_PARTS) throw new UnreadableDocument("too large");
    if (!/\.(xml|rels)$/i.test(entry.name) || parts.has(entry.name)) return;
    const pieces: Uint8Array[] = [];
    parts.set(entry.name, pieces);
    entry.ondata = (error, piece) => {
      if (error) throw error;
      unpacked += piece.length;
      if (unpacked > MAX_UNPACKED_BYTES) throw new UnreadableDocument("too large");
      pieces.push(piece);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      unzip.push(bytes.subarray(at, at + PIECE_BYTES), at + PIECE_BYTES >= bytes.length);
  } catch (cause) {
    throw cause instanceof UnreadableDocument ? cause : new UnreadableDocument("damaged", cause);
  }
  const files = [...parts].map(([name, pieces]) => [name, Buffer.concat(pieces)] as const);
  if (!parts.has("[Content_Types].xml")) throw new UnreadableDocument("damaged");
  return zipSync(Object.fromEntries(files), { level: 0 });
}
