import { describe, expect, it } from "vitest";
import { captureFacts } from "../../../../src/features/capture/reading/capture-facts.ts";

const capture = (text: string) => captureFacts([{ role: "user", text }]);
const texts = (text: string) => capture(text).map((fact) => fact.text);

describe("an end and a beginning in one sentence", () => {
  it.each([
    ["I left Telenor and started at Vipps as a tech lead this week!", "I started at Vipps as a tech lead this week"],
    [
      "I left my job at Telenor and joined Vipps as a designer.",
      "I left my job at Telenor and joined Vipps as a designer",
    ],
    ["I left Telenor in March and I am now at Vipps.", "I left Telenor in March and I am now at Vipps"],
    ["I quit Telenor and now work at Vipps.", "I quit Telenor and now work at Vipps"],
    ["I resigned from Telenor and just started a new job at Vipps.", "I started a new job at Vipps"],
  ])("%s", (text, fact) => {
    expect(capture(text)).toMatchObject([{ text: fact, key: "user.employer", ends: { says: "Telenor" } }]);
  });

  it("an end before something else ends what it names, and no more", () => {
    expect(capture("I left Telenor and went home.")).toMatchObject([
      { text: "I left Telenor and went home", ends: { says: "Telenor" } },
    ]);
    // Vipps may be a club or a service.
    expect(capture("I quit Telenor and joined Vipps.")).toMatchObject([
      { text: "I quit Telenor and joined Vipps", key: "not:user.employer:telenor", ends: { says: "Telenor" } },
    ]);
    for (const text of ["I left Anna and I am now with Clara.", "I left Oslo and joined Anna in Bergen."])
      expect(capture(text).filter(({ key }) => key === "user.employer")).toEqual([]);
    expect(texts("I resigned from Acme and will start at Globex next month.")).toEqual([
      "I resigned from Acme and will start at Globex next month",
    ]);
    expect(capture("I left Ulm and moved to Augsburg.")).toMatchObject([
      { text: "I moved to Augsburg", key: "user.location", ends: { says: "Ulm" } },
    ]);
    expect(texts("I sold the flat in Bergen and moved to Oslo.")).toContain("I moved to Oslo");
    expect(texts("I work with trained and certified dogs.")).not.toContain("I certified dogs");
  });
});

describe("a name", () => {
  it.each([
    ["Hi, I'm Petra.", "I'm Petra"],
    ["Hello there, I'm Ivo", "I'm Ivo"],
    ["Hi! I'm Petra, nice to meet you.", "I'm Petra"],
    ["I'm Ahmed Khaled, nice to meet you.", "I'm Ahmed Khaled"],
    ["Hi, I'm Brian", "I'm Brian"],
    ["Hello, I'm Fred", "I'm Fred"],
    ["my name is mohammed", "My name is mohammed"],
    ["Hi, this is Bob Hansen", "This is Bob Hansen"],
  ])("%s", (text, fact) => {
    expect(capture(text)).toMatchObject([{ key: "user.name", text: fact }]);
  });

  it("is not everything with a capital letter", () => {
    expect(capture("I'm Batman.")[0]?.key).toBeUndefined();
    for (const text of ["Hey, I'm Danish", "I'm South African", "I'm Gen Z", "I'm On Fire", "This is Spinal Tap"])
      expect(capture(text), text).toEqual([]);
    for (const text of ["My name is spelled with two n's", "My name is usually shortened", "My name is on the list"])
      expect(capture(text), text).toEqual([]);
    expect(capture("I'm Product Owner")).toMatchObject([{ key: "user.job" }]);
  });

  it("in full, without a greeting, comes beside a name that is known", () => {
    expect(capture("I'm Claire Hartnell.")).toMatchObject([{ key: "user.name:claire-hartnell" }]);
  });

  it("is no pronoun, whom another sentence names", () => {
    expect(capture("Max changed schools, he goes to Oak School now.")).toEqual([]);
    expect(texts("My son Leo is 5, he goes to Hill School.")).toEqual(["My son Leo is 5"]);
  });
});

describe("another person or place in a role", () => {
  it.each([
    ["I report to Henrik now.", "entity:manager", "I report to Henrik now"],
    ["Dagmar left, Henrik took over as my manager.", "entity:manager", "Henrik took over as my manager"],
    ["Dagmar retired, Henrik is my boss now.", "entity:manager", "Henrik is my boss now"],
    ["I've switched gyms, I'm at Eisenhalle now.", "entity:gym", "I've switched gyms, I'm at Eisenhalle now"],
  ])("%s", (text, key, fact) => {
    expect(capture(text)).toMatchObject([{ key, text: fact }]);
  });

  it.each(["I report to work at nine.", "I report bugs to Jira."])("none: %s", (text) => {
    expect(capture(text)).toEqual([]);
  });
});

