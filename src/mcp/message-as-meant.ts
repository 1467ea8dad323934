import { isObject } from "../base/objects.ts";
import { jsonInText } from "../service/tools/read-as-meant.ts";

/**
 * The optional objects of a message. Clients in some languages write null for an object that they
 * leave out, and the SDK refuses the message, or drops it without an answer.
 */
const OPTIONAL: readonly (readonly string[])[] = [
  ["params"],
  ["params", "_meta"],
  ["params", "arguments"],
  ["params", "cursor"],
  ["params", "capabilities"],
  ["params", "clientInfo"],
];
/** The field that the parameters of a method must have, a text. Without it the SDK answers with its own check. */
const REQUIRED: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "resources/read": "uri",
  "prompts/get": "name",
};
/** The version of a client that does not know its own, which the protocol requires. */
const UNKNOWN_VERSION = "0";

/**
 * Returns a message in the form that the SDK takes. Removes optional objects that are null, and an empty
 * list of parameters or arguments, which is how PHP writes an empty object. Adds `jsonrpc`, and the fields
 * of `initialize` that no answer depends on. Parses the arguments of a tool if they are JSON in a text;
 * any other text is the one argument that the tool requires.
 */
export function messageAsMeant(given: unknown): unknown {
  const message = OPTIONAL.reduce(without, given);
  if (!isObject(message) || typeof message.method !== "string") return message;
  const { params, ...others } = message;
  const rest = { jsonrpc: "2.0", ...others };
  if (message.method === "initialize") return { ...rest, params: initialParams(params) };
  if (Array.isArray(params) && params.length === 0) return rest;
  const fields = withRequired(message.method, params);
  if (message.method !== "tools/call" || !isObject(fields))
    return fields === undefined ? rest : { ...rest, params: fields };
  return { ...rest, params: { ...fields, ...argumentsOf(fields.arguments) } };
}

function withRequired(method: string, params: unknown): unknown {
  const field = Object.hasOwn(REQUIRED, method) ? REQUIRED[method] : undefined;
  if (field === undefined || !(params === undefined || isObject(params))) return params;
  return typeof params?.[field] === "string" ? params : { ...params, [field]: "" };
}

function argumentsOf(given: unknown): { arguments?: unknown } {
  if (Array.isArray(given) && given.length === 0) return { arguments: {} };
  if (typeof given !== "string") return {};
  const fields = given.trim() === "" ? {} : jsonInText(given);
  // The tool takes an argument that it does not know for the text that it requires.
  return { arguments: isObject(fields) ? fields : { arguments: given } };
}

function initialParams(params: unknown): unknown {
  const given = isObject(params) ? params : {};
  const { clientInfo, protocolVersion } = given;
  const version = typeof protocolVersion === "string" ? protocolVersion : UNKNOWN_VERSION;
  const client = { name: "unknown", version: UNKNOWN_VERSION, ...(isObject(clientInfo) ? clientInfo : {}) };
  return { capabilities: {}, ...given, protocolVersion: version, clientInfo: client };
}

function without(value: unknown, [first = "", ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, first)) return value;
  const { [first]: inner, ...others } = value;
  if (rest.length > 0) return { ...others, [first]: without(inner, rest) };
  return inner === null ? others : value;
}
