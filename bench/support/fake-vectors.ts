// Deterministic stand-ins for the data of a provider: texts about topics, and vectors that cluster
// by topic.

const TOPICS = 200;
const WORDS = 5000;

/** Returns a generator of numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return hash >>> 0;
}

/** Returns a name like `rokavi`, which is one word to the keyword arm. */
function topicName(topic: number): string {
  const syllables = ["ro", "ka", "vi", "mu", "se", "lo", "ti", "na", "pe", "do"];
  return [...String(topic).padStart(3, "0")].map((digit) => syllables[Number(digit)]).join("");
}

/** Matches the name of a topic in a text. */
const TOPIC = /\b(?:(?:ro|ka|vi|mu|se|lo|ti|na|pe|do){3})\b/;

/**
 * Returns a Markdown file about one topic with `chunks` chunks of about 350 tokens; words are
 * Zipf-like.
 */
export function noteOf(seed: string, chunks: number): { topic: string; content: string } {
  const random = randomOf(hashOf(seed));
  const topic = topicName(Math.floor(random() * TOPICS));
  const word = () => `w${Math.floor(WORDS * random() ** 3).toString(36)}`;
  const sentence = () => `${Array.from({ length: 11 }, word).join(" ")}.`;
  const section = (i: number) =>
    `## ${topic} part ${i} of ${seed}\n\n${Array.from({ length: 26 }, sentence).join("\n")}\n`;
  return { topic, content: Array.from({ length: chunks }, (_, i) => section(i)).join("\n") };
}

/**
 * Returns the vector of a text, of unit length: the direction of its topic plus a direction of the
 * text's own.
 */
export function vectorOf(text: string, dimensions: number): Float32Array {
  const topic = randomOf(hashOf(TOPIC.exec(text)?.[0] ?? "none"));
  const own = randomOf(hashOf(text));
  const vector = Float32Array.from({ length: dimensions }, () => topic() - 0.5 + 0.8 * (own() - 0.5));
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** Returns the vectors of a small pool, for a provider that takes no time. */
export function vectorPool(dimensions: number, size = 256): Float32Array[] {
  return Array.from({ length: size }, (_, i) => vectorOf(`${topicName(i % TOPICS)} ${i}`, dimensions));
}
