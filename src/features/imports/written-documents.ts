import { createHash } from "node:crypto";
import type { Item } from "./import-kind.ts";
import { noteFile } from "./note-file.ts";
import { safeSegment } from "./source-names.ts";

/** The characters of an id's hash that keep documents with the same title apart. */
const HASH_CHARS = 8;

/** The documents that an assistant wrote beside a conversation, such as artifacts. */
export interface WrittenDocuments {
  /** Sets the whole text of a document. */
  write(id: string, title: string, text: string, at: unknown): void;
  /** Sets the text of a document, which keeps its title. Returns false if there is no such document. */
  rewrite(id: string, text: string, at: unknown): boolean;
  /**
   * Replaces the first occurrence of a part of a document, or all of them.
   *
   * @returns false if there is no such document, or the part does not occur in it
   */
  replace(id: string, change: { old: string; with: string; isAll?: boolean }, at: unknown): boolean;
  /** Yields the last version of each document as a file of the folder. */
  files(): Generator<Item>;
}

/** Creates the documents of one conversation, whose files are in `folder`. */
export function createWrittenDocuments(folder: string): WrittenDocuments {
  const documents = new Map<string, { title: string; text: string; at: unknown }>();
  return {
    write: (id, title, text, at) => {
      documents.set(id, { title, text, at });
    },
    rewrite: (id, text, at) => {
      const document = documents.get(id);
      if (document) documents.set(id, { title: document.title, text, at });
      return document !== undefined;
    },
    replace: (id, { old, with: part, isAll = false }, at) => {
      const document = documents.get(id);
      if (!document || old === "" || !document.text.includes(old)) return false;
      // A function, because a text would be read for patterns such as `$1`.
      const text = isAll ? document.text.replaceAll(old, () => part) : document.text.replace(old, () => part);
      documents.set(id, { ...document, text, at });
      return true;
    },
    *files() {
      for (const [id, { title, text, at }] of documents) {
        const hash = createHash("sha256").update(id).digest("hex").slice(0, HASH_CHARS);
        const name = `${hash}-${safeSegment(title)}`;
        yield* noteFile(`${folder}/${/\.\w{1,5}$/.test(name) ? name : `${name}.md`}`, text, at);
      }
    },
  };
}
