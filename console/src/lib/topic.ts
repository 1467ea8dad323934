import type { Fact } from "recollect/client";
import { texts } from "../texts/texts.ts";

/** A longer topic repeats the sentence of its fact. */
const MOST_CHARACTERS = 28;

/**
 * Returns the name of a topic for people: `City` for `user.city`, `Release day` for `release.day`. The
 * kind before a colon is left out, because the fact's sentence says it: `70th party` for
 * `dated:70th-party`.
 */
export function topicOf(key: string): string {
  const words =
    key
      .replace(/^user\./, "")
      .replace(/^(?:[\p{L}\p{N}_-]+:)+(?=.)/u, "")
      .replace(/(?<=.)@.*$/s, "")
      .replace(/[._-]+/g, " ")
      .trim() || key;
  return `${(words[0] ?? "").toUpperCase()}${words.slice(1)}`;
}

/** Returns the badge of a fact: its topic, or its category if the topic is long or absent. */
export function badgeOf({ key, category }: Pick<Fact, "key" | "category">): string {
  const topic = key === undefined ? "" : topicOf(key);
  return topic === "" || topic.length > MOST_CHARACTERS ? texts.categories[category] : topic;
}
