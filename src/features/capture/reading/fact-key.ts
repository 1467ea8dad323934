import { MASK } from "./own-words.ts";
import { part, patternOf } from "./pattern.ts";

/** The texts of the groups of a rule's pattern. */
export interface KeyParts {
  readonly value?: string | undefined;
  readonly topic?: string | undefined;
  readonly old?: string | undefined;
  readonly scope?: string | undefined;
  readonly who?: string | undefined;
}

const MAX_PART_CHARS = 60;
/** Matches the "our" of British spelling, so that "My favourite colour" and "my favorite color" get one key. */
const BRITISH = /(?<=(?:col|fav|flav|behavi|neighb))our/gu;
/** Matches whole words that make no difference to the subject of a key. */
const FILLER = patternOf(
  String.raw`\b(?:these days|anymore|any more|any longer|no longer|the|a|an|my|our|your|all|any|every|please|now|nowadays|ever|always|again|instead|at all|from now on|going forward|in (?:the )?future|by default|everywhere|really|just|actually|when|whenever|if|for|I|I'm|we|we're|am|writing|write|working|work|doing|do|coding|code in|using|use|with|in|on)\b`,
  "giu",
);
/** Matches a scope that covers everything said here: it makes no difference to a key either. */
const EVERYWHERE =
  /^(?:(?:this|our|my|the) (?:company|team|project|repo|repository|codebase|organi[sz]ation|org|workspace|app|house)|(?:your|the|all|all your) (?:answers|replies|responses|messages|output))(?![\p{L}])/iu;
/** Other words for a person of whom one has one. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ["gp", "doctor"],
  ["family-doctor", "doctor"],
  ["mom", "mother"],
  ["mum", "mother"],
  ["dad", "father"],
  ["landlady", "landlord"],
  // "I report to Henrik" says who the manager is.
  ["report", "manager"],
  ["boss", "manager"],
  ["supervisor", "manager"],
  ["line-manager", "manager"],
]);
const roleOf = (topic: string) => ROLES.get(topic) ?? topic;
const PARTNER = /^(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[ée]e?)$/u;
/** Words of a topic, and the name of the key that they give. */
const MINE =
  part`birth birthday|zone timezone|mail email|phone phone|mobile phone|cell phone|number phone|extension phone|address address|pronoun pronouns|language language|tongue language|employer employer|company employer|github github|gitlab gitlab|slack slack|twitter twitter|discord discord|handle handle|username handle|town origin|age age`
    .split("|")
    .map((pair) => {
      const [word = "", name = ""] = pair.split(" ");
      // A whole word: "status page" is no age.
      return [new RegExp(`(?:^|-)(?:e|time|home|tele)?${word}(?:day|s)?(?:-|$)`, "u"), name] as const;
    });
const COUNTED = /insurance|policy|customer|member|account|vat|tax|contract|client|supplier|room|plate|flyer/;

/** Returns the name of something that everybody has one of, such as a phone number; else the topic itself. */
function ownSubject(topic: string, atWork: string): string {
  const known = COUNTED.test(topic) ? undefined : MINE.find(([word]) => word.test(topic))?.[1];
  return known === undefined ? topic : `${atWork}${known}`;
}

/**
 * Returns the key of a statement's subject. The next statement with this key supersedes the
 * statement. The scope ("in Makefiles") is part of the key: a rule for one place does not
 * contradict the rule for another, and losing a fact that holds is worse than showing two.
 *
 * @returns undefined when no words are left that distinguish the subject
 */
