import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isObject } from "../base/objects.ts";
import { messageAsMeant } from "./message-as-meant.ts";

/** The most characters of a message. */
const MAX_MESSAGE_CHARS = 10_000_000;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
/** A request that is answered only when the connection ends. */
const LISTEN = "subscriptions/listen";

type Id = string | number;

export interface LineTransport extends Transport {
  /** Is called for each subscription to changes that the client asks for. */
  onlisten?: () => void;
  /** Resolves when the client has closed its end and every request that came before is answered. */
  finished(): Promise<void>;
}

/**
 * Creates the transport of a process: a message a line on the input, an answer a line on the output.
 * Unlike the SDK's, it answers a line that is no message, and at the end of the input it still sends
 * the answers of requests under way, which a client that is a pipe waits for.
 */
export function createLineTransport(input: Readable, output: Writable): LineTransport {
  const decoder = new TextDecoder();
  const pending = new Set<Id>();
  const ended = Promise.withResolvers<void>();
  let rest = "";
  let hasEnded = false;
  const finishIfDone = () => {
    if (hasEnded && pending.size === 0) ended.resolve();
  };
  const write = async (message: object) => {
    if (!output.write(`${JSON.stringify(message)}\n`)) await once(output, "drain");
  };
  const receive = (message: Record<string, unknown>) => {
    const { id, method } = message;
    if (isId(id) && typeof method === "string" && method !== LISTEN) pending.add(id);
    if (method === "notifications/cancelled" && isObject(message.params))
      pending.delete(message.params.requestId as Id);
    if (method === LISTEN) transport.onlisten?.();
    transport.onmessage?.(message as unknown as JSONRPCMessage);
    finishIfDone();
  };
  const readLine = (line: string) => {
    if (line.trim() === "") return;
    for (const message of messagesOf(line))
      if ("problem" in message) void write(message.problem).catch(fail);
      else receive(message.message);
  };
  const onData = (part: Buffer) => {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) readLine(line);
    if (rest.length > MAX_MESSAGE_CHARS) fail(new Error(`A message has more than ${MAX_MESSAGE_CHARS} characters.`));
  };
  const onEnd = () => {
    if (hasEnded) return;
    hasEnded = true;
    readLine(rest);
    finishIfDone();
  };
  const fail = (error: Error) => {
    transport.onerror?.(error);
    ended.resolve();
  };
  const transport: LineTransport = {
    start: async () => {
      input.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", fail);
      output.on("error", fail);
      if (input.readableEnded || input.destroyed) onEnd();
    },
    send: async (message) => {
      await write(message);
      if (("result" in message || "error" in message) && isId(message.id)) pending.delete(message.id);
      finishIfDone();
    },
    close: async () => {
      input.off("data", onData).off("end", onEnd).off("close", onEnd);
      input.pause();
      ended.resolve();
      transport.onclose?.();
    },
    finished: () => ended.promise,
  };
  return transport;
}

function isId(id: unknown): id is Id {
  return typeof id === "string" || typeof id === "number";
}

type Read = { message: Record<string, unknown> } | { problem: object };

/** Reads the messages of a line: one, or a list of them, as older versions of the protocol allow. */
function messagesOf(line: string): Read[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [problem(null, PARSE_ERROR, "Parse error: the line is not JSON")];
  }
  if (Array.isArray(value) && value.length === 0)
    return [problem(null, INVALID_REQUEST, "Invalid request: the list of messages is empty")];
  return (Array.isArray(value) ? value : [value]).map(messageOf);
}

function messageOf(value: unknown): Read {
  const message = messageAsMeant(value);
  if (!isObject(message)) return problem(null, INVALID_REQUEST, "Invalid request: a message is an object");
  const { id, method } = message;
  const isAnswer = method === undefined && ("result" in message || "error" in message);
  if (typeof method === "string" || isAnswer) return { message: { ...message, jsonrpc: "2.0" } };
  return problem(isId(id) ? id : null, INVALID_REQUEST, "Invalid request: a message has a method");
}

function problem(id: Id | null, code: number, message: string): Read {
  return { problem: { jsonrpc: "2.0", id, error: { code, message } } };
}
