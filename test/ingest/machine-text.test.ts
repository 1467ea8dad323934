import { describe, expect, it } from "vitest";
import { withoutMachineText } from "../../src/ingest/machine-text.ts";
import { processorTime } from "../support/processor-time.ts";

const user = (text: string) => withoutMachineText({ role: "user", text });

describe("texts of programs in a message", () => {
  it.each([
    "[Subagent Context] You are running as a subagent. The walrus eats clams.",
    "[cron:7 daily] The walrus eats clams.",
    "[Compacted summary]\nThe walrus eats clams.",
    "[Inter-session message] sourceSession=a\nThe walrus eats clams.",
    "This session is being continued from a previous conversation. The walrus eats clams.",
    "The conversation history before this point was compacted into a summary:\nThe walrus eats clams.",
    "## Conversation summary\nThe walrus eats clams.",
    "Pre-compaction memory flush. The walrus eats clams.",
    "Session nearing compaction. The walrus eats clams.",
    "[Telegram Ana 2026-05-04 09:15 GMT+2] [Subagent Context] The walrus eats clams.",
  ])("that are the whole message are not indexed: %s", (text) => {
    expect(user(text).trim()).toBe("");
  });

  it.each([
    "[Telegram Ana id:12 2026-05-04 09:15 GMT+2] I saw a seal.",
    "[WhatsApp +43660123 2026-05-04 09:15] I saw a seal.",
    "[Slack Ana] I saw a seal.",
    "[2026-05-04 09:15 Telegram] I saw a seal.",
    "[Mon 2026-05-04 09:15 GMT+2] I saw a seal.",
    "I saw a seal.\n[message_id: 3EB0]",
    "Relevant memories:\n- The walrus eats clams\n- It swims\n\nI saw a seal.",
    "## Relevant Memories\n\n* The walrus eats clams\n\nI saw a seal.",
    "Here are some memories that may be relevant:\n- The walrus eats clams\n\nI saw a seal.",
    "What I remember about you:\n1. The walrus eats clams\n\nI saw a seal.",
    "Context from previous session:\n- The walrus eats clams\n\nI saw a seal.",
    "<relevant-memories>\nThe walrus eats clams\n</relevant-memories>\n\nI saw a seal.",
    "<recalled-memory>\n- (fact) The walrus eats clams\n</recalled-memory>\nI saw a seal.",
    "<hindsight_memories>The walrus eats clams</hindsight_memories> I saw a seal.",
    "I saw a seal.\n<system-reminder>\nThe walrus eats clams\n</system-reminder>",
    'Conversation info (untrusted metadata):\n```json\n{"walrus":1}\n```\n\nI saw a seal.',
    "[Chat messages since your last reply - for context]\nPer: The walrus eats clams\n[Current message - respond to this]\n[WhatsApp group 2026-05-04 09:15] I saw a seal.",
    "[Replying to Per id:1]\nThe walrus eats clams\n[/Replying]\nI saw a seal.",
  ])("around the speaker's words are not indexed, and the lines stay: %s", (text) => {
    expect(user(text).trim()).toBe("I saw a seal.");
    expect(user(text).split("\n")).toHaveLength(text.split("\n").length);
  });

  it.each([
    "Heartbeat sensor: replaced with a new one",
    "Summary of our conversation with the landlord: the rent rises to 900",
    "[Meeting 14:00] discuss the roadmap",
    "[line 12] the comma is missing",
    "[reminder] call the dentist",
    "[Context] I moved to Rome",
    "[Tool shed] the drill is broken",
    "Relevant facts:\n- the deadline is on Friday",
    "Memories:\n- our trip to Rome",
    '<memory unit="KiB">4194304</memory>',
    "<relevant-memories> is never closed\nI saw a seal.",
    "Context: I moved to Rome",
    "System requirements: 4 GB",
  ])("are not seen in what people write: %s", (text) => {
    expect(user(text)).toBe(text);
  });

  it("are found in the assistant's messages and in tool results only if they are in tags", () => {
    const summary = "Summary of the conversation: you saw a seal.";
    expect(withoutMachineText({ role: "assistant", text: summary })).toBe(summary);
    const recalled = "Found:\n<recalled-memory>\n- The walrus eats clams\n</recalled-memory>";
    expect(withoutMachineText({ role: "tool", text: recalled })).toBe("Found:\n\n\n");
  });

  it("take time linear in the text", () => {
    const spent = processorTime();
    for (const line of [
      "<memories>",
      "[replying to",
      "x (untrusted):\n```",
      "Relevant memories:",
      "[Slack a]",
      "</memory>",
    ])
      user(`${line}\n`.repeat(60_000));
    user(`[a${" 09:15".repeat(100_000)}`);
    user(`<${"a-".repeat(200_000)}memory`);
    expect(spent()).toBeLessThan(3000);
  });
});