export function factKey(kind: string, parts: KeyParts): string | undefined {
  const [value, topic, old, who] = [slugOf(parts.value), slugOf(parts.topic), slugOf(parts.old), slugOf(parts.who)];
  const scope = slugOf(parts.scope?.replace(EVERYWHERE, " ")) || who;
  const at = scope === "" ? "" : `@${scope}`;
  const keyed = (name: string, about: string) => (about === "" ? undefined : `${name}:${about}${at}`);
  const ofSomebody = (name: string) => (who === "" || name === "" ? undefined : `${name}:${who}`);
  const atWork = /^(?:work|office) /iu.test(parts.topic ?? "") ? "work-" : "";
  const mine = ownSubject(topic, atWork);
  const ofTopic = topic === "" ? undefined : `${kind}:${topic}`;
  const keys: Readonly<Record<string, () => string | undefined>> = {
    "": () => undefined,
    mine: () => `user.${mine}`,
    // "I'm Gen Z" has the form of "I'm Claire Hartnell", so this name does not replace the known name.
    called: () => (value === "" ? undefined : `user.name:${value}`),
    owned: () => ofSomebody(mine),
    person: () => ofSomebody(topic),
    // Somebody may move between homes, and also between employers.
    moved: () => (who === "" || value === "" ? undefined : `changed:${who}:${value}`),
    entity: () => (PARTNER.test(topic) ? "user.partner" : entityKey(topic)),
    preference: () => preferenceKey(parts, { value, topic, old, at }),
    decision: () => (isPurpose(parts.topic) ? `decision:${topic}` : keyed("use", old || value)),
    use: () => keyed("use", old || value),
  };
  if (kind === "user.job") return `${kind}${employed(parts.value)}`;
  if (kind === "date") return topic === "" || value === "" ? undefined : `date:${topic}:${value}`;
  if (kind.startsWith("user.")) return kind;
  if (kind === "of.partner") return "user.partner";
  if (kind.startsWith("of.")) return ofSomebody(kind.slice("of.".length))?.concat(`:${aspectOf(parts.value ?? "")}`);
  // "My phone number changed" is about the same subject as "My phone number is".
  if (kind === "changed" && mine !== topic && /^my /iu.test(parts.topic ?? "")) return `user.${mine}`;
  if (OF_TOPIC.has(kind)) return ofTopic;
  return (keys[kind] ?? (() => keyed(kind, value)))();
}

/** Returns the key of something that somebody has one of. "My new number" means the number of a phone. */
function entityKey(topic: string): string | undefined {
  if (topic === "") return undefined;
  return /^(?:new-)?(?:number|cell|mobile)$/u.test(topic) ? "user.phone" : `entity:${roleOf(topic)}`;
}

/** Matches a time. "We're switching to Linear in January" names a time, and no purpose of the choice. */
const WHEN =
  /^(?:(?:early|late|mid|the (?:end|start|beginning|middle) of|next|this|last|about|a|an|one|two|three|four|six|\d+) )*(?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|days?|weeks?|months?|quarters?|years?|weekends?|future|end|q[1-4]|\d{4})(?: (?:of .*|\d{1,4}))?$/iu;
/** Matches a thing for which people make many choices: a database and a framework "for the app". */
const WHOLE =
  /^(?:(?:the|our|my|this|that|a|an|new|old|main|whole|mobile|web) )*(?:app|application|project|product|shop|store|web ?shop|site|website|company|business|startup|team|prototype|mvp|back ?end|front ?end|service|platform|server|system|house|flat|office|kitchen|garden|wedding|party|trip)s?$/iu;

/** Returns whether a topic is a purpose that has one choice at a time, such as "for the event bus". */
function isPurpose(topic: string | undefined): boolean {
  const text = spaced(topic).trim();
  return slugOf(topic) !== "" && !WHEN.test(text) && !WHOLE.test(text);
}

