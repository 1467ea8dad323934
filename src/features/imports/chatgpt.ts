import { isObject } from "../../base/objects.ts";
import { idOf, readMessage } from "../../cli/sessions/transcript-line.ts";
import { readTime } from "../../service/sessions/message-schemas.ts";
import { writeCanvas } from "./chatgpt-canvas.ts";
import type { Fields } from "./fields.ts";
import type { Conversation, Entry, ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readConversations } from "./read-objects.ts";
import { fileName, isExportFile, safeSegment } from "./source-names.ts";
import { createWrittenDocuments } from "./written-documents.ts";

/**
 * The name of a conversations file. Large exports consist of parts such as
 * `conversations-000.json`.
 */
const CONVERSATIONS = /^conversations(-\d+)?\.json$/i;
/** The content types that are not text of the conversation, with their names in the report. */
const NOT_SAID: Readonly<Record<string, string>> = {
  thoughts: "thoughts",
  reasoning_recap: "thoughts",
  user_editable_context: "custom instructions",
  model_editable_context: "custom instructions",
  code: "tool calls",
  execution_output: "tool results",
  tether_quote: "tool results",
  tether_browsing_display: "tool results",
  system_error: "tool results",
};
const NOT_SAID_BY: Readonly<Record<string, string>> = { tool: "tool results", system: "system messages" };

/**
 * OpenAI's data export. Each conversation is a tree of messages; the branch that was shown last is
 * read. The documents of its canvas become files.
 */
export const chatgpt: ImportKind = {
  has: "conversations.json",
  isZipped: true,
  reads: (path) => isExportFile(path) && CONVERSATIONS.test(fileName(path)),
  read: readExport,
};

async function* readExport(file: SourceFile): AsyncGenerator<Item> {
  for await (const element of readConversations(file, "mapping")) {
    const { place } = element;
    if ("bad" in element) yield { bad: element.bad, place };
    else yield* readConversation(element.value, place);
  }
}

function* readConversation(value: unknown, place: string): Generator<Item> {
  if (!isObject(value) || !isObject(value.mapping)) {
    const hint = isObject(value) && Array.isArray(value.chat_messages) ? "; import it as claude" : "";
    yield { bad: `no conversation of ChatGPT: it has no mapping${hint}`, place };
    return;
  }
  const id = idOf(value.conversation_id ?? value.id);
  if (id === undefined) {
    yield { bad: "a conversation without an id", place };
    return;
  }
  const conversation: Conversation = {
    session: `chatgpt:${id}`,
    place,
    entries: entriesOf(value, value.mapping, place),
  };
  yield { conversation };
  yield* canvasFiles(value, value.mapping, `chatgpt/canvas/${safeSegment(id)}`);
}

function isCanvasCall({ recipient }: Fields): boolean {
  return recipient === "canmore.create_textdoc" || recipient === "canmore.update_textdoc";
}

/** Yields the documents of the canvas in their last version, and counts the changes that were not made. */
function* canvasFiles(value: Fields, mapping: Fields, folder: string): Generator<Item> {
  const documents = createWrittenDocuments(folder);
  let current: string | undefined;
  for (const id of branchOf(value, mapping)) {
    const node = mapping[id];
    const message = isObject(node) && isObject(node.message) ? node.message : {};
    const { recipient, create_time } = message;
    if (!isCanvasCall(message)) continue;
    const text = isObject(message.content) ? textsOf(message.content).join("") : "";
    const at = readTime(create_time);
    const written = writeCanvas(documents, { recipient, text, id, at }, current);
    if (written === undefined) yield { left: "changes of documents" };
    else current = written;
  }
  yield* documents.files();
}

function* entriesOf(value: Fields, mapping: Fields, place: string): Generator<Entry> {
  const branch = branchOf(value, mapping);
  const shown = new Set(branch);
  for (const [id, node] of Object.entries(mapping))
    if (!shown.has(id) && isObject(node) && isObject(node.message)) yield { left: "messages of other branches" };
  let at = value.create_time;
  for (const [index, id] of branch.entries()) {
    const node = mapping[id];
    const message = isObject(node) ? node.message : undefined;
    if (message === null || message === undefined) continue;
    const where = `${place} message ${index + 1}`;
    if (!isObject(message)) yield { bad: "no message", place: where };
    else {
      // Some messages have no time of their own. They get the time of the message before.
      at = message.create_time ?? at;
      yield* readNode({ ...message, id: message.id ?? id }, at, index + 1, where);
    }
  }
}

