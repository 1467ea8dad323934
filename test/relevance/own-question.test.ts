import { expect, test } from "vitest";
import { asksOfOwn } from "../../src/relevance/words/own-question.ts";

test.each([
  "Who will put the cupboards together for us?",
  "Which city do I call home?",
  "what's my locker code",
  "Did we ever settle on a caterer?",
  "What do you know about me?",
  "Can you tell me when our lease ends?",
  "Why did our team drop the new proxy?",
  "Do you remember what I said about Lisbon?",
  "Where did I park?",
  "Wer kümmert sich um unseren Garten?",
  "Wann habe ich Geburtstag?",
  "Was weißt du über mich?",
  "Où habite ma sœur ? Et mes parents ?",
  "¿Cuándo llega nuestro paquete?",
  "Dove abitano i miei genitori?",
  "Qual é o nome do meu médico?",
  "Waar staat onze auto?",
])("%j asks about the asker's own life", (message) => {
  expect(asksOfOwn(message)).toBe(true);
});

test.each([
  "How do I get wax out of a tablecloth?",
  "how do I exit vim",
  "Should I peel ginger before freezing it?",
  "Where can I buy stamps?",
  "What happens if I mix bleach and vinegar?",
  "Who wrote Ulysses?",
  "Can you make my text shorter?",
  "Could you translate our slogan into Polish?",
  "Who is Mia Farrow?",
  "What does the US constitution say about taxes?",
  "Tell me a joke about penguins",
  "my train was late again",
  "Wie koche ich Eier?",
  "Kannst du meinen Text kürzen?",
  "Wo kann ich Briefmarken kaufen?",
  "Comment je fais une omelette ?",
  `Is this right? ${"my code; ".repeat(60)}`,
])("%j does not", (message) => {
  expect(asksOfOwn(message)).toBe(false);
});