/** Matches, behind a job, where somebody works, in the first group: "a nurse at St. Olav Hospital". */
export const EMPLOYED = / (?:at|for|with) (?:the )?(\p{Lu}[^,;(]*)/u;

/** Returns the part of a job's key that names the employer. A job ends with the employment, and a job alone does not. */
function employed(job = ""): string {
  const employer = slugOf(EMPLOYED.exec(job)?.[1]);
  return employer === "" ? "" : `@${employer}`;
}

/** The aspects of a person's life and health that have one value at a time. */
const ASPECTS: readonly (readonly [string, RegExp])[] = [
  ["diet", /^(?:is|are)\b.* (?:vegetarian|vegan|pescatarian)s?(?: now)?$|^eats? meat again/iu],
  ["home", /^(?:lives?|is living|(?:has |just )?moved)(?!\p{L})/iu],
  ["job", /^(?:is (?:now )?an? |(?:works?|is working)(?: now)? as )/iu],
  ["work", /^(?:works?|is working)(?: now| part-time| full-time)? (?:at|for|with) /iu],
  ["school", /^(?:go|goes|is going) to /iu],
  ["studies", /^(?:is studying|stud(?:ies|y)) /iu],
  ["age", /^(?:is|just turned|turned) (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)/iu],
  ["marital", /^is (?:married|engaged) to /iu],
];
/** Matches the verb before what a person is, has or does. */
const DOING =
  /^(?:is|are|has|have|can't|goes|go|plays?|speaks?|drives?|owns?|takes?)(?: now| also)? (?:an? |any |the )?/iu;

/** Returns the part of a person's health or life that a statement is about: by default what the person is, has or does. */
function aspectOf(value: string): string {
  const one = ASPECTS.find(([, pattern]) => pattern.test(value))?.[0];
  return one ?? slugOf(value.replace(DOING, "").replace(/\d+ ?mg /giu, ""));
}

/** Returns the key of a value that is added to others of its kind and replaces none. */
export function addedKey(key: string, { value, who }: KeyParts): string {
  return ADDED_TO.test(key) ? `${key}:${slugOf(value ?? who)}` : key;
}

/** Matches the keys without the value: of the subjects that usually have one value. */
const ADDED_TO = /^(?:user\.|decision:|project:|entity:|favourite:|life:.*:(?:home|work|job)$)/u;

/** The kinds of keys that are made of the topic alone. */
const OF_TOPIC: ReadonlySet<string> = new Set(["favourite", "project", "when", "dated", "changed"]);

/** Returns the key of a preference: by the known topic of the choice, else by its purpose, else by the alternatives. */
function preferenceKey(parts: KeyParts, { value, topic, old, at }: Record<"value" | "topic" | "old" | "at", string>) {
  const known = topicOf(spaced(parts.value)) ?? topicOf(spaced(parts.old));
  if (known !== undefined) return `preference:${known}${topic === "" ? at : `@${topic}`}`;
  if (topic !== "") return `preference:${topic}${at}`;
  if (old !== "") return `preference:${[value, old].sort().join("|")}${at}`;
  return value === "" ? undefined : `like:${value}${at}`;
}

/** Returns the key of a fact that a model found, separate from the keys of the rules; undefined when no words are left. */
export function aboutKey(about: string): string | undefined {
  const slug = slugOf(about, /(?!)/g);
  return slug === "" ? undefined : `model:${slug}`;
}

/** Returns the words of a text as they stand in a key: in small letters, joined by hyphens, without words that change no subject. */
export function slugOf(text: string | undefined, filler = FILLER): string {
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
 * tabs over spaces". A choice that is missing here is a topic of its own.
 */
const TOPIC_OF: ReadonlyMap<string, string> = new Map(
  part`
    indentation: tabs, tab, spaces
    theme: dark mode, light mode, dark theme, light theme
    hot-drink: tea, coffee
    editor: vim, neovim, emacs, vscode, vs code, helix, zed, nano, sublime, intellij
    package-manager: npm, pnpm, yarn, bun, pip, poetry, uv
    units: metric, metric units, imperial, imperial units
    clock: 24-hour clock, 12-hour clock, 24h, 12h
    answer-length: short answers, long answers, brief answers, detailed answers, concise answers
    answer-form: bullet points, bullets, prose, tables
    quote-style: single quotes, double quotes
    channel: email, e-mail, phone, chat, slack, mail
    merge-style: rebase, merge, squash`
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [topic = "", choices = ""] = line.trim().split(": ");
      return choices.split(", ").map((choice) => [choice, topic] as const);
    }),
);

/** Returns the topic of a choice in lower case, ignoring an article before it; undefined: no topic is known. */
function topicOf(choice: string): string | undefined {
  const bare = choice
    .replace(/^(?:the|a|an|my|using|to use) ?| (?:now|nowadays|these days|again|instead)$/gu, "")
    .trim();
  return TOPIC_OF.get(bare) ?? TOPIC_OF.get(bare.replace(/s$/u, ""));
}
