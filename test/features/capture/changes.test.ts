import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CaptureOutput } from "../../../src/service/facts/captured-facts.ts";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";
import { capturing } from "./said.ts";

describe("a change that no rule reads", () => {
  let app: FactApp;
  let agents = 0;
  beforeAll(async () => {
    app = await startFactApp({});
  });
  afterAll(() => app.drop());

  const nextAgent = () => `changes_${++agents}`;
  const { say, sayAt, held } = capturing(() => app);

  const CHANGES = [
    ["My dentist appointment is on December 3 at 15:30.", "The dentist moved it to December 10 at 9:00."],
    ["My flight to Lisbon is on November 20.", "My flight got rebooked to November 22."],
    ["My favorite color is blue.", "My favourite colour changed to green."],
    ["My phone number is 555-1234.", "I have a new phone number: 555-9876."],
    ["My daughter Emma is 5.", "Emma turned 6 today."],
    ["I have a dog named Rex.", "Rex died last month."],
    ["I have a cat called Minka.", "We gave Minka away."],
    ["I drive a Volvo.", "I sold my car."],
    ["I take lisinopril 10mg every morning.", "The doc upped my lisinopril to 20mg."],
    ["My dentist appointment is on 14 October at 3pm.", "The dentist got pushed to the 21st."],
    ["I go to the gym every Tuesday and Thursday.", "I switched gym days to Monday and Friday."],
    ["My sister Ngozi lives in Lagos.", "Ngozi moved to Abuja."],
    ["I take lisinopril 10mg.", "The doctor took me off lisinopril."],
    ["I live in Utrecht.", "Our new address is Kersenlaan 14, Amersfoort."],
    ["I work at Globex.", "I was laid off last week."],
    ["I'm a photographer.", "I joined Guardian Media as a picture editor."],
    ["My car is a red Golf.", "I bought a Tesla Model 3 and traded in the Golf."],
    ["I don't drink coffee.", "I've started drinking coffee again."],
    ["I take 10mg of lisinopril.", "My doctor upped the lisinopril to 20mg."],
    ["I take vitamin D every morning.", "I stopped taking vitamin D."],
    ["My lease ends on March 31.", "The lease was extended to June 30."],
    ["Remember that my mom's surgery is on December 2.", "The surgery was postponed to December 9."],
    ["I'm training for a marathon.", "I cancelled the marathon because of my knee."],
    ["My manager is Sarah.", "Sarah left the company."],
    ["The wifi password is hunter2.", "I changed the wifi password to swordfish."],
    ["I can't eat gluten.", "I can eat gluten again, the test was wrong."],
    ["I'm the CTO of Fooly.", "I stepped down as CTO."],
    ["We decided to use Kafka for the events.", "We dropped Kafka and went with RabbitMQ."],
    ["We use Kafka.", "We ditched Kafka in favor of RabbitMQ."],
    ["My mother Ruth lives in Bath.", "My mother moved to York."],
    ["My mother lives in Bath.", "My mother Ruth moved to York."],
    ["My brother Ole lives in Rome.", "My brother moved to Milan."],
    ["My sister Ida has a peanut allergy.", "Ida outgrew her peanut allergy."],
    ["We have a cat called Miso.", "Miso died this morning."],
    ["My dog is called Rex.", "Rex died last week."],
    ["My phone number is 070-1234567.", "New number: 070-7654321."],
    ["I take 50mg sertraline.", "My doctor upped it to 100mg."],
    ["My deadline is March 3.", "The deadline slipped to March 17."],
    ["My email is jon@old.com.", "Use jon@new.org from now on."],
    ["I run every morning.", "I stopped running because of my knee."],
    ["I swim on Mondays.", "I quit swimming."],
    ["My phone number is 555-0101.", "My new number is 555-0202."],
    ["I'm a vegetarian.", "I started eating fish again."],
    ["My son Karim plays chess.", "Karim quit chess."],
    ["My dentist is Dr. Berg.", "Dr. Berg retired, I go to Dr. Holm now."],
    ["My brother Ole works at Equinor.", "Ole quit and opened a bakery."],
    ["My brother Ole works at Equinor.", "Ole retired."],
    ["My girlfriend is Sanne.", "I'm dating Lotte now."],
    ["Remember that my gym is SATS Majorna.", "My new gym is Nordic Wellness."],
    ["Our standup is every day at 9:30.", "Standup got pushed to 10:00"],
    ["Remember that the deadline for the report is Friday.", "The deadline was extended to Monday."],
    ["We use Jenkins for CI.", "We moved CI to GitHub Actions."],
    ["My car is a Golf.", "I traded the Golf for a Tesla."],
    ["My dog is called Rex.", "We had to put Rex down."],
    ["My son plays the piano.", "My son quit piano."],
    ["My dentist appointment is on November 12.", "The dentist moved it again, to December 15."],
    ["My appointment with Dr. Lee is on March 9.", "Dr. Lee moved it to March 12."],
    ["I live at 12 Elm Street, Boston.", "My new address is 7 Oak Road, Boston."],
    ["My son goes to Lakeside School.", "My son switched to Hillside School."],
  ] as const;
  test.each(CHANGES)("%s / %s: the change ends the first", async (first, change) => {
    const agent = nextAgent();
    const { facts } = await say(agent, [first]);
    expect(facts).toHaveLength(1);
    expect(await say(agent, [change])).toMatchObject({ stored: 1, superseded: 1 });
    expect(await held(agent)).toEqual([change.replace(/\.$/u, "")]);
  });

  test.each([
    [
      "My flight to Rome is on 5 December.",
      "My flight to Oslo is on 9 December.",
      "My flight was moved to 11 December.",
    ],
    [
      "My dentist appointment is on 3 December at 10:00.",
      "My haircut appointment is on 4 December.",
      "The appointment moved to 10 December.",
    ],
  ])("%s / %s / %s: nobody knows which one, so both hold", async (first, second, change) => {
    const agent = nextAgent();
    for (const text of [first, second]) await say(agent, [text]);
    expect(await say(agent, [change])).toMatchObject({ superseded: 0 });
    expect(await held(agent)).toEqual(expect.arrayContaining([first, second].map((one) => one.replace(/\.$/u, ""))));
  });

  test.each(CHANGES)("%s / %s: both may come in one call", async (first, change) => {
    const agent = nextAgent();
    await say(agent, [first, change]);
    expect(await held(agent)).toEqual([change.replace(/\.$/u, "")]);
  });

  test.each([
    ["My phone number is 555-1234.", "I sold my phone and got a new one."],
    ["My flight to Lisbon is on November 20.", "My sister's flight got moved to November 22."],
    ["My flight to Lisbon is on November 20.", "The hotel for the flight changed to the Hilton."],
    ["My flight to Lisbon is on November 20.", "If my flight got rebooked to November 22, I'd miss the party."],
    ["My flight to Lisbon is on November 20.", "My flight might be moved to November 22."],
    ["My flight to Lisbon is on November 20.", "My flight wasn't moved to November 22."],
    ["My flight to Lisbon is on November 20.", "Was my flight moved to November 22?"],
    ["My dentist is Dr. Lee.", "The dentist moved my appointment to December 10."],
    ["My daughter Emma is 5.", "My son turned 6 today."],
    ["My daughter Emma is 5.", "Emma's friend turned 6 today."],
    ["I drive a Volvo.", "My brother sold his car."],
    ["My favorite color is blue.", "The color of the logo changed to green."],
    ["My laptop is a ThinkPad X1.", "I updated the laptop to Windows 11."],
    ["I have two cats.", "One cat died last week."],
    ["I like sushi.", "The sushi place closed down."],
    ["My manager is Sarah.", "Sarah moved the meeting to Friday."],
    ["My wife is called Carla.", "Carla changed her hair to red."],
    ["My exam is on December 4.", "I finished the exam prep."],
    ["I work at Acme.", "Acme closed the Berlin office."],
    ["My son Karim plays chess.", "Omar quit chess."],
    ["My brother Ole is 30.", "Ole quit his job."],
    ["My brother Ole lives in Rome.", "My brother Per moved to Milan."],
    ["My brother Ole lives in Oslo.", "Ole retired."],
    ["My sister Ida has a peanut allergy.", "Mia outgrew her peanut allergy."],
    ["My sister Ida has a peanut allergy.", "I stopped taking the allergy pills."],
    ["I live in Porto.", "I moved from Oslo to Rome years ago."],
    ["I live in Porto.", "My parents and I moved to Brazil when I was five."],
    ["I live in Porto.", "We moved to Spain when I was ten."],
    ["I live in Porto.", "I moved to London in 2015 and came back in 2018."],
    ["I work at Acme.", "I started at Initech in 2012."],
    ["I work at Acme.", "I work at home on Mondays."],
    ["I work at Acme.", "I work for free on Sundays."],
    ["I work at Acme.", "For the role play, my name is Zorg and I work at Starfleet."],
    ["I live in Porto.", "Let's play a game where my name is Zorg and I live in Mordor."],
    ["My cat is called Tom.", "My uncle Tom died."],
    ["My sister Ida lives in Rome.", "My goldfish Ida died."],
    ["My daughter Lily is 7.", "Our goldfish Lily died last night."],
    ["My dentist appointment is on December 3.", "My hairdresser moved my appointment to December 12."],
    ["My vet appointment is on December 3.", "The bank moved my appointment to December 12."],
    ["My dentist appointment is on December 3.", "I cancelled my hairdresser appointment."],
    ["We decided to use Postgres.", "We decided not to use Postgres for the cache."],
    ["We decided to use Redis for sessions.", "We decided not to use Redis for the queue."],
    ["My sister Ida is allergic to nuts.", "Ida retired."],
    ["My mother has diabetes.", "My mother retired."],
    ["I'm allergic to cats.", "The cat died."],
    ["My sister is a doctor.", "My sister has a friend who lives in Nantes and works as a nurse."],
    ["My son is 7.", "My son has a teacher who is strict and is 45."],
    ["I live in Chicago.", "We moved from Go to Rust."],
    ["My phone is a Pixel.", "I had to put the phone down."],
    ["We live in Leeds with our kids Sofia (6) and Leo (3).", "Leo turned 4 yesterday, huge cake"],
    ["I live in Oslo with my son Leo.", "Leo moved to Rome."],
    ["I work at Acme with my brother Max (25).", "Max turned 26 yesterday."],
    ["I take 20 mg lisinopril and 500 mg metformin.", "My doctor upped the lisinopril to 40mg."],
    ["I have two cats, Tom (5) and Kit (7).", "Kit died on Monday."],
    ["My appointment with Dr. Kim is on March 3 and with Dr. Lee on March 9.", "Dr. Lee moved it to March 12."],
    ["I play tennis and chess.", "I quit tennis."],
    ["I play tennis on Mondays and chess on Fridays.", "I quit tennis."],
    ["I have a dog called Rex and a cat called Milo.", "Milo died yesterday."],
    ["I live in Oslo.", "I moved to Linux."],
    ["I live in Oslo.", "I moved to Ida's team."],
    ["I live in Oslo.", "For this example, I live in Paris."],
    ["I live in Oslo.", "For the sake of the example, I live in Paris."],
    ["I live in Oslo.", "Just kidding, I live on the moon."],
    ["I live in Oslo.", "Just kidding! I live in Narnia."],
    ["My son plays the piano.", "My son's friend quit piano."],
    ["We use Jenkins for CI.", "We moved the docs to GitHub Actions."],
    ["My car is a Golf.", "I swapped seats with Tom."],
    ["My name is Petra.", "I'm Product Owner."],
    ["My name is Petra.", "I'm Gen Z."],
    ["I live in Oslo.", "I live in Bergen during the week."],
    ["I work at Acme.", "I work at Globex on Fridays."],
    ["I work at Acme.", "I work part-time at Globex."],
    ["My wife works at Globex.", "My wife works at Acme two days a week."],
    ["I work at Acme for 5 years.", "We extended it to 6 years."],
    ["My email is a@b.no.", "For the billing account, use c@d.no from now on."],
    ["Remember that I read every evening.", "I stopped reading in the middle of chapter 3."],
    ["I run every morning.", "I stopped running in the rain."],
    ["We use Postgres.", "We dropped Postgres for the cache."],
    ["We use Postgres for billing and Redis for caching.", "We dropped Redis."],
    ["My colleague is Ben.", "New colleague: Anna."],
    ["My daughter Emma is 5.", "New daughter: Ella."],
    ["Remember that I run a bakery.", "I stopped running because of my knee."],
    ["I take 50mg sertraline.", "She cut it to 5 slices."],
    ["I take 50mg sertraline.", "My brother upped it to 100 km."],
    ["My email is jon@old.com.", "Use support@shop.com for tickets from now on."],
    ["My car is a red Golf.", "The new car is fast."],
    ["I live in Berlin.", "Moved to GitHub."],
    ["I live in Berlin.", "Just moved to Slack."],
    ["I live in Berlin.", "Tom bought a house. The new house is in Graz."],
    ["I live in Leeds.", "My address is Flat 3, Maple Court, Leeds."],
    ["I work at Acme.", "Started with Chapter 3."],
    ["I work at Acme.", "I finally let go."],
    ["I drive a Skoda.", "My brother's car was stolen."],
    ["I drive a Skoda.", "We sold the rental car."],
    ["My wife is Anna.", "My wife went to Berlin."],
    ["My wife is Anna.", "Rex went to Anna."],
    ["Remember that my sister is 34.", "My sister went to 2 concerts."],
    ["My sister is a nurse.", "I brought my sister to the airport."],
    ["My dog is called Rex.", "We switched the dog to Royal Canin."],
    ["My phone is a Pixel 9.", "I dropped my phone."],
    ["Our office is in Utrecht.", "The office is closed today."],
    ["Our office is in Berlin.", "I returned from Berlin."],
    ["My boss is Anna.", "My boss is off, back on Monday."],
    ["I can't eat dairy.", "I've started avoiding dairy."],
    ["Remember that my dentist appointment is on Tuesday.", "Anna moved the appointment to Friday."],
    ["Call me Al.", "My boss moved me to Platform Team."],
    ["I have a dog named Rex.", "Rex died. Just kidding!"],
    ["Remember that the budget is 500.", "I'll set the budget to 300."],
    ["Remember that the rent is 800.", "Last year the rent went up to 900."],
    ["Our lesson is every Monday at 10.", "The lesson was cancelled today."],
    ["I eat meat.", "I've been vegan before, but not anymore."],
    ["I live in Utrecht.", "My new address is Kersenlaan 14, Utrecht."],
    ["I'm a nurse.", "I joined Lakeside as a nurse."],
    ["My sister Ngozi works at Shell.", "Ngozi moved to Abuja."],
    ["I left Acme in May.", "I quit Duolingo."],
    ["I'm 34 years old.", "The status page moved from Statuspage.io to Cstate."],
    ["My address is Main Street 5, Springfield.", "The server address changed from 10.0.0.1 to 10.0.0.2."],
    ["My native language is Danish.", "The language of the manual changed from German to English."],
  ])("%s / %s: the first still holds", async (first, other) => {
    const agent = nextAgent();
    const { facts } = await say(agent, [first]);
    expect(await say(agent, [other])).toMatchObject({ superseded: 0 });
    expect(await held(agent)).toContain(facts[0]?.text);
  });

  test.each([
    ["I work at Globex.", "Got fired from Globex yesterday.", "Got fired from Globex yesterday"],
    ["I work at Maersk.", "Started at Novo Nordisk today!", "Started at Novo Nordisk today"],
    ["I live in Copenhagen.", "just moved into my new flat in Roskilde", "Just moved into my new flat in Roskilde"],
    ["I work at Globex.", "Yes, started at Initech this morning", "Started at Initech this morning"],
    ["I work at Globex.", "btw started my new job at Initech today", "Started my new job at Initech today"],
    ["I work at Globex.", "good news!! just started at Initech", "Just started at Initech"],
    ["I live in Copenhagen.", "New place is in Roskilde, Algade 12.", "New place is in Roskilde, Algade 12"],
    ["I drive a 2014 Honda Jazz.", "sold the Jazz, bought a used Kia Niro", "Sold the Jazz, bought a used Kia Niro"],
    ["I'm 34 years old.", "Turned 35 today!", "Turned 35 today"],
    ["My phone number is 555-0101.", "Got a new number: 555-0199.", "Got a new number: 555-0199"],
  ])("%s / %s: is read without its subject, too", async (first, change, stored) => {
    const agent = nextAgent();
    await say(agent, [first]);
    await say(agent, [change]);
    expect(await held(agent)).toEqual([stored]);
  });

  test.each([
    ["Lily is allergic to peanuts.", "Sorry, Lily is allergic to cashews, not peanuts, I mixed that up."],
    ["I'm allergic to peanuts.", "I'm allergic to cashews, not peanuts."],
    ["My dog is called Rex.", "My dog is called Max, not Rex."],
    ["My son is called Theo.", "My son is called Leo, not Theo."],
    ["I speak Italian.", "I speak Spanish, not Italian."],
    ["My favourite colour is blue.", "My new favourite colour is green."],
    ["I have a job interview with Monzo on December 7 at 11am.", "The Monzo interview was pushed back to December 9."],
    ["I have a dentist appointment on December 3 at 10:30.", "My dentist appointment got moved to December 10 at 9."],
    ["I have a vet appointment on December 9.", "The vet appointment is now on the 11th."],
    ["My flight to Lisbon is on December 20.", "Flight got rebooked, now it's December 21."],
    ["I work at Figma.", "So I quit Figma last week, I'm at Canva now."],
    ["My dentist is Dr. Patel on High Street.", "I switched dentists, I go to Dr. Wong now."],
    ["My car is a red Skoda.", "I told you my car is a Fabia, that's wrong, it's an Octavia."],
    ["My dentist is Dr. Weiss.", "I said my dentist is Dr. Weiss, that was wrong, it's Dr. Lehmann."],
    ["I live in Graz.", "I moved to Berlin in May, it was a mistake."],
    ["I've got an exam on December 3.", "My exam was moved to December 10."],
    ["I have an appointment with Dr. Okafor on May 8.", "The appointment with Dr. Okafor has been moved to May 15."],
  ])("%s / %s: the correction ends what it refuses", async (first, correction) => {
    const agent = nextAgent();
    await say(agent, [first]);
    const corrected = await say(agent, [correction]);
    expect(corrected).toMatchObject({ stored: 1, superseded: 1 });
    expect(await held(agent)).toEqual([corrected.facts[0]?.text]);
  });

  test.each([
    ["Lily is allergic to peanuts.", "Lily is allergic to cashews, not only when she eats them."],
    ["My dog is called Rex.", "My dog is called Max, not so original."],
    ["My trip to Rome is on December 3.", "The trip is now 5 days."],
    ["I work at Figma.", "I left home, I'm at Starbucks now."],
    ["My wedding is on December 3.", "The wedding is now 80% planned."],
    ["I like dogs.", "I like hiking but not with dogs."],
    ["I like milk.", "I like coffee but not with milk."],
    ["I work at Globex.", "I said I work at Acme, which was a mistake."],
    ["I work at Globex.", "I said I work at Acme. That's not right."],
    ["My landlord is Mr. Patel.", "I told you my landlord is Mr. Singh, that's wrong."],
    ["I'm allergic to nuts.", "I said I'm allergic to eggs, that was wrong, it's milk."],
    ["My landlord is Mr. Patel.", "My landlord moved to Spain last month."],
    ["My therapist is Dr. Kim.", "My therapist moved to Oxford Street."],
    ["My dentist is Dr. Okafor.", "My dentist moved to a new practice on Park Street."],
    ["I have a dentist appointment on December 3.", "My haircut was moved to December 10."],
    ["I live in Oslo.", "My brother lives in Bergen, not Oslo."],
  ])("%s / %s: ends nothing", async (first, remark) => {
    const agent = nextAgent();
    const { facts } = await say(agent, [first]);
    await say(agent, [remark]);
    expect(await held(agent)).toContain(facts[0]?.text);
  });

  test("of what a known home names is a move, and of a tool is none", async () => {
    const agent = nextAgent();
    await say(agent, ["I live in Oslo."]);
    await say(agent, ["We moved from Oslo to Drammen on Saturday."]);
    expect(await held(agent)).toEqual(["We moved from Oslo to Drammen on Saturday"]);
    await say(agent, ["I live in Stavanger now.", "We moved from Jenkins to GitHub Actions."]);
    expect(await held(agent)).toEqual(["I live in Stavanger now", "We moved from Jenkins to GitHub Actions"]);
  });

  test.each([
    ["I take lisinopril 10mg and metformin 500mg.", "I stopped taking metformin."],
    ["I work at Acme and at Globex.", "I left Globex."],
    ["We have two dogs, Rex and Tilly.", "Rex died yesterday."],
    ["My brothers are Tom and Leo.", "Tom died."],
    ["I own a Golf and a Vespa.", "I sold the Golf."],
    ["I like sushi and ramen.", "I don't like ramen any more."],
    ["My sister Claire lives in Nantes and works as a nurse.", "Claire moved to Rennes."],
    ["My mother lives in Paris and is allergic to nuts.", "My mother moved to Rome."],
    ["My daughter Zoe is 7 and is allergic to peanuts.", "Zoe turned 8."],
  ])("%s / %s: what else the first says still holds", async (first, change) => {
    const agent = nextAgent();
    const { facts } = await say(agent, [first]);
    await say(agent, [change]);
    const left = await held(agent);
    // Two statements of one sentence are two facts, and a list is one.
    expect(left).toContain(facts.at(-1)?.text);
    expect(left).toContain(change.replace(/\.$/u, ""));
  });

  test("of an address to use keeps the key of the address", async () => {
    const agent = nextAgent();
    for (const content of ["My phone number is 911 22 333.", "Use 455 66 777 from now on."])
      await say(agent, [content]);
    await say(agent, ["My phone number is 999 88 777."]);
    expect(await held(agent)).toEqual(["My phone number is 999 88 777"]);
  });

  test.each([
    "I live in a house in Oslo, built in 1920.",
    "I live in Oslo with my wife, whom I met ten years ago.",
    "I work at Equinor, back in Stavanger.",
    "I work for Days Inn.",
  ])("is none of long ago, and is kept: %s", async (text) => {
    expect((await say(nextAgent(), [text])).stored).toBe(1);
  });

  test.each([
    ["I work at Acme and travel.", "I left Acme."],
    ["I live in Oslo and Anna lives in Bergen.", "I no longer live in Oslo."],
  ])("%s / %s: no list, so the first ends", async (first, change) => {
    const agent = nextAgent();
    await say(agent, [first]);
    expect(await say(agent, [change])).toMatchObject({ superseded: 1 });
  });

  test("is found behind the clause that says who told it", async () => {
    const agent = nextAgent();
    await say(agent, ["My dentist appointment is on November 24 at 10:00."]);
    await say(agent, ["Oh and the dentist called, they moved my appointment to December 3."]);
    expect(await held(agent)).toEqual(["They moved my appointment to December 3"]);
  });

  test("says nothing when two facts are equally near, or none is", async () => {
    const agent = nextAgent();
    await say(agent, ["My flight to Lisbon is on May 20.", "My flight to Porto is on June 20."]);
    const flights = await held(agent);
    expect(await say(agent, ["My flight got rebooked to July 22."])).toMatchObject({ stored: 0 });
    expect(await say(agent, ["The rent went up to 900 euros."])).toMatchObject({ stored: 0 });
    expect(await held(agent)).toEqual(flights);
  });

  test("ends facts of its own user and speaker only", async () => {
    const agent = nextAgent();
    const [first, change] = ["My flight is on May 20.", "My flight got rebooked to May 22."];
    await say(agent, [first], { scope: { user: "ada" } });
    await say(agent, [first], { scope: { user: "bob" } });
    expect(await say(agent, [change], { scope: { user: "bob" } })).toMatchObject({ superseded: 1 });
    const facts = await app.list(agent);
    expect(facts.map(({ text, scope }) => [text, scope?.user]).sort()).toEqual([
      ["My flight got rebooked to May 22", "bob"],
      ["My flight is on May 20", "ada"],
    ]);
    const group = nextAgent();
    const messages = [
      { role: "user", name: "Ada", content: first },
      { role: "user", name: "Bob", content: change },
    ];
    await app.call("POST", `/v1/agents/${group}/capture`, { messages });
    expect(await held(group)).toEqual(["My flight is on May 20"]);
  });

  test("is shown by a dry run, and ends nothing by being said before the fact", async () => {
    const agent = nextAgent();
    const { facts } = await say(agent, ["My flight is on May 20."]);
    const change = { role: "user", content: "My flight got rebooked to May 22." };
    const shown = await app.call<CaptureOutput>("POST", `/v1/agents/${agent}/capture`, {
      messages: [change],
      dryRun: true,
    });
    expect(shown.body.facts).toMatchObject([{ text: "My flight got rebooked to May 22", trigger: "changed" }]);
    const past = { messages: [{ ...change, at: "2020-01-01T00:00:00Z" }] };
    await app.call("POST", `/v1/agents/${agent}/capture`, past);
    expect(await held(agent)).toEqual(facts.map(({ text }) => text));
  });

  test("holds in conversations that are appended message by message", async () => {
    const agent = nextAgent();
    for (const content of ["My flight is on May 20.", "My flight got rebooked to May 22.", "It got rebooked again."])
      await app.call("POST", `/v1/agents/${agent}/sessions/trip/messages`, { messages: [{ role: "user", content }] });
    expect(await held(agent)).toEqual(["My flight got rebooked to May 22"]);
  });

  test.each([
    ["I left Acme.", "I work at Acme."],
    ["I'm not vegetarian any more.", "I'm vegetarian."],
    ["I'm not allergic to nuts.", "I'm allergic to nuts."],
  ])("%s of March ends %s of January also if that is stored later", async (denial, statement) => {
    const agent = nextAgent();
    await sayAt(agent, [
      ["2026-03-02T09:00:00Z", denial],
      ["2026-01-02T09:00:00Z", statement],
    ]);
    expect(await held(agent)).toEqual([denial.replace(/\.$/u, "")]);
  });

  test("a denial that is stored first ends no other value that is learned late", async () => {
    const agent = nextAgent();
    await sayAt(agent, [
      ["2026-03-02T09:00:00Z", "I left Globex."],
      ["2026-01-02T09:00:00Z", "I work at Acme."],
      ["2026-03-03T09:00:00Z", "Paul is no longer my manager."],
      ["2026-02-03T09:00:00Z", "My manager is Petra."],
    ]);
    expect(await held(agent)).toEqual(
      expect.arrayContaining(["I left Globex", "I work at Acme", "My manager is Petra"]),
    );
  });
});
