import { expect, test } from "vitest";
import { asksOfOwn } from "../../src/relevance/words/own-question.ts";

test.each([
  "Who will put the cupboards together for us?",
  "Which city do I call home?",
  "what's my locker code",
  "Did we ever settle on a caterer?",
  "What do you know about me?",
  "Wie heiße ich?",
  "How do our neighbours call their dog?",
  "When are we moving?",
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
  "Who won World War I?",
  "What is a type I error?",
  "Chi ha scritto i Promessi Sposi?",
  "Hvem vant krigen i 1945?",
  "Hoe maak je pannenkoeken?",
  "Wer hat je den Everest bestiegen?",
  "¿Cuántos días tiene el mes de mayo?",
  "Quem é presidente nos Estados Unidos?",
  "how far is 10 mi in km?",
  "Is the shop open on Mon?",
  "Can we travel faster than light?",
  "my train was late again",
  "Wie koche ich Eier?",
  "Kannst du meinen Text kürzen?",
  "Wo kann ich Briefmarken kaufen?",
  "Comment je fais une omelette ?",
  `Is this right? ${"my code; ".repeat(60)}`,
])("%j does not", (message) => {
  expect(asksOfOwn(message)).toBe(false);
});
