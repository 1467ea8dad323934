import { createHash } from "node:crypto";
import { jsonOf } from "../../base/json-text.ts";
import { isObject } from "../../base/objects.ts";
import { readMessage } from "../../cli/sessions/transcript-line.ts";
import { type Fields, objectsOf, textOf, textsOf } from "./fields.ts";
import type { Entry, ImportKind, Item, SourceFile } from "./import-kind.ts";
import { noteFile } from "./note-file.ts";
import { readPlaced } from "./read-objects.ts";
import { fileName, isExportFile, safeSegment } from "./source-names.ts";

/** The lists of an agent file, and of its first version, which is one agent. */
const LISTS = ["agents", "blocks", "files", "core_memory", "messages", "tools", "skills", "groups", "mcp_servers"];
const NOT_SAID_BY: Readonly<Record<string, string>> = {
  tool: "tool results",
  system: "system messages",
  approval: "approvals",
};

/**
 * Letta's agent file. The memory blocks and the files of an agent become files, and its messages a
 * conversation. The first version of the format is one agent with `core_memory` and `messages`; the
 * second has lists of agents, blocks and files. An agent file has no archival memory.
 */
export const letta: ImportKind = {
  has: "a .af file",
  isZipped: false,
  reads: (path) => isExportFile(path) && path.endsWith(".af"),
  read: readAgentFile,
};

async function* readAgentFile(file: SourceFile): AsyncGenerator<Item> {
  /** The folder of each block, by the block's id. */
  const folders = new Map<string, string>();
  const messages: unknown[] = [];
  for await (const element of readPlaced(file, LISTS)) {
    const { list, place } = element;
    if ("bad" in element) yield { bad: element.bad, place };
    else if (list === "messages") messages.push(element.value);
    else if (!isObject(element.value)) yield { bad: "not an object", place };
    else if (list === "agents") yield* readAgent(element.value, folders, place);
    else if (list === "blocks" || list === "core_memory") yield* readBlock(element.value, folders, place);
    else if (list === "files") yield* readFileOf(element.value, place);
    else yield otherList(list, place);
  }
  // Of an agent file of the first version, the name of the agent stands behind the messages.
  const name = fileName(file.path).replace(/\.af$/, "");
  if (messages.length > 0) yield conversationOf(name, messages, file.path);
}

/** Returns the item for an element of a list that is not read, or of a list without a name. */
function otherList(list: string, place: string): Item {
  if (list === "") return { bad: "no list of an agent file", place };
  return { left: list === "mcp_servers" ? "MCP servers" : list };
}

function* readAgent(agent: Fields, folders: Map<string, string>, place: string): Generator<Item> {
  const name = textOf(agent.name);
  if (name === undefined) {
    yield { bad: "an agent without a name", place };
    return;
  }
  for (const id of textsOf(agent.block_ids)) {
    const isShared = folders.has(id) && folders.get(id) !== name;
    folders.set(id, isShared ? "" : name);
  }
  if (Array.isArray(agent.messages)) yield conversationOf(name, agent.messages, place);
}

function* readBlock({ id, label, value, updated_at }: Fields, folders: Map<string, string>, place: string) {
  const [title, text] = [textOf(label), textOf(value)];
  if (title === undefined || (typeof value !== "string" && value !== null)) {
    yield { bad: "a memory block without a label or a value", place };
    return;
  }
  if (text === undefined) {
    yield { left: "empty memory blocks" };
    return;
  }
  // The agents of a file may have blocks of the same label.
  const owners = new Set(folders.values());
  const owner = owners.size > 1 ? (folders.get(String(id)) ?? "") : "";
  const folder = owner === "" ? "letta" : `letta/${safeSegment(owner)}`;
  yield* noteFile(`${folder}/${safeSegment(title)}.md`, text, updated_at);
}

function* readFileOf(one: Fields, place: string): Generator<Item> {
  const name = textOf(one.file_name) ?? textOf(one.original_file_name);
  if (name === undefined) yield { bad: "a file without a name", place };
  else if (textOf(one.content) === undefined) yield { left: "files without text" };
  else {
    const path = name.split("/").map(safeSegment).join("/");
    yield* noteFile(`letta/files/${path}`, String(one.content), one.file_last_modified_date ?? one.file_creation_date);
  }
}

function conversationOf(name: string, messages: readonly unknown[], place: string): Item {
  return { conversation: { session: `letta:${name}`, place, entries: entriesOf(messages, place) } };
}

function* entriesOf(messages: readonly unknown[], place: string): Generator<Entry> {
  for (const [index, message] of messages.entries()) {
    const where = `${place} message ${index + 1}`;
    if (isObject(message)) yield* readLettaMessage(message, index + 1, where);
    else yield { bad: "no message", place: where };
  }
}

function* readLettaMessage(message: Fields, number: number, place: string): Generator<Entry> {
  const role = String(message.role);
  const calls = objectsOf(message.tool_calls).map(({ function: call }) => (isObject(call) ? call : {}));
  const other = NOT_SAID_BY[role] ?? (isEvent(message) ? "events" : undefined);
  if (other !== undefined) {
    yield { left: other };
    return;
  }
  const words = role === "assistant" ? answersOf(message, calls) : userWords(message);
  for (const call of calls) if (call.name !== "send_message") yield { left: "tool calls" };
  if (calls.length > 0 && words.length === 0) return;
  const text = words.join("\n\n");
  const read = readMessage({ role, text, at: message.created_at, id: idOfWords(message, text) }, number);
  if ("message" in read) yield { message: read.message, place };
  else if ("bad" in read) yield { bad: read.bad, place };
  else yield { left: "messages without words" };
}

/**
 * Returns the words of an assistant. Older agents speak by calling `send_message`, and the content
 * beside the call holds thoughts.
 */
function answersOf(message: Fields, calls: readonly Fields[]): string[] {
  const sent = calls.filter(({ name }) => name === "send_message").flatMap((call) => argumentOf(call) ?? []);
  return sent.length > 0 || calls.length > 0 ? sent : contentTexts(message);
}

function argumentOf({ arguments: text }: Fields): string | undefined {
  const value = jsonOf(String(text));
  return isObject(value) ? textOf(value.message) : undefined;
}

/** Returns the words of a user, which older agents wrap in a JSON object with a time. */
function userWords(message: Fields): string[] {
  return contentTexts(message).map((text) => {
    const value = wrapped(text);
    return typeof value?.message === "string" ? value.message : text;
  });
}

/** Returns whether a message of the user is not the user's: a login, a heartbeat, an alert. */
function isEvent(message: Fields): boolean {
  if (message.role !== "user") return false;
  const [text, ...more] = contentTexts(message);
  const type = more.length === 0 && text !== undefined ? wrapped(text)?.type : undefined;
  return typeof type === "string" && type !== "user_message";
}

function wrapped(text: string): Fields | undefined {
  const value = text.startsWith("{") ? jsonOf(text) : undefined;
  return isObject(value) && typeof value.type === "string" ? value : undefined;
}

function contentTexts({ content }: Fields): string[] {
  if (typeof content === "string") return [content];
  return objectsOf(content).flatMap(({ type, text }) => (type === "text" ? (textOf(text) ?? []) : []));
}

/**
 * Returns an id made from time, role and words. The ids in an agent file count its messages, so the
 * same message has another id in a later file.
 */
function idOfWords({ created_at, role }: Fields, text: string): string {
  return createHash("sha256")
    .update(JSON.stringify([created_at, role, text]))
    .digest("hex")
    .slice(0, 32);
}
