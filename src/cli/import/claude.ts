import { createHash } from "node:crypto";
import { isObject } from "../../base/objects.ts";
import { clean, idOf, readMessage } from "../sessions/transcript-line.ts";
import type { Entry, ImportKind, Item, SourceFile } from "./import-kind.ts";
import { readElements } from "./json-elements.ts";
import { fileName, isExportFile, placeOf, safeSegment } from "./source-names.ts";

type Fields = Readonly<Record<string, unknown>>;

const CONVERSATIONS = /^conversations(-\d+)?\.json$/i;
const MEMORIES = /(^|\/)memories(\.json|\/[^/]+\.json)$/i;
const PROJECTS = /(^|\/)projects(\.json|\/[^/]+\.json)$/i;
/**
 * The parts of a message that are not words of the conversation, with their names in the report.
 */
const NOT_SAID: Readonly<Record<string, string>> = {
  thinking: "thoughts",
  redacted_thinking: "thoughts",
  tool_use: "tool calls",
  tool_result: "tool results",
};

/**
 * Anthropic's data export of claude.ai. It has conversations, and as files Claude's own memory and
 * the documents of projects.
 */
export const claude: ImportKind = {
  has: "conversations.json",
  isZipped: true,
  reads: (path) =>
    isExportFile(path) && (CONVERSATIONS.test(fileName(path)) || MEMORIES.test(path) || PROJECTS.test(path)),
  read: readExport,
};

async function* readExport(file: SourceFile): AsyncGenerator<Item> {
  const read = MEMORIES.test(file.path) ? readMemories : PROJECTS.test(file.path) ? readProject : readConversation;
  const lists = read === readConversation ? ["conversations"] : [];
  for await (const element of readElements(await file.open(), lists)) {
    const place = placeOf(file, element);
    if ("bad" in element) yield { bad: element.bad, place };
    else if (isObject(element.value)) yield* read(element.value, place);
    else yield { bad: "not an object", place };
  }
}

function* readConversation(value: Fields, place: string): Generator<Item> {
  const id = idOf(value.uuid);
  if (id === undefined || !Array.isArray(value.chat_messages)) {
    const hint = isObject(value.mapping) ? "; import it as chatgpt" : "";
    yield { bad: `no conversation of Claude: it has no uuid or no chat_messages${hint}`, place };
    return;
  }
  const entries = entriesOf(value.chat_messages, value.created_at, place);
  yield { conversation: { session: `claude:${id}`, place, entries } };
}

function* entriesOf(messages: readonly unknown[], begun: unknown, place: string): Generator<Entry> {
  let at = begun;
  for (const [index, message] of messages.entries()) {
    const where = `${place} message ${index + 1}`;
    if (!isObject(message)) {
      yield { bad: "no message", place: where };
      continue;
    }
    at = message.created_at ?? at;
    yield* readChatMessage(message, at, index + 1, where);
  }
}

function* readChatMessage(message: Fields, at: unknown, number: number, place: string): Generator<Entry> {
  const content = Array.isArray(message.content) ? message.content.filter(isObject) : [];
  const isSaid = (part: Fields) => !Object.hasOwn(NOT_SAID, String(part.type));
  for (const part of content) if (!isSaid(part)) yield { left: NOT_SAID[String(part.type)] ?? "parts" };
  // `text` holds the same words, but replaces content that a device cannot show by a sentence.
  const said = content.length > 0 ? content.filter(isSaid) : message.text;
  const attachments = listOf(message.attachments);
  const files = [...listOf(message.files), ...attachments].map((one) => ({ type: "file", filename: one.file_name }));
  for (const _ of listOf(message.files)) yield { left: "files" };
  const parts = typeof said === "string" ? [{ type: "text", text: said }, ...files] : [...(said as Fields[]), ...files];
  yield* read({ role: message.sender, content: parts, at, id: message.uuid }, number, place);
  for (const [index, one] of attachments.entries()) {
    const text = one.extracted_content;
    if (typeof text !== "string" || text.trim() === "") yield { left: "files" };
    // The attachment has the words of another author, so nothing is captured from it: it has the
    // role `tool`.
    else
      yield* read(
        { role: "tool", name: one.file_name, text, at, id: `${String(message.uuid)}:attachment:${index + 1}` },
        number,
        `${place} attachment ${index + 1}`,
      );
  }
}

function* read(fields: Fields, number: number, place: string): Generator<Entry> {
  const one = readMessage(fields, number);
  if ("message" in one) yield { message: one.message, place };
  else if ("bad" in one) yield { bad: one.bad, place };
}

/** Reads Claude's memory of all conversations, and of the conversations of each project. */
function* readMemories(value: Fields, place: string): Generator<Item> {
  const whole = value.conversations_memory;
  if (typeof whole === "string") yield* noteOf("claude/memory.md", whole, undefined);
  const projects = isObject(value.project_memories) ? Object.entries(value.project_memories) : [];
  for (const [id, text] of projects)
    if (typeof text === "string") yield* noteOf(`claude/projects/${safeSegment(id)}/memory.md`, text, undefined);
    else yield { bad: "a memory that is no text", place: `${place} ${id}` };
}

/** Reads the instructions and documents of a project. */
function* readProject(value: Fields, place: string): Generator<Item> {
  const id = idOf(value.uuid);
  if (id === undefined) {
    yield { bad: "a project without an uuid", place };
    return;
  }
  const folder = `claude/projects/${safeSegment(id)}`;
  const texts = [value.description, value.prompt_template].filter((text) => typeof text === "string");
  const about = texts.filter((text) => text.trim() !== "");
  const title = typeof value.name === "string" ? `# ${clean(value.name)}` : "";
  if (about.length > 0) yield* noteOf(`${folder}/project.md`, [title, ...about].join("\n\n"), value.updated_at);
  for (const [index, doc] of listOf(value.docs).entries()) {
    const { filename, content, created_at, uuid } = doc;
    if (typeof content !== "string") yield { bad: "a document without text", place: `${place} docs[${index}]` };
    // The id keeps documents of a project apart that have the same name.
    else {
      const name = `${safeSegment(idOf(uuid) ?? String(index)).slice(0, 8)}-${safeSegment(String(filename))}`;
      yield* noteOf(`${folder}/${name}`, content, created_at);
    }
  }
}

function* noteOf(path: string, text: string, at: unknown): Generator<Item> {
  if (text.trim() === "") return;
  const content = Buffer.from(clean(text));
  const mtime = new Date(typeof at === "string" ? at : Number.NaN);
  yield {
    file: {
      path,
      content,
      absolute: "",
      size: content.length,
      hash: createHash("sha256").update(content).digest("hex"),
      mtime: Number.isNaN(mtime.getTime()) ? new Date() : mtime,
    },
  };
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
