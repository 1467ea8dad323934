import { describe, expect, test } from "vitest";
import { spokenText } from "../../src/ingest/harness-text.ts";

/** Returns names of letters, all of them different. */
function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => [...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join(""));
}

describe("the words in a message of a coding agent", () => {
  test.each([
    "<command-name>/usage</command-name>\n            <command-message>usage</command-message>\n            <command-args></command-args>",
    "<local-command-stdout>Total cost: $0.0009</local-command-stdout>",
    "<local-command-caveat>The command below was run directly.</local-command-caveat>",
    "<bash-input>ls</bash-input>",
    "<bash-stdout>a.md</bash-stdout><bash-stderr></bash-stderr>",
    "<system-reminder>\nThe user opened a.ts.\n</system-reminder>",
    "<task-notification>\n<task-id>b1</task-id>\n</task-notification>",
    "<subagent_notification>done</subagent_notification>",
    "<user-prompt-submit-hook>Stay in scope.</user-prompt-submit-hook>",
    "<ide_opened_file>The user opened a.ts.</ide_opened_file>",
    '<teammate-message teammate_id="t">I live in Rome.</teammate-message>',
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
    "<environment_context>\n  <cwd>/home/mina</cwd>\n</environment_context>",
    "# AGENTS.md instructions for /home/mina\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
    "<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>",
    "<recalled-memory>\n- I live in Porto.\n</recalled-memory>",
    "",
    "  \n",
  ])("nobody said %j", (text) => {
    expect(spokenText(text)).toBe("");
  });

  test.each([
    ["<system-reminder>\nx\n</system-reminder>\n\nI live in Porto.", "I live in Porto."],
    ["I live in Porto.\n<system-reminder>x</system-reminder>", "I live in Porto."],
    ["Ich wohne in Graz.\n<ide_selection>x</ide_selection>\nUnd du?", "Ich wohne in Graz.\n\n\nUnd du?"],
    ["<user-memory-input>I prefer tabs</user-memory-input>", "I prefer tabs"],
    ["Why does <system-reminder>x</system-reminder> appear?", "Why does <system-reminder>x</system-reminder> appear?"],
    ["<div>\n<p>I live in Porto.</p>\n</div>", "<div>\n<p>I live in Porto.</p>\n</div>"],
    ["<system-reminder> is never closed", "<system-reminder> is never closed"],
    ["I wrote [Request interrupted by user] myself", "I wrote [Request interrupted by user] myself"],
    ["a < b", "a < b"],
  ])("in %j somebody said %j", (text, said) => {
    expect(spokenText(text)).toBe(said);
  });

  test.each([
    "<system-reminder>\n".repeat(50_000),
    "<system-reminder></system-reminder>".repeat(25_000),
    "<system-x\n".repeat(90_000),
    `<${"a-".repeat(400_000)}hook>`,
    "<system-reminder ".repeat(50_000),
    ` ${" ".repeat(900_000)}<`,
    "\n".repeat(900_000),
    `<system-reminder>${"\n</system-reminder".repeat(50_000)}`,
    namesOf(40_000)
      .map((name) => `<${name}-notification>\n`)
      .join(""),
    "</a-".repeat(200_000),
  ])("a hostile text takes time in proportion to its length (%#)", (text) => {
    const began = performance.now();
    spokenText(text);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