describe("a denial", () => {
  it.each([
    ["I left Globex in May.", "user.employer", "Globex"],
    ["I quit my job at Initech last week.", "user.employer", "Initech"],
    ["I no longer work at Acme.", "user.employer", "Acme"],
    ["I resigned from Acme yesterday.", "user.employer", "Acme"],
    ["I was laid off by Siemens.", "user.employer", "Siemens"],
    ["I stopped working at Siemens last year.", "user.employer", "Siemens"],
    ["I'm no longer with Acme.", "user.employer", "Acme"],
    ["I am not married anymore.", "user.marital", "married"],
    ["We don't deploy on Fridays any more.", "do:", "deploy on Fridays"],
    ["I don't read the NYT any more.", "do:", "read the NYT"],
    ["I don't fly with SAS any more.", "do:", "fly with SAS"],
    ["I no longer answer mail in the evening.", "do:", "answer mail in the evening"],
    ["I sold my MacBook Air.", "do:", "own a MacBook Air"],
    ["I don't work for the city council any more.", "user.employer", "the city council"],
    ["I'm not vegan any more.", "user.diet", "vegan"],
    ["I am no longer a vegetarian.", "user.diet", "vegetarian"],
    ["Pia and I are divorced.", "user.partner", "Pia"],
    ["Tom and I broke up in March.", "user.partner", "Tom"],
    ["I got divorced from Pia.", "user.partner", "Pia"],
    ["I don't live in Porto anymore.", "user.location", "Porto"],
    ["We moved away from Vienna.", "user.location", "Vienna"],
    ["I'm no longer allergic to peanuts.", "allergy:peanuts", "peanuts"],
    ["I'm not diabetic any longer.", "being:", "diabetic"],
    ["I'm not a student any more.", "user.job", "student"],
    ["My boss is no longer Tom.", "entity:manager", "Tom"],
    ["Jana is no longer my manager.", "entity:manager", "Jana"],
    ["Rex isn't my dog any more.", "dog:rex", "Rex"],
    ["We no longer use Kafka.", "use:", "Kafka"],
    ["I stopped drinking coffee.", "do:", "drink coffee"],
    ["I've stopped smoking.", "do:", "smoke"],
    ["I gave up alcohol.", "do:", "drink alcohol"],
    ["I don't eat meat anymore.", "do:", "eat meat"],
    ["I don't drive a Golf any more.", "do:", "drive a Golf"],
    ["I don't play the violin any more.", "do:", "play the violin"],
    ["I don't like cilantro any more.", "like:", "cilantro"],
    ["My sister doesn't live in Oslo any more.", "life:sister:", "live in Oslo"],
    ["My daughter Ida is not allergic to penicillin.", "allergy:penicillin@daughter-ida", "penicillin"],
    ["My daughter Ida isn't allergic to cats.", "allergy:cats@ida", "cats"],
    ["Ida is not allergic to penicillin after all.", "allergy:penicillin@", "Ida penicillin"],
    ["My son Tim is not diabetic.", "health:son-tim:", "diabetic"],
    ["Tim isn't diabetic.", "health:", "Tim diabetic"],
    ["My son doesn't have asthma.", "health:son:", "asthma"],
    ["My son Tim has no nut allergy.", "health:tim:", "nut allergy"],
    ["Ida can eat nuts again.", "health:", "Ida eat nuts"],
    ["My sister Eva doesn't work at Acme.", "life:sister-eva:", "work at Acme"],
    ["My brother doesn't speak French.", "life:brother:", "speak French"],
    ["My sister does not have a dog.", "life:sister:", "dog"],
    ["My wife isn't a teacher any more.", "life:wife:", "teacher"],
    ["Lena is not allergic to nuts any more, the doctor says she outgrew it.", "allergy:nuts@", "Lena nuts"],
    ["Lena is no longer allergic to nuts, luckily.", "allergy:nuts@", "Lena nuts"],
    ["Good news: Lena is no longer allergic to nuts.", "allergy:nuts@", "Lena nuts"],
    ["Good news, Lena is no longer allergic to nuts.", "allergy:nuts@", "Lena nuts"],
    ["Update: I'm not vegan any more.", "user.diet", "vegan"],
    ["I am not vegan any more, the doctor told me to eat fish.", "user.diet", "vegan"],
    ["I don't work at Acme any more (they closed).", "user.employer", "Acme"],
  ])("ends what it denies: %s", (text, key, says) => {
    const [fact, ...more] = capture(text);
    expect(more).toEqual([]);
    expect(fact?.key).toMatch(/^not:/);
    expect(fact?.ends?.keys).toContain(key);
    expect(fact?.ends?.says).toBe(says);
  });
});

it.each([
  "Ida is not severely allergic to nuts.",
  "My sister isn't working at Acme this week.",
  "She is not allergic to nuts.",
  "My son isn't here.",
])("a denial of a degree, of a week, of nobody in particular: %s", (text) => {
  expect(texts(text)).toEqual([]);
});

describe('a name after "call me"', () => {
  it.each([
    "Call me Al.",
    "You can call me Pete again.",
    "You can call me Petra, please.",
    "Please call me Petra from now on.",
    "Just call me Dr. Weber.",
    "From now on, call me Mary Ann.",
    "Everyone calls me Jo, and I live in Oslo.",
    "Please don't call me Bo, use Robert.",
    "Stop calling me Bo, call me Robert instead.",
    "Don't call me Bob; it's Robert.",
  ])("%s", (text) => {
    expect(capture(text)[0]).toMatchObject({ key: "user.name" });
  });

  it.each([
    "You can call me before 9.",
    "You can call me before 9 again.",
    "You can call me anytime.",
    "You can call me again at noon.",
    "You can call me directly.",
    "You may call me Monday.",
    "Please call me tonight.",
    "Call me Friday at noon.",
    "Call me al.",
    "Don't call me on weekends, use Slack.",
    "Never call me at work, call me on Monday.",
    "Don't call me Bo.",
  ])("no name: %s", (text) => {
    expect(capture(text).map(({ key }) => key)).not.toContain("user.name");
  });
});

