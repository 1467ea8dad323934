import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FactApp, startFactApp } from "../../support/fact-app.ts";
import { capturing } from "./said.ts";

describe("what a statement ends", () => {
  let app: FactApp;
  beforeAll(async () => {
    app = await startFactApp({});
  });
  afterAll(() => app.drop());

  const { say, held } = capturing(() => app);

  test.each([
    ["I work at Globex.", "I left Globex in May."],
    ["I work at Initech.", "I no longer work at Initech."],
    ["I'm vegan.", "I'm not vegan any more."],
    ["Pia is my wife.", "Pia and I are divorced."],
    ["My husband is Tom.", "Tom and I split up."],
    ["I live in Porto.", "I don't live in Porto anymore."],
    ["I'm allergic to peanuts.", "I'm no longer allergic to peanuts."],
    ["I drink coffee every morning.", "I stopped drinking coffee."],
    ["My boss is Jana.", "Jana is no longer my boss."],
    ["My doctor is Jana.", "Jana is no longer my doctor."],
    ["My manager is Jana.", "Jana is no longer my manager."],
    ["We decided to use Kafka for the event bus.", "We no longer use Kafka."],
    ["I drive a Golf.", "I don't drive a Golf any more."],
    ["My sister lives in Oslo.", "My sister doesn't live in Oslo any more."],
    ["My daughter Ida is allergic to penicillin.", "My daughter Ida is not allergic to penicillin."],
    ["My daughter Eva is allergic to penicillin.", "Eva is not allergic to penicillin after all."],
    ["Ida is allergic to cats.", "My daughter Ida isn't allergic to cats."],
    ["My son Tim is diabetic.", "Tim is not diabetic."],
    ["My son Leo has asthma.", "My son Leo doesn't have asthma."],
    ["My son Leo can't eat nuts.", "Leo can eat nuts now."],
    ["My brother Max has a dog.", "My brother Max does not have a dog."],
    ["My sister Eva works at Acme.", "My sister Eva doesn't work at Acme."],
  ])("%s / %s: the denial ends the first and says so", async (first, denial) => {
    const agent = `denial_${first.replace(/\W+/g, "_").toLowerCase()}`;
    const { facts } = await say(agent, first);
    const ended = await say(agent, denial);
    expect(ended).toMatchObject({ stored: 1, superseded: 1 });
    expect(await held(agent)).toEqual([ended.facts[0]?.text]);
    const { body } = await app.fact(agent, facts[0]?.id ?? "");
    expect(body).toMatchObject({ supersededBy: ended.facts[0]?.id, endedBy: "key" });
    expect(body.validTo).toBeTypeOf("string");
    await say(agent, first);
    expect(await held(agent)).toEqual([facts[0]?.text]);
  });

  test.each([
    ["Decision: we're leaving ingress-nginx, going with Envoy.", "We stay with ingress-nginx after all."],
    ["We've switched from npm to pnpm.", "We're back on npm."],
    ["We decided to go with Kafka.", "We're sticking with RabbitMQ after all, not Kafka."],
    ["We decided to use Postgres for billing.", "We're not going with Postgres for billing after all."],
    ["Remember: we're moving our chat from Slack to Teams.", "We're going back to Slack."],
  ])("%s / %s: a decision that is taken back ends, with or without a key", async (first, back) => {
    const agent = `back_${first.replace(/\W+/g, "_").toLowerCase().slice(0, 40)}`;
    await say(agent, first);
    await say(agent, "Remember: we import messages from Slack, npm and ingress-nginx.");
    const taken = await say(agent, back);
    expect(taken).toMatchObject({ stored: 1, superseded: 1 });
    const left = ["We import messages from Slack, npm and ingress-nginx", taken.facts[0]?.text];
    expect(await held(agent)).toEqual(left.toSorted());
  });

  test.each([
    ["I live in Graz.", "Last month I moved from Graz to Linz."],
    ["I work at Acme.", "I switched from Acme to Globex in March."],
    ["My phone number is 555-1234.", "My phone number changed from 555-1234 to 555-9876."],
    ["Our supplier is Nordmill.", "We've moved from Nordmill to Sudwerk."],
  ])("%s / %s: a change that names the old value ends it", async (first, change) => {
    const agent = `change_${first.replace(/\W+/g, "_").toLowerCase()}`;
    await say(agent, first);
    const changed = await say(agent, change);
    expect(changed).toMatchObject({ stored: 1, superseded: 1 });
    expect(await held(agent)).toEqual([changed.facts[0]?.text]);
  });

  test.each([
    [["I'm vegan.", "I'm lactose intolerant.", "I'm gluten intolerant.", "I'm allergic to nuts."]],
    [["I'm vegetarian and allergic to nuts."], ["I'm vegetarian", "I'm allergic to nuts"]],
    [
      [
        "My sister Ida lives in Oslo.",
        "My sister Ida works at DNB.",
        "My sister Ida is a nurse.",
        "My sister Ida has a dog.",
      ],
    ],
    [["My daughter Lena is vegetarian.", "My daughter Lena has asthma.", "My daughter Lena is lactose intolerant."]],
    [["My daughter Lena plays handball.", "My daughter Lena plays the violin.", "My daughter Lena speaks French."]],
    [["I was born in Bergen.", "I grew up in Oslo.", "I'm from Norway."]],
    [["I work at DNB.", "I also work at Nordea."]],
    [["I live in Oslo.", "I also live in Rome."]],
    [["I'm a nurse.", "I'm also a photographer."]],
    [["I'm a nurse at Lakeside.", "I work at Lakeside."]],
    [["I work at Globex.", "I'm an SRE at Globex."]],
    [["I'm a nurse at Lakeside.", "I'm a nurse."]],
    [["I'm a nurse.", "I started at Lakeside."]],
    [["My flight is on December 15.", "My flight is on December 29."]],
    [["My address is Parkveien 3.", "I live in Bergen."]],
    [["We're moving to Porto in January.", "We're switching to Linear in January."]],
    [["We decided to go with Postgres for the app.", "We decided to go with React for the app."]],
    [["My GitHub handle is ana1.", "My Slack handle is ana2."]],
    [["My work email is a@x.no.", "My email is b@y.no."]],
    [["Our backend uses Postgres.", "Our backend uses Redis."]],
  ])("%j hold at the same time", async (said, held_ = said.map((text) => text.replace(/\.$/, ""))) => {
    const agent = `both_${said.join("_").replace(/\W+/g, "_").toLowerCase().slice(0, 50)}`;
    for (const text of said) await say(agent, text);
    expect(await held(agent)).toEqual(held_.toSorted());
  });

  test.each([
    ["I'm vegetarian.", "I'm vegan."],
    ["I'm vegan.", "I eat meat again."],
    ["I eat meat.", "I'm vegetarian."],
    ["I'm vegan and lactose intolerant.", "I'm not lactose intolerant after all."],
    ["My wife is vegetarian.", "My wife is vegan now."],
    ["My wife is vegetarian.", "My wife eats meat again."],
    ["My sister Ida lives in Oslo.", "My sister Ida moved to Bergen."],
    ["My daughter Lena is 7.", "My daughter Lena just turned 8."],
    ["I work at DNB.", "I work at Nordea now."],
    ["I'm a nurse at St. Olav Hospital.", "I left St. Olav Hospital."],
    ["I'm a teacher at Lakeside School.", "I quit my job at Lakeside School."],
    ["I'm a developer at Initech.", "I got a new job at Globex."],
    ["I'm a developer at Initech.", "I'm a manager at Initech."],
    ["I work at Initech.", "I'm a developer at Globex now."],
    ["I'm a nurse at Lakeside.", "I'm not a nurse any more."],
    ["I'm a nurse at Lakeside.", "I'm a teacher now."],
    ["I'm a nurse.", "I'm a nurse at Lakeside."],
    ["I'm an SRE at Globex.", "I'm an SRE at Initech."],
    ["My address is Storgata 5, Oslo.", "I moved from Oslo to Bergen."],
    ["We decided to use Playwright for end-to-end tests.", "We decided to use Cypress for end-to-end tests."],
    ["My address is Parkveien 3, Bergen.", "We moved to Storgata 12 in Oslo."],
    ["I live at 12 Elm Street.", "I moved to 40 Oak Avenue."],
    ["I live in Bergen.", "We moved to 7b Baker Street in London."],
    ["My dentist appointment is on December 3 at 14:00.", "My dentist appointment was moved to December 10 at 9:30."],
    ["My dentist appointment was moved to December 10.", "My dentist appointment was postponed to December 17."],
    ["My flight is on December 15.", "My flight moved to December 16."],
    ["My phone number is 555-0142.", "My phone number changed, it's 555-0199 now."],
    ["My address is Parkveien 3.", "New address is Storgata 12."],
    ["My manager is Anna.", "Henrik is my boss now."],
    ["I work as a teacher at Lakeside School.", "I'm retired now."],
    ["My son Leo is 6.", "My son Leo is 7 now."],
    ["Always answer in British English.", "Always reply in Norwegian."],
    ["Keep your answers short.", "Give me long detailed answers from now on."],
    ["Keep your answers short.", "Keep your answers long and detailed."],
    ["Always answer in metric units.", "Use imperial units from now on."],
    ["We decided to use Kafka for events.", "We decided to drop Kafka."],
    ["I left Globex in March.", "I'm back at Globex as a contractor."],
    ["I live in Lisbon.", "We moved into the new flat in Porto today."],
  ])("%s / %s: the second ends the first", async (first, second) => {
    const agent = `one_${`${first}_${second}`.replace(/\W+/g, "_").toLowerCase().slice(0, 50)}`;
    await say(agent, first);
    expect(await say(agent, second)).toMatchObject({ stored: 1, superseded: 1 });
  });

  test.each([
    ["From now on, answer in English.", "From now on answer in Norwegian.", "Always reply to me in German."],
    ["I prefer answers in English.", "Please always speak French.", "Please answer in English from now on."],
    [
      "Always answer in Norwegian.",
      "Stop replying in Norwegian, English please.",
      "answer in Dutch from now on, please",
    ],
    ["Please use metric units from now on.", "Always use imperial units.", "I prefer metric units."],
    ["Always use the 24-hour clock.", "I prefer the 12-hour clock."],
    ["Don't use emojis.", "Always use emojis in your answers.", "Never use emoji."],
    ["Keep your answers short.", "From now on give me longer answers.", "I want you to always answer briefly."],
    ["Always use a formal tone.", "From now on answer casually."],
  ])("%s / %s: the last instruction about answers holds alone", async (...said) => {
    const agent = `slot_${said.join("_").replace(/\W+/g, "_").toLowerCase().slice(0, 50)}`;
    const ended: number[] = [];
    for (const text of said) ended.push((await say(agent, text)).superseded);
    expect(ended).toEqual([0, ...said.slice(1).map(() => 1)]);
    expect(await held(agent)).toHaveLength(1);
  });

  test("a refused language ends that language alone, until it is asked for again", async () => {
    await say("refused", "From now on reply in Norwegian.");
    expect(await say("refused", "Stop replying in Norwegian.")).toMatchObject({ superseded: 1 });
    await say("refused", "Always answer in English.");
    expect(await say("refused", "Never answer in German.")).toMatchObject({ superseded: 0 });
    expect(await say("refused", "Always answer in Norwegian.")).toMatchObject({ superseded: 2 });
    expect(await held("refused")).toEqual(["Always answer in Norwegian", "Never answer in German"]);
  });

  test("an instruction for one place leaves the others", async () => {
    const said = ["Always answer in English", "Always answer in German in code reviews", "Always use tables"];
    for (const text of said) await say("places", `${text}.`);
    expect(await held("places")).toEqual(said.toSorted());
  });

  test.each([
    ["My colleague Per lives in Hamar.", "My colleague Per moved from Hamar to Lillehammer."],
    ["My sister Ida lives in Tromsø.", "Ida moved from Tromsø to Bodø."],
    ["My friend Ola works at DNB.", "Ola moved from DNB to Nordea."],
    ["My brother lives in Hamar.", "My brother has moved from Hamar to Oslo."],
    ["My friend Ola works at DNB.", "My friend Ola switched from DNB to Nordea."],
    ["Ola moved from DNB to Nordea.", "Ola moved from Nordea to Equinor."],
  ])("%s / %s: a move of somebody ends what names the old place", async (first, move) => {
    const agent = `moves_${`${first}_${move}`.replace(/\W+/g, "_").toLowerCase().slice(0, 50)}`;
    await say(agent, first);
    expect(await say(agent, move)).toMatchObject({ stored: 1, superseded: 1 });
  });

  test("a move of somebody ends nothing about others, nor what names another place", async () => {
    const said = [
      "My friend Eva works at DNB",
      "My sister Ida lives in Tromsø",
      "My friend Ola lives in Oslo",
      "I work at DNB",
      "Ola moved from DNB to Nordea",
      "My colleague Ida moved from Tromsø to Bodø",
    ];
    for (const text of said) await say("movers", `${text}.`);
    expect(await held("movers")).toEqual(said.toSorted());
  });

  test("a denial ends a further value, and leaves the first", async () => {
    for (const text of ["I work at DNB.", "I also work at Nordea.", "I no longer work at Nordea."])
      await say("further", text);
    expect(await held("further")).toEqual(["I no longer work at Nordea", "I work at DNB"]);
  });

  test("a denial about one person ends nothing about another of the same name, nor another allergy", async () => {
    await say("others", "My colleague Ida is allergic to nuts.");
    await say("others", "My daughter Ida is allergic to eggs.");
    await say("others", "My daughter Ida is not allergic to nuts.");
    await say("others", "Ida is not allergic to milk.");
    expect(await held("others")).toEqual(
      expect.arrayContaining(["My colleague Ida is allergic to nuts", "My daughter Ida is allergic to eggs"]),
    );
  });

  test.each([
    ["My manager is Paul.", "My manager is Petra now.", "Paul is no longer my manager.", "Who is my manager?"],
    ["I live in Bergen.", "I live in Oslo now.", "I don't live in Bergen any more.", "Where do I live?"],
  ])("%s / %s / %s: a denial of a replaced value is past, once, and leaves what holds alone", async (...texts) => {
    const [first, now, denial, question] = texts;
    const agent = `over_${first.replace(/\W+/g, "_").toLowerCase()}`;
    await say(agent, first);
    await say(agent, now);
    expect(await say(agent, denial)).toMatchObject({ stored: 1, superseded: 0 });
    expect(await say(agent, denial)).toMatchObject({ stored: 0, superseded: 0 });
    expect(await held(agent)).toEqual([now.replace(".", "")]);
    await app.embedded(agent);
    const { results } = await app.search(question, { minScore: 0 }, agent);
    expect(results.map(({ snippet, olderThan }) => [snippet.includes(now.replace(".", "")), olderThan])).toEqual([
      [true, undefined],
    ]);
    const back = await say(agent, first);
    expect(back).toMatchObject({ stored: 1, superseded: 1 });
  });

  test("a change of tools ends no home and no employer that it does not name", async () => {
    await say("kept", "I live in Graz.");
    await say("kept", "I work at Acme.");
    await say("kept", "We've moved from Slack to Teams.");
    expect(await held("kept")).toEqual(["I live in Graz", "I work at Acme", "We've moved from Slack to Teams"]);
  });

  test.each([
    ["I work at Globex.", "I left Acme in May."],
    ["I live in Porto.", "We moved away from Vienna."],
    ["Pia is my wife.", "Tom and I broke up."],
    ["I'm vegan.", "I'm no longer a vegetarian."],
    ["I like coffee.", "I stopped drinking tea."],
  ])("%s / %s: the denial of another value ends nothing", async (first, denial) => {
    const agent = `other_${first.replace(/\W+/g, "_").toLowerCase()}`;
    const [fact] = (await say(agent, first)).facts;
    expect(await say(agent, denial)).toMatchObject({ superseded: 0 });
    expect(await held(agent)).toContain(fact?.text);
  });

  test.each([
    ["I live in Graz.", "Last month I moved from Graz to Linz.", "I moved from Graz to Linz"],
    ["Always use npm.", "We use pnpm now instead of npm.", "We use pnpm now instead of npm"],
    ["We use Jenkins for CI.", "We switched from Jenkins to Buildkite.", "We switched from Jenkins to Buildkite"],
    ["My boss is Tom.", "My boss is no longer Tom but Jana.", "My boss is no longer Tom but Jana"],
    ["I work at Globex.", "I left Globex for Initech.", "I left Globex for Initech"],
  ])("%s / %s: the new value alone holds", async (first, change, wanted) => {
    const agent = `change_${first.replace(/\W+/g, "_").toLowerCase()}`;
    await say(agent, first);
    await say(agent, change);
    expect(await held(agent)).toEqual([wanted]);
  });

  test.each([
    ["I live in Porto.", "I no longer live in Porto, I moved to Faro.", "I moved to Faro", "Where do I live?"],
    [
      "I work at Acme.",
      "I don't work at Acme any more, I work at Globex now.",
      "I work at Globex now",
      "Where do I work?",
    ],
    ["My boss is Tom.", "Tom is no longer my boss. My boss is Jana.", "My boss is Jana", "Who is my boss?"],
  ])("%s / %s: the new value replaces the old one itself", async (first, change, wanted, question) => {
    const agent = `instead_${first.replace(/\W+/g, "_").toLowerCase()}`;
    const [old] = (await say(agent, first)).facts;
    const changed = await say(agent, change);
    expect(changed).toMatchObject({ stored: 1, superseded: 1 });
    expect(await held(agent)).toEqual([wanted]);
    const { body } = await app.fact(agent, old?.id ?? "");
    expect(body).toMatchObject({ supersededBy: changed.facts[0]?.id });
    await app.embedded(agent);
    const { results } = await app.search(question, { minScore: 0 }, agent);
    expect(results[0]?.snippet).toContain(wanted);
  });

  test.each([
    ["Never suggest restaurants with fish.", "I changed my mind: you may suggest restaurants with fish again."],
    ["Don't call me before 9.", "You can call me before 9 again."],
    ["Do not call me before 9.", "It's fine to call me before 9 again."],
    ["Never answer in German.", "You may answer in German again."],
    ["Don't use emojis.", "You can use emojis again."],
    ["Please don't use emojis.", "Please use emojis again."],
  ])("%s / %s: a permission ends the wish", async (wish, permission) => {
    const agent = `permit_${wish.replace(/\W+/g, "_").toLowerCase()}`;
    await say(agent, wish);
    const permitted = await say(agent, permission);
    expect(permitted).toMatchObject({ stored: 1, superseded: 1 });
    expect(await held(agent)).toEqual([permitted.facts[0]?.text]);
  });

  test("a permission ends no wish with other words, no order, and holds only if it ends a wish", async () => {
    const said = ["Never suggest restaurants with meat", "Always call me before 9"];
    for (const text of said) await say("permits", `${text}.`);
    for (const text of ["suggest restaurants with fish", "call me before 9", "run the tests", "do it"])
      expect(await say("permits", `You can ${text} again.`)).toMatchObject({ superseded: 0 });
    expect(await held("permits")).toEqual(said.toSorted());
  });

  test("a denial ends no fact of another scope", async () => {
    await say("scopes", "I work at Globex.", { scope: { user: "ana" } });
    await say("scopes", "I work at Globex.");
    const denial = await say("scopes", "I left Globex in May.", { scope: { user: "per" } });
    expect(denial).toMatchObject({ stored: 1, superseded: 0 });
    expect(await held("scopes")).toEqual(["I left Globex in May", "I work at Globex", "I work at Globex"]);
  });

  test("old messages that arrive late end nothing that began after them", async () => {
    const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
    const tell = (text: string, day: number) =>
      app.call("POST", "/v1/agents/late/capture", { messages: [{ role: "user", content: text, at: at(day) }] });
    await tell("I work at Globex.", 5);
    await tell("I left Globex.", 3);
    expect(await held("late")).toContain("I work at Globex");
  });
});
