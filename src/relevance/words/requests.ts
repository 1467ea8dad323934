import { anyOfWords } from "./any-of-words.ts";

const REQUEST = anyOfWords(
  "(?:can|could|would|will) you|(?:kannst|könntest|würdest) du|(?:können|könnten|würden) sie",
  "(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous|puedes|podrías|puoi|potresti|você pode|poderia|(?:kun|kan|zou) je",
);
/** Words of requests for something known: "can you tell me when my train leaves?". */
const RECALL = anyOfWords(
  "tell|say|remember|recall|remind|know|show|find|look up|check|see|sag(?:en|st)?|erinner\\p{L}*|dis|dire|rappel\\p{L}*|deci\\p{L}*|record\\p{L}*|ricord\\p{L}*|lembr\\p{L}*|diz\\p{L}*|zeg\\p{L}*|vertel\\p{L}*|herinner\\p{L}*",
);

/** Returns whether a question asks for work rather than for something known: "can you shorten my text?". */
export function isRequest(message: string): boolean {
  return REQUEST.test(message) && !RECALL.test(message);
}

/** Returns a message without the words that make it a request: "make that shorter?". */
export function withoutRequest(message: string): string {
  return message.replace(REQUEST, "");
}