describe("a habit with its days", () => {
  it.each([
    "We deploy on Tuesdays with Ansible.",
    "I play tennis with Mark on Sundays.",
    "I always swim on Mondays.",
    "I usually run every morning.",
  ])("is a fact, and no wish: %s", (text) => {
    expect(capture(text)).toMatchObject([{ category: "fact", trigger: "habit" }]);
  });

  it.each(["I always take the aisle seat.", "We never deploy on Fridays."])("a rule stays a wish: %s", (text) => {
    expect(capture(text)).toMatchObject([{ category: "preference" }]);
  });
});

describe("a change", () => {
  it.each([
    ["Last month I moved from Graz to Linz.", "user.location", "Graz"],
    ["I moved from Lyon to Porto.", "user.location", "Lyon"],
    ["We relocated from Bern to Basel last spring.", "user.location", "Bern"],
    ["I left Globex for Initech.", "user.employer", "Globex"],
    ["We've migrated from MySQL to Postgres.", "use:mysql", "MySQL"],
    ["We've moved from Slack to Teams.", "use:slack", "Slack"],
    ["My phone number changed from 555-1234 to 555-9876.", "user.phone", "555-1234"],
    ["I use Zed now instead of Vim.", "use:vim", "Vim"],
    ["We use pnpm now instead of npm.", "use:npm", "npm"],
    ["We run Postgres now, not MySQL.", "use:mysql", "MySQL"],
    ["We replaced Trello with Linear.", "use:trello", "Trello"],
    ["I replaced my ThinkPad with a MacBook Pro.", "use:thinkpad", "ThinkPad"],
    ["I traded in my Golf for a Polestar 2.", "use:golf", "Golf"],
    ["My favourite colour is no longer red but green.", "favourite:color", "red"],
    ["My boss is no longer Tom but Jana.", "entity:manager", "Tom"],
    ["Clara is no longer my manager, Ravi is.", "entity:manager", "Clara"],
    ["Clara isn't my manager any more, it's Ravi.", "entity:manager", "Clara"],
    ["Clara is no longer my manager but Ravi is now.", "entity:manager", "Clara"],
    ["My manager is not Clara any more, it's Ravi.", "entity:manager", "Clara"],
    ["Tom is no longer our supplier, Kranz is.", "entity:supplier", "Tom"],
    ["I switched my editor from Vim to Zed.", "changed:editor", "Vim"],
  ])("knows its old and its new value: %s", (text, key, says) => {
    expect(capture(text)).toMatchObject([{ key, ends: { says } }]);
  });
});

it.each([
  ["I'm allergic to nuts, my doctor says I should avoid cashews.", "I'm allergic to nuts"],
  ["I'm vegan, my doctor told me to eat more vegetables.", "I'm vegan"],
  ["Good news: I work at Globex now.", "I work at Globex now"],
])("a reason behind a statement, or news before it: %s", (text, said) => {
  expect(texts(text)).toEqual([said]);
});

it.each(["I'm vegan, he said.", "I live in Oslo, she told me that.", "BBC News: I live in Oslo."])(
  "what somebody else says: %s",
  (text) => {
    expect(texts(text)).toEqual([]);
  },
);

