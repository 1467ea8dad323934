import { part, patternOf } from "./pattern.ts";

/** The decision of an instruction about all answers: the key of its slot, and its choice. */
export interface Slot {
  readonly key: string;
  /** The choice that the instruction makes; if `isRefused`, the choice that it refuses. */
  readonly choice: string;
  /** Whether the instruction only refuses a choice: "never answer in German" does not say in what. */
  readonly isRefused: boolean;
}

const LANGUAGES = part`(?:british |american |us |uk |simple |plain |brazilian |canadian |swiss |austrian |mexican )?(?:english|norwegian|german|french|spanish|italian|portuguese|dutch|swedish|danish|finnish|icelandic|polish|czech|slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|serbian|croatian|slovenian|lithuanian|latvian|estonian|irish|welsh|catalan|basque|arabic|hebrew|persian|farsi|hindi|urdu|bengali|tamil|thai|vietnamese|indonesian|malay|chinese|mandarin|cantonese|japanese|korean|swahili|latin|bokmål|nynorsk)`;
const ANSWER = part`(?:answer(?:ing)?|reply(?:ing)?|respond(?:ing)?|speak(?:ing)?|talk(?:ing)?|communicat(?:e|ing)|writ(?:e|ing)(?= (?:to me|back)\b))(?: back)?(?: (?:to )?(?:me|us))?(?: only| always)?`;
const ANSWERS = part`(?:answers|replies|responses|explanations)`;
const STOP = part`(?<not>(?:stop|never|don't(?: ever)?|do not(?: ever)?|no longer|quit|avoid|not) (?:to )?)?`;
const FROM = part`(?:from now on|going forward|from here on|henceforth|from today(?: on)?)`;
const SHORT = part`(?:(?:short(?:er)?|long(?:er)?|brief(?:er)?|concise|detailed|terse|verbose|in-depth)(?:(?:,| and|, and)? (?:short|long|brief|concise|detailed|clear|precise))?)`;

/**
 * The slots. A line has the key and the pattern of a whole instruction; group `choice` is what it chooses,
 * and `not` refuses it. A slot has one value at a time, so only choices that exclude each other belong here:
 * bullet points and tables do not.
 */
const SLOTS = part`
  answer-language :: ${STOP}${ANSWER} (?:only )?in (?<choice>${LANGUAGES})
  answer-language :: (?:stop|don't|do not|never|no longer) ${ANSWER} in (?:${LANGUAGES})[,;:.–-]* (?:but |use |and )?(?:in )?(?<choice>${LANGUAGES})
  answer-language :: (?:only )?${ANSWER} (?:only )?in (?<choice>${LANGUAGES}),? (?:not|and not|instead of|rather than) (?:in )?(?:${LANGUAGES})
  answer-language :: ${STOP}speak(?:ing)?(?: only)? (?<choice>${LANGUAGES})
  answer-language :: ${ANSWERS} in (?<choice>${LANGUAGES})
  units :: ${STOP}(?:(?:us(?:e|ing)|give me|prefer|${ANSWER} (?:only )?in) )?(?:the )?(?<choice>metric|imperial)(?: units| system| measurements)?
  temperature :: ${STOP}(?:us(?:e|ing) |${ANSWER} (?:only )?in |prefer )?(?:degrees )?(?<choice>celsius|fahrenheit|centigrade)
  clock :: ${STOP}(?:us(?:e|ing) |prefer )?(?:the |an? )?(?<choice>24|12)(?:-?hour|-?h)(?: clock| format| time)?
  use:emojis :: (?<choice>(?:(?:stop|never|don't(?: ever)?|do not(?: ever)?|no longer|avoid|always|no|more|fewer) )?(?:(?:us(?:e|ing)|add(?:ing)?|put(?:ting)?|includ(?:e|ing)) )?)(?:any |some |more |many )?emojis?(?: in (?:your|the|all|all your) (?:${ANSWERS}|messages))?
  use:bullet-points :: (?<choice>(?:(?:stop|never|don't(?: ever)?|do not(?: ever)?|no longer|avoid|always|no|more|fewer) )?(?:(?:us(?:e|ing)|${ANSWER} (?:in|with)) )?)(?:any |some |more |short |brief |concise )?(?:bullet points?|bullets|bulleted lists?)(?: in (?:your|the|all|all your) (?:${ANSWERS}|messages))?
  answer-length :: (?:(?:keep|make) (?:all |all of )?(?:your |the )?${ANSWERS} (?:very |nice and )?|give (?:me |us )?(?:only |very )?)(?<choice>${SHORT})(?: ${ANSWERS})?
  answer-length :: (?:answer|reply|respond|explain)(?: to me)?(?: only| always| very)? (?<choice>briefly|concisely|tersely|at length|in detail|in short|in one sentence)
  answer-length :: (?<choice>${SHORT}) ${ANSWERS}
  formality :: (?:use )?(?:an? )?(?:more )?(?<choice>formal|informal|casual) (?:tone|style|language)
  formality :: (?:answer|reply|respond|write to me|talk to me|speak to me)(?: only| always| more)? (?<choice>formally|informally|casually)
`
  .trim()
  .split("\n")
  .map((line) => {
    const [slot = "", source = ""] = line.trim().split(" :: ");
    const shape = `^(?:${FROM},? )?(?:please )?(?:(?:I want you to|I need you to|I'd like you to|you (?:should|must)|make sure to|be sure to) )?(?:always |only )?(?:${source})(?:,? (?:please|always|only|instead|again|now|${FROM})){0,3}$`;
    return { key: slot.includes(":") ? slot : `preference:${slot}`, pattern: patternOf(shape) };
  });

/** Returns what an instruction or a preference decides about all answers; undefined if it decides none of the slots. */
export function slotOf(said: string): Slot | undefined {
  for (const { key, pattern } of SLOTS) {
    const groups = pattern.exec(said.trim())?.groups;
    if (groups) return { key, choice: groups.choice ?? "", isRefused: groups.not !== undefined };
  }
  return undefined;
}
