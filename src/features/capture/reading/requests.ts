/**
 * The words of other languages that ask to remember something. Before a colon they introduce the
 * text to keep; with a conjunction ("dass", "que") they do so too. Only such explicit requests are
 * read in these languages.
 */
const BEFORE: readonly string[] = [
  // German, Dutch, Swedish, Danish, Norwegian.
  "(?:bitte )?(?:merke?n? (?:dir|sie sich)|notiere?(?: dir| bitte)?|denk daran|behalte?|vergiss nicht|speichere?)(?: bitte| dir)?(?: folgendes| das)?(?: ?:|,? (?:dass|daß))",
  "(?:onthoud|noteer|vergeet niet)(?: alsjeblieft| dit)?(?: ?:|,? dat)",
  "(?:kom ihåg|glöm inte|husk|ikke glem|glem ikke|notera|noter)(?: detta| dette)?(?: ?:|,? (?:att|at))",
  // French, Spanish, Portuguese, Catalan, Italian, Romanian.
  "(?:souviens-toi|souvenez-vous|rappelle-toi|retiens|retenez|note|notez|n'oublie pas|n'oubliez pas|mémorise)(?: bien| ceci| de ceci)?(?: ?:|,? (?:que |qu'))",
  "(?:por favor,? )?(?:recuerda|recuerde|acuérdate(?: de)?|apunta|anota|no olvides|memoriza|ten en cuenta)(?: esto)?(?: ?:|,? que )",
  "(?:por favor,? )?(?:lembra-te|lembre-se|lembre|anota|anote|não (?:te )?esqueças|não (?:se )?esqueça|guarda|memoriza)(?: de)?(?: disto| disso)?(?: ?:|,? que )",
  "(?:recorda|anota|no oblidis)(?: això)?(?: ?:|,? que )",
  "(?:ricorda(?:ti)?|ricordi|annota|prendi nota|non dimenticare|memorizza)(?: questo)?(?: ?:|,? (?:che |di ))",
  "(?:ține minte|reține|amintește-ți|notează|nu uita)(?: asta)?(?: ?:|,? că )",
  // Polish, Czech, Slovak, Russian, Ukrainian, Serbo-Croatian.
  "(?:zapamiętaj|pamiętaj|zapisz|nie zapomnij)(?: sobie| proszę| to)?(?: ?:|,? że )",
  "(?:zapamatuj si|pamatuj si|zapiš si|nezapomeň|zapamätaj si|pamätaj|nezabudni)(?: prosím| toto)?(?: ?:|,? že )",
  "(?:пожалуйста,? )?(?:запомни|запомните|запиши|запишите|помни|не забудь|не забывай)(?: пожалуйста| это)?(?: ?:|,? что |,? (?=мо[йяёи]|у меня|я |мы |наш))",
  "(?:будь ласка,? )?(?:запам'?ятай|запам'ятайте|запиши|не забудь)(?: це)?(?: ?:|,? що )",
  "(?:zapamti|upamti|zapiši|ne zaboravi|запамти|упамти)(?: ovo)?(?: ?:|,? (?:da|да) )",
  // Turkish, Finnish, Hungarian, Greek, Vietnamese, Indonesian.
  "(?:lütfen )?(?:hatırla|unutma|not al|aklında tut|kaydet)(?: bunu)? ?:",
  "(?:muista|älä unohda|paina mieleen|merkitse muistiin)(?: tämä)?(?: ?:|,? että )",
  "(?:jegyezd meg|ne felejtsd el|emlékezz)(?: ezt| arra)?(?: ?:|,? hogy )",
  "(?:θυμήσου|να θυμάσαι|σημείωσε|μην ξεχάσεις)(?: αυτό)?(?: ?:|,? ότι |,? πως )",
  "(?:hãy |xin hãy )?(?:nhớ|ghi nhớ|đừng quên)(?: điều này)?(?: ?:| rằng | là )",
  "(?:tolong )?(?:ingat(?:lah)?|catat|jangan lupa)(?: ini)?(?: ?:|,? bahwa )",
  // Arabic, Hebrew, Persian, Hindi, Thai, Korean, Chinese, Japanese.
  "(?:من فضلك )?(?:تذكر|تذكّر|احفظ|لا تنس)(?: هذا)?(?: ?:|،? أن |،? أنّ )",
  "(?:בבקשה )?(?:תזכור|תזכרי|זכור|זכרי|רשום|אל תשכח)(?: את זה)?(?: ?:|,? ש)",
  "(?:لطفا )?(?:به یاد داشته باش|یادت باشد|یادداشت کن)(?: ?:|،? که )",
  "(?:कृपया )?(?:याद रखो|याद रखना|याद रखें|मत भूलना)(?: ?:|,? कि )",
  "(?:ช่วย|กรุณา)?(?:จำไว้ว่า|จำว่า|จำไว้ ?:)",
  "(?:이것을 |이거 )?(?:기억해(?: ?줘| ?주세요)?|메모해(?: ?줘| ?주세요)?|잊지 ?마(?:세요)?) ?[:：,]",
  "(?:请|請|麻烦)?(?:你)?(?:帮我|幫我)?(?:记住|記住|记得|記得|记下|記下|记一下|記一下|别忘了|別忘了)(?:这一点|這一點|这个|這個)?[:：,，]?(?!了|吗|嗎|吧|这|這|我们.{0,6}吗)",
  "(?:これを|次のことを|以下を)?(?:覚えておいて|覚えといて|憶えておいて|メモして|忘れないで)(?:ください|下さい|ね|くださいね)?[:：、]",
];
/** The same words behind the text to keep, in languages whose verb comes last. */
const BEHIND: readonly string[] = [
  "(?:ということ|こと)?(?:を|と)(?:覚えておいて|覚えといて|憶えておいて|メモして|メモしておいて|記憶して|忘れないで)(?:ください|下さい|ね|くださいね|おいて)?",
  "(?:다는 것을|다는 걸|라는 것을|라는 걸|을|를|은|는)? ?(?:기억해(?: ?줘| ?주세요)?|메모해(?: ?줘| ?주세요)?|잊지 ?마(?:세요)?)",
  "(?:bunu|olduğunu|diye) (?:hatırla|unutma|not al|aklında tut)",
  "(?:यह|ये)? ?(?:याद रखो|याद रखना|याद रखें)",
];

const ASKED_BEFORE = new RegExp(`^\\s*(?:${BEFORE.join("|")})\\s*`, "iu");
const ASKED_BEHIND = new RegExp(`(?:${BEHIND.join("|")})[\\s.。!！]*$`, "iu");
const NOTHING = /[?？؟]\s*$|^[\s.。!！]*$/u;

/** Returns the place of the text that a sentence in another language than English asks to remember. */
export function requested(mask: string): { start: number; end: number } | undefined {
  if (NOTHING.test(mask)) return undefined;
  const start = ASKED_BEFORE.exec(mask)?.[0].length ?? 0;
  const end = start > 0 ? mask.length : (ASKED_BEHIND.exec(mask)?.index ?? 0);
  return mask.slice(start, end).trim().length > 3 ? { start, end } : undefined;
}