describe("a request to remember what was said", () => {
  it.each([
    ["I'm allergic to shellfish, please remember that for the dinner in December.", "I'm allergic to shellfish"],
    ["The boiler code is 4471, please remember that for the trip.", "The boiler code is 4471"],
    ["My salary is 91k. Remember that for next time.", "My salary is 91k"],
    ["Remember that on Fridays we close at 4.", "On Fridays we close at 4"],
    ["Remember that on Mondays the team meets.", "On Mondays the team meets"],
    ["My salary is 91k, remember that.", "My salary is 91k"],
    ["The boiler code is 4471, please remember that.", "The boiler code is 4471"],
    ["The boiler code is 4471, don't forget.", "The boiler code is 4471"],
    ["The boiler code is 4471, and don't forget that!", "The boiler code is 4471"],
    ["The boiler code is 4471 - please remember.", "The boiler code is 4471"],
    ["My salary is 91k, keep that in mind for later.", "My salary is 91k"],
    ["The boiler code is 4471 (please note that down).", "The boiler code is 4471"],
    ["My salary is 91k. Remember that.", "My salary is 91k"],
    ["The boiler code is 4471. Please make a note of that.", "The boiler code is 4471"],
    ["I live in Oslo, remember that.", "I live in Oslo"],
  ])("%s", (text, said) => {
    expect(texts(text)).toEqual([said]);
  });

  it.each([
    "Buy milk, don't forget.",
    "We met in Rome, remember?",
    "He was nice, remember that.",
    "Please remember that for next time.",
    "Remember that on Friday.",
    "Don't forget that for the trip.",
    "Keep in mind that for Tom's birthday, please.",
    "Did I say that my code is 12, remember that?",
    "My salary is hard to say, I don't remember that.",
    "My salary is 91k. You need not remember that.",
  ])("not a reminder or a question: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });
});

describe("what is taken back in the same message", () => {
  it.each([
    ["We decided to use Kafka, but then we dropped it."],
    ["We decided to use Kafka. Then we changed our minds."],
    ["We decided to use Kafka. Actually no, we dropped it."],
    ["We agreed to move to Oslo, though later we called it off."],
    ["I'm allergic to nuts, just kidding."],
    ["I'm allergic to nuts. Just kidding!"],
    ["I'm allergic to nuts, haha, I'm joking."],
    ["I live in Oslo jk"],
    ["I live in Oslo. That was a joke."],
    ["My name is Zorro, not really."],
    ["I live in Oslo. Scratch that."],
  ])("is no statement: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });

  it.each([
    ["I live in Rome. Just kidding, I live in Oslo.", ["I live in Oslo"]],
    ["We use Postgres. We decided to use Kafka, but later we changed our minds.", ["We use Postgres"]],
    ["I like figs, and I tried plums, but then I dropped that.", ["I like figs"]],
    ["I'm vegan, I'm not joking.", ["I'm vegan"]],
    ["I'm vegan. No kidding.", ["I'm vegan"]],
    ["I work at Acme. We dropped it off at noon.", ["I work at Acme"]],
    ["I live in Oslo lol", ["I live in Oslo"]],
  ])("the rest stays: %s", (text, kept) => {
    expect(texts(text)).toEqual(kept);
  });
});

describe("a habit or a possession that replaces the one before", () => {
  it.each([
    ["I drive a Skoda Enyaq now.", "do:", "drive"],
    ["I now drive an Enyaq.", "do:", "drive"],
    ["I go to the gym on Thursdays now.", "do:", "go gym"],
    ["Nowadays I run every Friday.", "do:", "run"],
    ["We have three cats now.", "have:", "cats"],
    ["I play tennis on Sundays these days.", "do:", "play tennis"],
  ])("ends what says the same of another time or thing: %s", (text, key, says) => {
    const [fact] = capture(text);
    expect(fact?.ends?.keys).toContain(key);
    expect(fact?.ends?.says).toBe(says);
  });

  it.each(["I drive a Skoda Enyaq.", "I also drive a Golf now.", "I play tennis on Sundays."])(
    "ends nothing without a word that says so: %s",
    (text) => {
      expect(capture(text)[0]?.ends?.says).toBeUndefined();
    },
  );

  it.each([
    ["I prefer dark mode.", "I prefer light mode now."],
    ["I prefer emails.", "I prefer phone now."],
    ["I'm 34 years old.", "I turned 35 yesterday."],
    ["Our office is in Storgata 5.", "Our office has moved to Havnegata 2."],
    ["My laptop is a ThinkPad X1.", "My laptop is now a MacBook Pro."],
    ["My GP is Dr Hansen.", "We switched doctors and I'm with Dr Olsen now."],
    ["My dentist is Dr Lund.", "I changed dentists, I now see Dr Aas."],
    ["I'm single.", "I'm married now."],
    ["I'm married.", "We got divorced."],
  ])("has the key of the fact before: %s %s", (before, after) => {
    const [one] = capture(before);
    expect(one?.key).toBeDefined();
    expect(capture(after).map(({ key }) => key)).toEqual([one?.key]);
  });
});

describe("no change of what holds", () => {
  it.each([
    "I'm thinking about moving to Linz.",
    "I'll probably move to Oslo next year.",
    "I want to work at Google one day.",
    "If I get the job, I live in Berlin.",
    "I live in Rome until June.",
    "I'm working at Acme for two weeks.",
    "We're staying in Paris for the weekend.",
    "I would love to live in Lisbon.",
    "I'm moving to Linz in May.",
    '"I live in Paris" is what the sign says.',
    "I could become vegan.",
    "I hope to work at CERN.",
    "Tomorrow I move to Graz.",
    "I used to live in Rome.",
    "I almost moved to Bern.",
    "I live in Madrid for the summer.",
    "From next month I work at Bosch.",
    "She says I live in Graz.",
    "I dreamed that I live in Graz.",
    "Next year I'm vegan.",
    "Suppose I work at Shell.",
    "I work at Acme as of Monday.",
    "I'm in Berlin this week.",
    "We might move to Linz in 2028.",
    "I'm staying in Linz until Sunday.",
  ])("a plan, a stay, a condition, a quotation: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });
});

describe("a sign inside a word", () => {
  it.each([
    ["The demo moved to Monday at 16:15.", ["The demo moved to Monday at 16:15"]],
    ["I like a 4:3 picture.", ["I like a 4:3 picture"]],
    ["My name is Dr. Eva M. Lind.", ["My name is Dr. Eva M. Lind"]],
    ["My name is J. R. Hartley.", ["My name is J. R. Hartley"]],
    ["Hi, my name is R2D2.", ["My name is R2D2"]],
    ["Hi, my name is Deadmau5, nice to meet you.", ["My name is Deadmau5"]],
    ["We moved to 3 Node servers.", ["We moved to 3 Node servers"]],
    [
      "I have an allergy to shellfish, please remember that when I ask for dinner ideas.",
      ["I have an allergy to shellfish"],
    ],
    ["Emil is allergic to peanuts, please remember that when I ask for recipes.", ["Emil is allergic to peanuts"]],
    ["Please remember that when I ask for recipes.", []],
    ["I was born in St. Pölten.", ["I was born in St. Pölten"]],
    ["Our standup is every Monday at 9:45.", ["Our standup is every Monday at 9:45"]],
    ["I prefer a 16:9 screen.", ["I prefer a 16:9 screen"]],
    ["Remember that pi is 3.14 and not 3.", ["Pi is 3.14 and not 3"]],
    ["I work for the U.S. Army.", ["I work for the U.S. Army"]],
    ["I live in the U.S. My name is Bo.", ["I live in the U.S", "My name is Bo"]],
    ["I live in Washington D.C. and work at the F.B.I.", ["I live in Washington D.C", "I work at the F.B.I"]],
    ["My budget is 10.000 euros. I prefer trains.", ["I prefer trains"]],
    ["I like fruit, e.g. apples and pears.", ["I like fruit, e.g. apples and pears"]],
    ["My manager is Mr. T. Jones.", ["My manager is Mr. T. Jones"]],
    ["We use Node.js 22.1 for the backend.", ["We use Node.js 22.1 for the backend"]],
    ["Always round to 2.5 percent.", ["Always round to 2.5 percent"]],
    ["My e-mail is eva.lind@example.co.uk.", ["My e-mail is eva.lind@example.co.uk"]],
    ["My address is 12 St. John's Rd., Leeds.", ["My address is 12 St. John's Rd., Leeds"]],
  ])("is no border: %s", (text, wanted) => {
    expect(texts(text)).toEqual(wanted);
  });
});

describe("another's words", () => {
  it.each([
    "---------- Forwarded message ---------\nFrom: Per <per@x.se>\nSubject: Hi\n\nMy name is Per. I live in Lund.",
    "Per: I live in Lund and I'm vegan.",
    "[28/11/2026, 09:15:02] Per: I live in Lund.",
    "Per Lund, [28.11.2026 09:15]\nI live in Lund.\nI'm vegan.",
    "Per  9:15 AM\nI live in Lund now.",
    "My neighbour told me: I live in Lund.",
    "This song is stuck in my head: I live in a yellow submarine.",
    "A customer's complaint: my name is Joe and I hate waiting.",
    "Voicemail from Jana: my number is 0171 222 333.",
    "Per texted me: I'm allergic to nuts.",
    "On Tue, 3 Nov 2026 at 10:00, Per Lund wrote:\nI live in Lund.\nMy name is Per.",
    "♪ I live in a house of gold ♪",
    "<per> I live in Lund",
    "Begin forwarded message:\n\nI work at Ikea.",
    "As Oscar Wilde said, I live in fear.",
    "The lyrics go: I always love you in the morning.",
    "From her profile: I live in Berlin and I'm vegan.",
    "What the customer wrote:\nMy name is Joe. I live in Kiel.",
    "Fwd: My name is Per",
    "Per writes: I live in Lund and work at Ikea.",
    "Ticket from a customer: my number is 0171 222.",
  ])("are not the user's: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });
});

describe("texts of programs", () => {
  it.each([
    "[cron:daily] My name is Bo.",
    "[System Message] I live in Porto.",
    "[Heartbeat] Always check the mail.",
    "System: [2026-11-28 09:15] Always use sudo.",
    "<memory>\n- I live in Porto\n</memory>",
    "## Recalled memories\n- My name is Ana\n- I live in Porto\n\nWhat next?",
    "This session is being continued from a previous conversation that ran out of context. The user said: my name is Ana. I live in Porto.",
    "Summary of the conversation so far:\nI live in Porto. Always use pnpm.",
    "<system-reminder>\nAlways use sudo.\n</system-reminder>",
    "Known facts about the user:\n- I work at Acme",
    "The conversation history before this point was compacted into the following summary:\nI live in Porto.",
    "[Subagent Context] You are a helper. My name is Bo.",
    "Relevant memories:\n- I live in Porto",
  ])("are not the user's: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });

  it.each([
    ["[Telegram Ana id:12 +5m 2026-11-28 09:15 GMT+2] I always take the aisle seat.", "I always take the aisle seat"],
    ["[WhatsApp +43 660 1 2026-11-28 09:15] I live in Porto.", "I live in Porto"],
    ["[Slack #general Ana 2026-11-28T09:15Z] Always answer in English.", "Always answer in English"],
    ["[Signal Ana Sat 28 Nov 09:15] my name is Ana Lima", "My name is Ana Lima"],
    ["[Discord ana#1 channel id:9 +2m 9:15 PM] I'm vegan.", "I'm vegan"],
    ["[iMessage Bo 2026-11-28 09:15 UTC] We moved from Graz to Linz.", "We moved from Graz to Linz"],
  ])("around the user's words leave the statement alone: %s", (text, wanted) => {
    const [fact, ...more] = capture(text);
    expect(more).toEqual([]);
    expect(fact?.text).toBe(wanted);
    expect(text.slice(fact?.range.start, fact?.range.end).toLowerCase()).toBe(wanted.toLowerCase());
  });
});

describe("manners of writing", () => {
  it.each([
    "Please don't store this, but I live in Porto.",
    "Off the record: I work at Acme.",
    "Just between us, I'm vegan.",
    "I'd rather not say.",
    "I'd prefer not to answer that.",
    "I love it when a plan comes together.",
    "I live for this stuff.",
    "I'm allergic to Mondays.",
    "I could live with that.",
    "I'm all about that bass.",
    "I always knew it.",
    "I never said that.",
    "Don't note this down: my PIN is 1234.",
    "I live and learn.",
    "I hate to say it but you are wrong.",
    "I like to think so.",
    "Call me later.",
    "Call me crazy.",
    "I'm from the future.",
    "I work hard.",
    "Don't save this: I live in Porto.",
    "I prefer not to say.",
  ])("an idiom and a refusal state nothing: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });

  it.each([
    ["**I live in Porto.**", "I live in Porto"],
    ["_I work at Acme._", "I work at Acme"],
    ["My name is **Ana Lima**.", "My name is Ana Lima"],
    ["***Always use pnpm.***", "Always use pnpm"],
    ["**Note:** I prefer *short* answers.", "I prefer short answers"],
    ["im allergic to shellfish", "Im allergic to shellfish"],
    ["im vegan", "Im vegan"],
    ["ive moved to Lisbon", "Ive moved to Lisbon"],
    ["my names Ana", "My names Ana"],
    ["dont use emojis", "Dont use emojis"],
    ["thats fine, im from Porto", "Im from Porto"],
    ["i cant eat gluten", "I cant eat gluten"],
  ])("emphasis and missing apostrophes hide nothing: %s", (text, wanted) => {
    expect(texts(text)).toEqual([wanted]);
  });
});

describe("words that only look like a statement", () => {
  it.each([
    "I've moved to the next chapter.",
    "I work on the parser.",
    "I started with the tests.",
    "I live in the terminal.",
    "I've settled on the second approach.",
    "I'm based on the wrong branch.",
    "My name is in the file.",
    "I moved to step 3.",
    "I'm working with the new API.",
    "I joined the call late.",
    "We use the following approach for parsing.",
    "I like your answer.",
    "I'm a bit confused.",
    "I'm an idiot.",
    "I'm Done.",
    "We moved to production yesterday.",
    "My address is invalid.",
    "I've decided.",
    "I'm married to this idea.",
    "I have a problem with the cat command.",
    "I have two children processes.",
    "I run every test.",
    "I took a new job from the queue.",
    "I've started at line 10.",
    "I am in charge of nothing here.",
    "I left the function unchanged.",
    "I switched to the new tab.",
    "I moved the file from src to lib.",
    "I left Safari open.",
    "I stopped running the tests.",
    "The request goes from client to server.",
    "I've started with the basic setup",
    "I moved to the left.",
    "I'm based on React.",
    "My cousin says he lives in Oslo.",
  ])("%s", (text) => {
    expect(texts(text)).toEqual([]);
  });
});

describe("an introduction, a standing instruction, a move", () => {
  it.each([
    ["Hi! Jonas Berg, product designer at Nordlys (maps).", ["Jonas Berg, product designer at Nordlys (maps)"]],
    [
      "I'm Maria Silva, from Braga originally, living in Turin.",
      ["I'm Maria Silva", "I'm from Braga originally", "I'm living in Turin"],
    ],
    [
      "House rules:\n1. `rm` only after asking\n2. never push to main\n- dates as 2026-01-31",
      ["`rm` only after asking", "Never push to main", "Dates as 2026-01-31"],
    ],
    ["new address: Hauptstraße 4, 8010 Graz", ["New address: Hauptstraße 4, 8010 Graz"]],
    ["In summaries: put the numbers first.", ["In summaries: put the numbers first"]],
    ["remind me about the bins every tuesday", ["Remind me about the bins every tuesday"]],
    ["New rule from the board: no travel without approval", ["No travel without approval"]],
    [
      "The status page moved from Acme to status.example.com.",
      ["The status page moved from Acme to status.example.com"],
    ],
    ["so the party's on the 21st not the 14th", ["The party's on the 21st not the 14th"]],
    ["Lena (my boss) wants reports on Fridays", ["Lena (my boss) wants reports on Fridays"]],
  ])("%s", (text, wanted) => {
    expect(texts(text)).toEqual(wanted);
  });
});

describe("other languages", () => {
  it.each([
    ["Merk dir: der Schlüssel liegt bei Ines.", "Der Schlüssel liegt bei Ines"],
    ["Bitte merke dir, dass ich keine Nüsse esse.", "Ich keine Nüsse esse"],
    ["Souviens-toi que je suis allergique aux noix.", "Je suis allergique aux noix"],
    ["Recuerda que mi hija se llama Ana.", "Mi hija se llama Ana"],
    ["Lembre-se: o portão fecha às dez.", "O portão fecha às dez"],
    ["Ricorda che parto lunedì.", "Parto lunedì"],
    ["Onthoud dat ik geen vlees eet.", "Ik geen vlees eet"],
    ["Zapamiętaj, że mam psa.", "Mam psa"],
    ["Запомни: мой рейс в 9.", "Мой рейс в 9"],
    ["Unutma: toplantı salı günü.", "Toplantı salı günü"],
    ["请记住我的车位是 B12。", "我的车位是 B12"],
    ["覚えておいて：会議は月曜です。", "会議は月曜です"],
    ["会議は月曜だと覚えておいてください。", "会議は月曜だ"],
    ["기억해 줘: 회의는 월요일이야.", "회의는 월요일이야"],
    ["تذكر أن الاجتماع يوم الاثنين", "الاجتماع يوم الاثنين"],
  ])("an explicit request is kept: %s", (text, wanted) => {
    expect(texts(text)).toEqual([wanted]);
  });

  it.each([
    "Ich heiße Jonas.",
    "J'habite à Lyon.",
    "Vivo en Madrid.",
    "私は東京に住んでいます。",
    "我住在上海。",
    "你还记得我住在哪里吗？",
  ])("everything else is left to the conversation: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });
});

describe("words of an example or of a season", () => {
  it.each([
    ["In tests, always use vitest.", "In tests, always use vitest"],
    ["In example code, always use TypeScript.", "In example code, always use TypeScript"],
    ["In my exercise class I met Ana. I live in Oslo.", "I live in Oslo"],
  ])("are no supposition: %s", (text, wanted) => {
    expect(texts(text)).toContain(wanted);
  });

  it.each(["I live in Spring Hill.", "I live in Winter Park, Florida.", "I live in Oslo with my part time dog."])(
    "are no part of the time: %s",
    (text) => {
      expect(capture(text)).toMatchObject([{ key: "user.location" }]);
    },
  );
});

describe("an instruction about answers", () => {
  it.each([
    ["Please answer in German", "preference:answer-language"],
    ["Reply in Norwegian please.", "preference:answer-language"],
    ["Use metric units", "preference:units"],
    ["From now on give detailed answers", "preference:answer-length"],
  ])("that is the whole message holds: %s", (text, key) => {
    expect(capture(text)).toMatchObject([{ category: "preference", key }]);
  });

  it.each(["What is a cat? Answer in German.", "Answer briefly", "Explain in detail", "Translate this to German"])(
    "about one answer does not: %s",
    (text) => {
      expect(capture(text)).toEqual([]);
    },
  );
});

describe("what ends, and what does not", () => {
  const ending = (text: string) => capture(text)[0]?.ends;

  it.each([
    ["Hooli fired me.", ["user.employer"], "Hooli"],
    ["Yesterday was my last day at Acme.", ["user.employer"], "Acme"],
    ["I left Berlin for good.", ["user.employer", "user.location"], "Berlin"],
    ["My ex-wife Rosa lives in Bern.", ["user.partner"], "Rosa"],
    ["I stopped being vegan.", ["user.diet"], "vegan"],
    ["It turns out I'm not allergic to nuts.", ["allergy:nuts"], "nuts"],
    ["I'm not diabetic after all, the test was wrong.", ["being:"], "diabetic"],
    ["We got rid of Jenkins.", ["use:"], "Jenkins"],
    ["We're not going with Postgres for billing after all.", ["decision:"], "Postgres"],
    ["We cancelled the migration to Kubernetes.", ["use:"], "Kubernetes"],
  ])("a denial in other words: %s", (text, keys, says) => {
    expect(ending(text)?.keys).toEqual(expect.arrayContaining(keys));
    expect(ending(text)?.says).toBe(says);
  });

  it.each([
    ["We stay with ingress-nginx after all.", { kept: "ingress-nginx" }],
    ["We're back on npm.", { kept: "npm" }],
    ["We're rolling back to nginx.", { kept: "nginx" }],
    ["We've gone back to Slack.", { kept: "Slack" }],
    ["We're sticking with RabbitMQ after all, not Kafka.", { kept: "RabbitMQ", chosen: "Kafka" }],
    ["We're going back to Node instead of Bun.", { kept: "Node", chosen: "Bun" }],
    ["Scrap that, we're keeping GitHub instead of GitLab.", { kept: "GitHub", chosen: "GitLab" }],
  ])("a decision is taken back: %s", (text, undoes) => {
    expect(ending(text)?.undoes).toMatchObject(undoes);
  });

  it.each([
    ["I switched jobs from Acme to Globex.", "user.employer"],
    ["I moved from Acme to Globex as an engineer.", "user.employer"],
    ["I used to work at Acme, now I work at Globex.", "user.employer"],
    ["I started at Globex on Monday.", "user.employer"],
    ["I just started a new job at Globex!", "user.employer"],
    ["I've just started my new position with Globex.", "user.employer"],
    ["My phone number changed to 555 0199 22.", "user.phone"],
    ["My email address has changed to ana@example.org.", "user.email"],
    ["My email is b@y.org now.", "user.email"],
    ["- **Diet:** I'm vegan", "user.diet"],
    ["~~I live in Graz.~~ I live in Porto.", "user.location"],
  ])("a new value has its key: %s", (text, key) => {
    expect(capture(text).map((fact) => fact.key)).toEqual([key]);
  });

  it.each([
    "I live in Linz in the game.",
    "I'm at Step 3 now.",
    "I moved from Step 2 to Step 3.",
    "We moved to Monday.",
    "My address is being validated twice.",
    "My phone is dead.",
    "My email is bouncing.",
    "My company is great.",
    "I work as expected.",
    "I live at the mercy of the build.",
    "We're back to work.",
    "I'm not sure.",
    "Per Olsson, 9:15 AM\nI live in Lund",
    "Von: Per\nGesendet: Montag\nAn: mich\n\nI live in Lund now.",
    "The customer wrote\n\nI live in Oslo.",
    "Here is what Per wrote me today -\n\nI live in Lund.",
    "Lyrics:\nI live on the edge of town\nMy name is Luka",
    "User story: As a user I always want to see prices. I live in Oslo.",
    "Dear Sir,\nI live in Lund.\nKind regards,\nPer",
    "Memories:\n- I live in Porto",
    "User profile:\n- I live in Porto",
  ])("states nothing about the user: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });
});

describe("a list", () => {
  it.each([
    "I live at Fjordgata 5 in Oslo with Sofie and the kids",
    "I live in Oslo with Sofie, the kids and our dog Rex",
    "I live in Bergen with my wife and my two sons",
    "I love everything about Italy, the food and the scenery",
    "I'm allergic to nuts and the usual pollen",
  ])("is not cut where a thing follows: %s", (text) => {
    expect(texts(`${text}.`)).toEqual([text]);
  });

  it.each([
    ["I work at DNB and my wife works at Nordea.", ["I work at DNB", "My wife works at Nordea"]],
    ["I live in Oslo and the weather is bad.", ["I live in Oslo"]],
    ["I live in Oslo, the office moved to Bergen.", ["I live in Oslo"]],
  ])("ends where another statement begins: %s", (text, stated) => {
    expect(texts(text)).toEqual(stated);
  });
});

describe("a correction", () => {
  it.each([
    ["My favourite colour is green. No wait, blue.", "My favourite colour is blue"],
    ["My phone number is 123 45 678. Sorry, 123 45 679.", "My phone number is 123 45 679"],
    ["My name is Jon. Sorry, typo: John.", "My name is John"],
    ["My name is Jon. Wait, no. John.", "My name is John"],
    ["I live in Oslo, sorry, I mean Bergen.", "I live in Bergen"],
    ["I live in Oslo, or rather Bergen.", "I live in Bergen"],
    ["I live in Oslo. Actually, Bergen.", "I live in Bergen"],
    ["I live in Oslo. Oops. Bergen.", "I live in Bergen"],
    ["I live in Oslo. Oops, I meant Bergen, not Oslo.", "I live in Bergen"],
    ["My birthday is on 4 May. No, sorry, 14 May.", "My birthday is on 14 May"],
    ["I work at DNB. Correction: at Nordea.", "I work at Nordea"],
    ["My email is a@x.no. Oops: b@x.no", "My email is b@x.no"],
    ["My boss is Tom. No wait, Tim.", "My boss is Tim"],
    ["I'm allergic to nuts. Correction: I'm allergic to eggs.", "I'm allergic to eggs"],
  ])("gives the value if it is plain: %s", (text, stated) => {
    expect(texts(text)).toEqual([stated]);
    const [{ start, end } = { start: 0, end: 0 }] = capture(text).map(({ range }) => range);
    expect(text.slice(start, end)).toContain(stated.split(" ").at(-1));
  });

  it.each([
    "I live in Oslo. Sorry, Bergen.",
    "I live in Oslo. Scratch that, Bergen.",
    "My name is Jon. Typo.",
    "We use Postgres for billing. Correction, MySQL.",
    "My favourite colour is green. No wait, it's blue.",
  ])("leaves nothing if it is not: %s", (text) => {
    expect(texts(text)).toEqual([]);
  });

  it.each([
    "I live in Oslo. Sorry, wrong chat.",
    "I live in Oslo. Sorry, Tom just arrived.",
    "I live in Oslo. Sorry for the delay.",
    "I live in Oslo. Sorry, I can't come tomorrow.",
    "I live in Oslo. Actually, can you book a table?",
    "I live in Oslo. No, seriously.",
    "I live in Oslo. I mean, it's great.",
    "My birthday is 4 May. Sorry, 5 minutes late.",
  ])("is no correction: %s", (text) => {
    expect(texts(text)).toHaveLength(1);
    expect(text).toContain(texts(text)[0]);
  });

  it("may stand in the next message of the same person", () => {
    const said = (...all: [string, string][]) =>
      captureFacts(all.map(([name, text]) => ({ role: "user", name, text }))).map((fact) => [
        fact.text,
        fact.messageIndex,
      ]);
    expect(said(["Ana", "I live in Oslo."], ["Ana", "oops, Bergen"])).toEqual([["I live in Bergen", 1]]);
    expect(said(["Ana", "I live in Oslo."], ["Ana", "sorry, Bergen"])).toEqual([]);
    expect(said(["Ana", "I live in Oslo."], ["Ben", "oops, Bergen"])).toEqual([["I live in Oslo", 0]]);
  });

  it.each([
    ["Nice!", "Sorry, I meant Bergen.", "I live in Bergen", 2],
    ["Nice!", "Oops, typo: Bergen", "I live in Bergen", 2],
    ["Do you prefer Paris?", "No, Bergen.", "I live in Oslo", 0],
    ["Do you prefer Paris?", "Actually, Bergen.", "I live in Oslo", 0],
    ["Nice!", "I meant to ask about Bergen.", "I live in Oslo", 0],
    ["I have written the letter.", "Scratch that, write a mail instead.", "I live in Oslo", 0],
    ["Here is the code.", "Typo in line 3, fix it.", "I live in Oslo", 0],
    ["Done.", "Scratch that, book Rome.", "I live in Oslo", 0],
  ])("may stand behind an answer (%s) if it can mean nothing else: %s", (answer, text, fact, index) => {
    const said = [
      { role: "user", text: "I live in Oslo." },
      { role: "assistant", text: answer },
      { role: "user", text },
    ];
    expect(captureFacts(said).map((one) => [one.text, one.messageIndex])).toEqual([[fact, index]]);
  });
});
