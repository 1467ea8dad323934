import type { KeyKind, LanguageRules } from "./language-rules.ts";
import { MASK } from "./own-words.ts";

/** The texts of the groups of a rule's pattern. */
export interface KeyParts {
  readonly value?: string | undefined;
  readonly topic?: string | undefined;
  readonly other?: string | undefined;
  readonly scope?: string | undefined;
  readonly who?: string | undefined;
}

const MAX_PART_CHARS = 60;
/**
 * Matches the "our" of British spelling, so that "My favourite colour" and "my favorite color" get
 * one key.
 */
const BRITISH = /(?<=(?:col|fav|flav|behavi|neighb))our/gu;

/**
 * Returns the key of a statement's subject. The next statement with this key supersedes the
 * statement. The scope ("in Makefiles") is part of the key: a rule for one place does not
 * contradict the rule for another, and losing a fact that holds is worse than showing two.
 *
 * @returns undefined when no words are left that distinguish the subject
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

/** Returns the key of a person's property: "Lena's birthday" is `birthday:lena`. */
function ofKey(kind: string, who: string): string | undefined {
  return who === "" ? undefined : `${kind.slice("of.".length)}:${who}`;
}

/**
 * Returns the key of a preference: by the known topic of the choice, else by its purpose, else by
 * the alternatives, else by the liked thing.
 */
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

/**
 * Returns the key of a fact that a model found, separate from the keys of the rules; undefined when
 * no words are left.
 */
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

/**
 * The topics and their choices: with the topic as the key, "I prefer spaces" replaces "I prefer
 * tabs over spaces". The choices of all languages are in one list. A choice that is missing here is
 * a topic of its own.
 */
const TOPICS: Readonly<Record<string, string>> = {
  indentation:
    "tabs, tab, spaces, tabulatoren, leerzeichen, tabulations, espaces, tabuladores, espacios, タブ, スペース, 制表符, 空格",
  theme:
    "dark mode, light mode, dark theme, light theme, dunkelmodus, dunkles design, helles design, mode sombre, mode clair, modo oscuro, modo claro, ダークモード, ライトモード, 深色模式, 浅色模式",
  "hot-drink": "tea, coffee, tee, kaffee, thé, café, té, お茶, 紅茶, コーヒー, 茶, 咖啡",
  editor: "vim, neovim, emacs, vscode, vs code, helix, zed, nano, sublime, intellij",
  "package-manager": "npm, pnpm, yarn, bun, pip, poetry, uv",
  units: "metric, metric units, imperial, imperial units, metrische einheiten, unités métriques, unidades métricas",
  clock: "24-hour clock, 12-hour clock, 24h, 12h, 24-stunden-format, 12-stunden-format",
  "answer-length":
    "short answers, long answers, brief answers, detailed answers, concise answers, short replies, detailed replies, concise replies, kurze antworten, lange antworten, ausführliche antworten, knappe antworten, réponses courtes, réponses longues, réponses détaillées, respuestas cortas, respuestas largas, respuestas detalladas, 短い回答, 詳しい回答, 简短的回答, 详细的回答",
  "answer-form": "bullet points, bullets, prose, tables, stichpunkte, fließtext, listes à puces, viñetas, 箇条書き",
  "quote-style":
    "single quotes, double quotes, einfache anführungszeichen, guillemets simples, comillas simples, comillas dobles",
  address: "tutoiement, vouvoiement, tuteo, du-form, sie-form, duzen, siezen, 敬語, タメ口",
  diet: "vegetarian, vegan, meat, vegetarisch, vegetarier, végétarien, vegetariano, vegano",
  channel: "email, e-mail, phone, chat, slack, mail, telefon, courriel, correo, teléfono, メール, 電話, 邮件, 电话",
  "merge-style": "rebase, merge, squash",
};

const MAX_CHARS = 40;

const TOPIC_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(TOPICS).flatMap(([topic, choices]) => choices.split(", ").map((choice) => [choice, topic] as const)),
);

/**
 * Returns the topic of a choice in lower case, ignoring an article before it; undefined: no topic
 * is known.
 */
function topicOf(choice: string): string | undefined {
  const words = choice.replace(/^(?:the|a|an|my|using|to use|der|die|das|le|la|les|l'|el|los|las) ?/u, "").trim();
  return words.length > MAX_CHARS ? undefined : TOPIC_OF.get(words);
}
