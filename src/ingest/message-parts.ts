/** A piece of a message's text. */
export interface Piece {
  /** `said`: by the speaker; `shown`: the name of what he shows, such as an image; `work`: of a tool, or a thought. */
  readonly kind: "said" | "shown" | "work";
  readonly text: string;
  /** Whether it is what a tool has answered. */
  readonly isResult?: true;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A result may hold parts, which may hold results; what is nested deeper would exhaust the stack. */
const MAX_DEPTH = 8;
const MAX_LABEL_CHARS = 100;

const TEXT_TYPES = new Set(["text", "input_text", "output_text", "summary_text"]);
const THOUGHTS = new Set(["thinking", "redacted_thinking", "reasoning", "reasoning_text"]);
const CALLS = new Set([
  ...["tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "toolcall", "function_call"],
  ...["custom_tool_call", "mcp_call", "dynamic-tool", "tool-invocation"],
]);
const RESULTS = new Set([
  ...["tool_result", "tool-result", "toolresult", "function_call_output", "custom_tool_call_output"],
]);
/** Parts that say nothing. */
const SILENT = new Set(["step-start", "item_reference"]);

/** What a message's content says, of whichever chat API it is: a text, a list of parts, one part, or nothing. */
export function piecesOf(content: unknown, depth = 0): Piece[] {
  if (content === null || content === undefined) return [];
  if (typeof content === "string") return content.trim() === "" ? [] : [{ kind: "said", text: content }];
  if (depth > MAX_DEPTH) return [shown("part")];
  if (Array.isArray(content)) return content.flatMap((part) => piecesOf(part, depth + 1));
  if (!isFields(content)) return [shown("part")];
  if (Array.isArray(content.parts)) return piecesOf(content.parts, depth + 1);
  return readPart(content, depth + 1);
}

function readPart(part: Fields, depth: number): Piece[] {
  const type = typeof part.type === "string" ? part.type.toLowerCase() : "";
  if (SILENT.has(type)) return [];
  if (THOUGHTS.has(type) || part.thought === true) return [{ kind: "work", text: "[thinking]" }];
  if (TEXT_TYPES.has(type) || (type === "" && typeof part.text === "string")) return piecesOf(part.text, depth);
  if (type === "refusal") return piecesOf(part.refusal, depth);
  return readCall(part, type) ?? readResult(part, type, depth) ?? [readShown(part, type)];
}

function readCall(part: Fields, type: string): Piece[] | undefined {
  const call = part.functionCall ?? part.function_call ?? part.toolInvocation;
  if (isFields(call)) return callPieces(call);
  if (CALLS.has(type)) return callPieces(part);
  // Vercel's AI SDK: `tool-{name}`, with the result in the same part.
  return /^tool-./.test(type) && !RESULTS.has(type)
    ? callPieces({ ...part, toolName: String(part.type).slice("tool-".length) })
    : undefined;
}

/** A call, and what came of it where one part has both. */
export function callPieces(call: Fields): Piece[] {
  const inner = isFields(call.function) ? call.function : isFields(call.custom) ? call.custom : call;
  const name = labelOf(inner.name ?? inner.toolName);
  const output = call.output ?? call.result;
  const came = output === undefined || output === null ? [] : [resultPiece(name, output, 0)];
  return [{ kind: "work", text: name === "" ? "[tool call]" : `[tool call: ${name}]` }, ...came];
}

function readResult(part: Fields, type: string, depth: number): Piece[] | undefined {
  const response = part.functionResponse ?? part.function_response ?? part.codeExecutionResult;
  if (isFields(response)) return [resultPiece(labelOf(response.name), response.response ?? response.output, depth)];
  // Anthropic has one for each of its own tools, such as `web_search_tool_result`.
  if (!RESULTS.has(type) && !type.endsWith("_tool_result")) return undefined;
  return [resultPiece(labelOf(part.toolName), part.content ?? part.output ?? part.result, depth)];
}

function resultPiece(name: string, output: unknown, depth: number): Piece {
  const label = name === "" ? "[tool result]" : `[tool result: ${name}]`;
  const text = depth < MAX_DEPTH ? outputText(output, depth) : "";
  return { kind: "work", text: text === "" ? label : `${label} ${text}`, isResult: true };
}

function outputText(output: unknown, depth: number): string {
  if (typeof output === "string" || Array.isArray(output)) return joinPieces(piecesOf(output, depth));
  if (output === null || output === undefined) return "";
  // Vercel's AI SDK: `{ type, value }`.
  if (isFields(output) && "value" in output) return depth < MAX_DEPTH ? outputText(output.value, depth + 1) : "";
  try {
    return JSON.stringify(output);
  } catch {
    // Nested deeper than the stack is.
    return "";
  }
}

const IMAGES = new Set(["image", "image_url", "input_image", "image_generation_call"]);
const SOUNDS = new Set(["audio", "input_audio", "output_audio", "audio_url"]);

function readShown(part: Fields, type: string): Piece {
  const blob = [part.inlineData, part.inline_data, part.fileData, part.file_data, part.file].find(isFields);
  const media = mediaOf(blob ?? part, type);
  const { transcript, text } = part;
  const isSaid = (one: unknown): one is string => typeof one === "string" && one.trim() !== "";
  if (media === "audio" && isSaid(transcript)) return { kind: "said", text: transcript };
  if (media) return shown(media);
  if (blob || type === "file" || type === "input_file") return shown("file", (blob ?? part).filename);
  if (type === "document") return shown("document", part.title);
  if (type.startsWith("source")) return shown("source", part.title ?? part.url);
  if (isFields(part.executableCode) || isFields(part.executable_code)) return { kind: "work", text: "[code]" };
  return isSaid(text) ? { kind: "said", text } : shown(labelOf(type).replace(/[_-]+/g, " ") || "part");
}

function mediaOf(blob: Fields, type: string): "audio" | "image" | "video" | undefined {
  const named = labelOf(blob.mimeType ?? blob.mime_type ?? blob.mediaType ?? blob.media_type).toLowerCase();
  if (SOUNDS.has(type) || named.startsWith("audio/")) return "audio";
  if (IMAGES.has(type) || named.startsWith("image/")) return "image";
  return type.startsWith("video") || named.startsWith("video/") ? "video" : undefined;
}

function shown(what: string, name?: unknown): Piece {
  const label = labelOf(name);
  return { kind: "shown", text: label === "" ? `[${what}]` : `[${what}: ${label}]` };
}

/** A name inside brackets: one line, bounded. */
function labelOf(name: unknown): string {
  if (typeof name !== "string") return "";
  const line = name.slice(0, MAX_LABEL_CHARS).replace(/[\p{Cc}\p{Zl}\p{Zp}[\]]+/gu, " ");
  return line.trim().toWellFormed();
}

/** The pieces as one text: what was said in paragraphs, names on lines. */
export function joinPieces(pieces: readonly Piece[]): string {
  let text = "";
  for (const [at, piece] of pieces.entries()) {
    const isProse = piece.kind === "said" && pieces[at - 1]?.kind === "said";
    text += `${at === 0 ? "" : isProse ? "\n\n" : "\n"}${piece.text}`;
  }
  return text;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
