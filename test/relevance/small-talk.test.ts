import { describe, expect, test } from "vitest";
import { isSmallTalk } from "../../src/relevance/words/small-talk.ts";

describe("small talk", () => {
  test.each([
    "hi",
    "Good morning!",
    "thanks a million, night!",
    "thanks love, that's very kind",
    "ok",
    "ok go on",
    "lol",
    "haha nice one",
    "wait, stop",
    "never mind",
    "👍",
    ":thumbsup:",
    "What's 15 % of 240?",
    "17 * 23",
    "what is 10/2?",
    "What is 2024 - 1999?",
    "",
    "Can you make that shorter?",
    "could you translate this please?",
    "Kannst du das kürzen?",
    "Danke dir, das war's schon!",
    "Guten Morgen",
    "merci beaucoup",
    "muchas gracias",
    "спасибо",
    "はい",
  ])("%s", (message) => {
    expect(isSmallTalk(message)).toBe(true);
  });

  test.each([
    "What is the hamster's name?",
    "What is my name?",
    "What did I do on 2026-11-21?",
    "What did I say on 21.11.2026?",
    "What did I do on the 24th?",
    "What did I do in 2024?",
    "Where do I live?",
    "Wie alt bin ich?",
    "Where is the stopcock?",
    "how much levothyroxine do I take",
    "Telekom order number",
    "INC-2304",
    "PLAT-4410 status",
    "rates-api",
    "Who gets the piano?",
    "and Ravi?",
    "Tell Ravi that the label job failed",
    "Wo wohnt meine Schwester?",
    "今日の会議は何時ですか",
    "book the usual table for Friday",
    "Kannst du den Termin mit Jonas verschieben?",
    "Can you call Anna?",
    "can you show me where I work?",
    "could you show me what we said about this?",
    "Can you look up when I go?",
    "Can you find out who she is?",
    "Can you call mom?",
    "Can you cancel the dentist on Friday?",
    "Can you tell me where I parked?",
    "my rent went up again",
  ])("not: %s", (message) => {
    expect(isSmallTalk(message)).toBe(false);
  });
});
