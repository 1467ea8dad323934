import type { KeyKind, LanguageRules } from "./language-rules.ts";
import { MASK } from "./mask-quotes.ts";
import { topicOf } from "./preference-topics.ts";

/** What the groups of a rule's pattern have found. */
export interface KeyParts {
  readonly value?: string | undefined;
  readonly topic?: string | undefined;
  readonly other?: string | undefined;
  readonly scope?: string | undefined;
  readonly who?: string | undefined;
}

const MAX_PART_CHARS = 60;
/** "My favourite colour" and "my favorite color" are one. */
const BRITISH = /(?<=(?:col|fav|flav|behavi|neighb))our/gu;

/**
 * What a statement is about, so that the next statement about it takes its place. The scope ("in Makefiles") is part of it:
 * a rule for one place does not contradict the rule for another, and to lose a fact that holds is worse than to show two.
 *
 * @returns undefined when nothing is left to tell it from others
 */
export function factKey(
  kind: KeyKind,
  parts: KeyParts,
  { filler, everywhere }: Pick<LanguageRules, "filler" | "everywhere">,
): string | undefined {
  const slug = (text: string | undefined) => (text === undefined ? "" : slugOf(text, filler));
  const [value, topic, other] = [slug(parts.value), slug(parts.topic), slug(parts.other)];
  const who = slug(parts.who);
  const scope = slug(parts.scope?.replace(everywhere, " ")) || who;
  const at = scope === "" ? "" : `@${scope}`;
  const keyed = (name: string, about: string) => (about === "" ? undefined : `${name}:${about}${at}`);
  switch (kind) {
    case "preference":
      return preferenceKey(parts, { value, topic, other, at });
    case "decision":
      return topic === "" ? keyed("use", other === "" ? value : other) : `decision:${topic}`;
    case "use":
      return keyed("use", other === "" ? value : other);
    case "favourite":
    case "project":
    case "entity":
    case "when":
      return topic === "" ? undefined : `${kind}:${topic}`;
    case "like":
    case "do":
    case "allergy":
      return keyed(kind, value);
    default:
      return kind.startsWith("of.") ? ofKey(kind, who) : kind;
  }
}

/** "Lena's birthday" is `birthday:lena`. */
function ofKey(kind: string, who: string): string | undefined {
  return who === "" ? undefined : `${kind.slice("of.".length)}:${who}`;
}

/** By the known topic of the choice, else by what it is for, else by what is chosen between, else by what is liked. */
function preferenceKey(
  parts: KeyParts,
  { value, topic, other, at }: Record<"value" | "topic" | "other" | "at", string>,
) {
  const known = topicOf(spaced(parts.value)) ?? topicOf(spaced(parts.other));
  if (known !== undefined) return `preference:${known}${topic === "" ? at : `@${topic}`}`;
  if (topic !== "") return `preference:${topic}${at}`;
  if (other !== "") return `preference:${[value, other].sort().join("|")}${at}`;
  return value === "" ? undefined : `like:${value}${at}`;
}

/** The key of a fact that a model found, apart from those of the rules; undefined when nothing is left of it. */
export function aboutKey(about: string): string | undefined {
  const slug = slugOf(about, /(?!)/g);
  return slug === "" ? undefined : `model:${slug}`;
}

function slugOf(text: string, filler: RegExp): string {
  return spaced(text)
    .replace(BRITISH, "or")
    .replace(filler, " ")
    .replace(/[^\p{L}\p{M}\p{N}+#./_]+/gu, "-")
    .replace(/^[-./_]+/, "")
    .slice(0, MAX_PART_CHARS)
    .replace(/[-./_]+$/, "");
}

function spaced(text: string | undefined): string {
  return (text ?? "").normalize("NFKC").toLowerCase().replaceAll(MASK, " ").replaceAll("’", "'");
}
