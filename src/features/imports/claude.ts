import { isObject } from "../../base/objects.ts";
import { clean, idOf, readMessage } from "../../cli/sessions/transcript-line.ts";
import { type Fields, objectsOf, textOf } from "./fields.ts";
import type { Entry, ImportKind, Item, SourceFile } from "./import-kind.ts";
import { noteFile } from "./note-file.ts";
import { objectsIn, readConversations, readObjects } from "./read-objects.ts";
import { fileName, isExportFile, safeSegment } from "./source-names.ts";
import { createWrittenDocuments, type WrittenDocuments } from "./written-documents.ts";

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
  injected_prompt_block: "injected prompts",
};
/**
 * The parts that a person sends. The program may add parts of other types to a person's message, such
 * as an injected prompt.
 */
const SENT_BY_PEOPLE = new Set(["text", "image", "document", "file", "voice_note"]);

/**
 * Anthropic's data export of claude.ai. It has conversations, and as files Claude's own memory,
 * the documents of projects and the documents that Claude wrote.
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
  const elements = read === readConversation ? objectsIn(readConversations(file, "chat_messages")) : readObjects(file);
  for await (const element of elements) {
    if ("bad" in element) yield element;
    else yield* read(element.value, element.place);
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
  yield* artifactFiles(value.chat_messages, `claude/artifacts/${safeSegment(id)}`);
}

/**
 * Yields the documents that Claude wrote, in their last version: artifacts, and the files that it
 * created where it runs programs.
 */
function* artifactFiles(messages: readonly unknown[], folder: string): Generator<Item> {
  const documents = createWrittenDocuments(folder);
  for (const { content, created_at } of objectsOf(messages))
    for (const { type, name, input } of objectsOf(content)) {
      if (!isDocument({ type, name }) || !isObject(input)) continue;
      const done =
        name === "artifacts"
          ? writeArtifact(documents, input, created_at)
          : writeFileOf(documents, String(name), input, created_at);
      if (!done) yield { left: "changes of documents" };
    }
  yield* documents.files();
}

/** Returns whether a part is a call that `artifactFiles` reads. */
function isDocument({ type, name }: Fields): boolean {
  return type === "tool_use" && ["artifacts", "create_file", "str_replace"].includes(String(name));
}

/** Carries out a call that writes an artifact. @returns whether it changed a document */
function writeArtifact(documents: WrittenDocuments, input: Fields, at: unknown): boolean {
  const id = textOf(input.id) ?? "artifact";
  const content = textOf(input.content);
  if (input.command === "update")
    return documents.replace(id, { old: String(input.old_str), with: String(input.new_str ?? "") }, at);
  if (content === undefined) return false;
  const title = textOf(input.title);
  if (title === undefined && documents.rewrite(id, content, at)) return true;
  documents.write(id, title ?? id, content, at);
  return true;
}

/** Carries out a call that writes a file. @returns whether it changed a document */
function writeFileOf(documents: WrittenDocuments, name: string, input: Fields, at: unknown): boolean {
  const [path, text] = [textOf(input.path), textOf(input.file_text)];
  if (path === undefined) return false;
  if (name === "create_file") {
    if (text !== undefined) documents.write(path, fileName(path), text, at);
    return text !== undefined;
  }
  return documents.replace(path, { old: String(input.old_str), with: String(input.new_str ?? "") }, at);
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
  const isPerson = message.sender === "human";
  const isSaid = ({ type }: Fields) =>
    isPerson ? SENT_BY_PEOPLE.has(String(type)) : !Object.hasOwn(NOT_SAID, String(type));
  for (const part of content)
    if (!isSaid(part) && !isDocument(part)) yield { left: NOT_SAID[String(part.type)] ?? "parts" };
  // `text` holds the same words, but replaces content that a device cannot show by a sentence.
  const words = textOf(message.text) ?? textOf(message.content) ?? "";
  const said = content.length > 0 ? content.filter(isSaid) : [{ type: "text", text: words }];
  const attachments = objectsOf(message.attachments);
  const files = [...objectsOf(message.files), ...attachments].map((one) => ({ type: "file", filename: one.file_name }));
  for (const _ of objectsOf(message.files)) yield { left: "files" };
  yield* read({ role: message.sender, content: [...said, ...files], at, id: message.uuid }, number, place);
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
  if (typeof whole === "string") yield* noteFile("claude/memory.md", whole, undefined);
  const projects = isObject(value.project_memories) ? Object.entries(value.project_memories) : [];
  for (const [id, text] of projects)
    if (typeof text === "string") yield* noteFile(`claude/projects/${safeSegment(id)}/memory.md`, text, undefined);
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
  if (about.length > 0) yield* noteFile(`${folder}/project.md`, [title, ...about].join("\n\n"), value.updated_at);
  for (const [index, doc] of objectsOf(value.docs).entries()) {
    const { filename, content, created_at, uuid } = doc;
    if (typeof content !== "string") yield { bad: "a document without text", place: `${place} docs[${index}]` };
    // The id keeps documents of a project apart that have the same name.
    else {
      const name = `${safeSegment(idOf(uuid) ?? String(index)).slice(0, 8)}-${safeSegment(String(filename))}`;
      yield* noteFile(`${folder}/${name}`, content, created_at);
    }
  }
}