/**
 * Returns the nodes from the root to the node that was shown last. If the parents form a circle,
 * the walk stops at the first repeated node.
 */
function branchOf(value: Fields, mapping: Fields): string[] {
  const has = (id: unknown): id is string => typeof id === "string" && Object.hasOwn(mapping, id);
  const leaves = Object.entries(mapping).filter(
    ([, node]) => isObject(node) && (!Array.isArray(node.children) || node.children.length === 0),
  );
  let id: unknown = has(value.current_node) ? value.current_node : leaves.at(-1)?.[0];
  const branch = new Set<string>();
  while (has(id) && !branch.has(id)) {
    branch.add(id);
    const node = mapping[id];
    id = isObject(node) ? node.parent : undefined;
  }
  return [...branch].reverse();
}

function* readNode(message: Fields, at: unknown, number: number, place: string): Generator<Entry> {
  const author = isObject(message.author) ? message.author : {};
  const content = isObject(message.content) ? message.content : { text: message.content };
  const metadata = isObject(message.metadata) ? message.metadata : {};
  if (isCanvasCall(message)) return;
  const other = otherThanSaid(message, String(author.role), String(content.content_type), metadata);
  if (other !== undefined) {
    // In an export, each conversation begins with an empty system message, which is not counted.
    if (other !== "system messages" || textsOf(content).length > 0) yield { left: other };
    return;
  }
  const parts = [...partsOf(content), ...attachmentsOf(metadata)];
  for (const { type } of parts) if (type !== "text") yield { left: `${type}s` };
  const read = readMessage({ role: author.role, content: parts, at, id: message.id }, number);
  if ("message" in read) yield { message: read.message, place };
  else if ("bad" in read) yield { bad: read.bad, place };
}

/**
 * Returns the report's name for a message that is not a part of the conversation, or undefined for
 * any other message.
 */
function otherThanSaid(message: Fields, role: string, type: string, metadata: Fields): string | undefined {
  if (Object.hasOwn(NOT_SAID_BY, role)) return NOT_SAID_BY[role];
  if (role === "assistant" && typeof message.recipient === "string" && message.recipient !== "all") return "tool calls";
  if (Object.hasOwn(NOT_SAID, type)) return NOT_SAID[type];
  return metadata.is_visually_hidden_from_conversation === true ? "hidden messages" : undefined;
}

interface Part {
  type: "text" | "image" | "audio recording" | "video" | "file" | "part";
  text?: string;
  filename?: unknown;
}

function partsOf(content: Fields): Part[] {
  const parts = Array.isArray(content.parts) ? content.parts : [content.text];
  return parts.flatMap((part): Part[] => {
    if (typeof part === "string") return part.trim() === "" ? [] : [{ type: "text", text: withoutMarks(part) }];
    return isObject(part) ? [readPart(part)] : [];
  });
}

function readPart(part: Fields): Part {
  const type = String(part.content_type);
  // Speech with its transcription.
  if (typeof part.text === "string") return { type: "text", text: part.text };
  if (type.startsWith("image")) return { type: "image" };
  if (type.includes("video")) return { type: "video" };
  return { type: type.startsWith("audio") ? "audio recording" : "part" };
}

function textsOf(content: Fields): string[] {
  return partsOf(content).flatMap((part) => part.text ?? []);
}

/**
 * Returns the files that were attached to a message. Attached images are left out, because they are
 * parts of the message's content too.
 */
function attachmentsOf({ attachments }: Fields): Part[] {
  if (!Array.isArray(attachments)) return [];
  return attachments.flatMap((one): Part[] => {
    const isFile = isObject(one) && !String(one.mime_type ?? one.mimeType).startsWith("image/");
    return isFile ? [{ type: "file", filename: one.name }] : [];
  });
}

/** Removes the citation marks, which only ChatGPT's own pages can display. */
function withoutMarks(text: string): string {
  // The length is limited. Otherwise, a text with many opening marks and no closing mark would be
  // scanned to its end once per opening mark.
  return text
    .replace(/\ue200(?:file)?cite[^\ue201]{0,500}\ue201/g, "")
    .replace(/【\d{1,4}(?::\d{1,4})?†[^】]{0,500}】/g, "");
}
