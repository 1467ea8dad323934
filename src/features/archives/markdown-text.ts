import type { Written } from "./markdown-lines.ts";

/**
 * Returns a file name for a text, made of letters, digits, dots, underscores and dashes. Different
 * texts may get the same name.
 */
export function fileNameOf(text: string): string {
  const name = text.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|[.-]+$/g, "");
  return name.slice(0, 60) || "unnamed";
}

/** Returns a message under a heading with its speaker and time. */
export function messageText({ role, name, at, text }: Written["messages"]["messages"][number]): string {
  const who = name === null ? role : `${name} (${role})`;
  return `## ${who}, ${minute(at)}\n\n${text}\n\n`;
}

/** Returns a fact as a list item. A fact that no longer holds is struck through. */
export function factText(fact: Written["fact"]): string {
  const { user, agent, session } = fact.scope;
  const about = [
    fact.validTo === null ? `since ${day(fact.validFrom)}` : `${day(fact.validFrom)} to ${day(fact.validTo)}`,
    fact.subject && `about ${fact.subject}`,
    fact.key && `key ${fact.key}`,
    user && `about ${user}`,
    agent && `for the agent ${agent}`,
    session && `in ${session}`,
    fact.expiresAt && `until ${day(fact.expiresAt)}`,
    fact.tags.length > 0 && fact.tags.map((tag) => `#${tag}`).join(" "),
  ].filter((part) => part);
  const text = fact.text.replace(/\s+/g, " ");
  return `- ${fact.validTo === null ? text : `~~${text}~~`} (${about.join("; ")})\n`;
}

/** Returns the text of the folder's own page. */
export function aboutText(agent: string, exportedAt: string): string {
  return `# What ${agent} remembers

As of ${minute(exportedAt)}. Files stand under their paths, conversations in \`_sessions\`, facts in \`_facts\`.

\`recollect sync\` of this folder sends the files back; \`.recollectignore\` excludes conversations and facts. An archive
(\`recollect agents export ${agent} --out FILE\`) restores the whole memory.
`;
}

function day(instant: string): string {
  return instant.slice(0, 10);
}

function minute(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}
