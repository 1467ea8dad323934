import { everyPattern, type LanguageRules, part, pattern } from "../language-rules.ts";
import { GERMAN_CHANGES, GERMAN_WHOLE_RULES } from "./german-changes.ts";
import { GERMAN_RELATIONS } from "./german-relations.ts";
import { GERMAN_RULES } from "./german-rules.ts";

const VERB = part`(?:wohne|lebe|arbeite|bevorzuge|mag|hasse|liebe|spreche|heiße|bin|habe|verwende|nutze|benutze|möchte|will|haben|nutzen|verwenden|setzen|werden)`;
const SUBJECT = part`(?:ich|mein|meine|wir|unser|unsere|du|er|sie|es|man|das|der|die|dies|dieser|niemand|jemand|bitte)\b`;
const ORDER = part`(?:bitte|nie|niemals|immer|nicht|lass|merk|merke|denk|denke|nenn|nenne|verwende|benutze|nutze|nimm|vermeide|hör|schreib|schreibe|antworte|ab jetzt|ab sofort|von nun an|künftig)\b`;
const ASK = part`(?:kannst|könntest|könnten|können|würdest|soll|sollte|ist|sind|was|wie|wann|warum|wieso|wo|wer|welche[rsmn]?)\b`;
const TEXTS = part`(?:e-?mails?|nachrichten?|logs?|fehler|ausgaben?|texte?|artikel|absatz|absätze|sätze?|code|geschichten?|gedichte?|bewertung|tickets?|berichte?|prompts?|briefe?|beiträge?|kommentare?|dateien?|dokumente?|protokolle?|zitate?|chats?)`;
const WORKS = part`(?:übersetz[et]?|korrigiere?|fasse?|umformulieren|formuliere?|überarbeite|lektoriere|kürze|verbessere|erkläre?|analysiere|prüfe)`;

/** Matches a whole statement with its verb: "merk dir der Torcode ist 4471". */
const TOLD = part`(?!das\b[^\p{L}]*$)(?:mein|meine|unser|unsere|der|die|das|ich|wir|frau|herr) [^,;:]{0,60}?(?:ist|sind|hat|haben|heißt|lautet|wohnt|mag|mögen|bin|kommt|kommen|beginnt|endet|schließt|öffnet|liegt|steht|muss|darf|kann|kostet)\b`;

/** The rules of German. */
export const GERMAN: LanguageRules = {
  hints: pattern`\b(?:ich|mein|meine|meinen|mir|mich|wir|uns|unser|unsere|du|dir|dein|deine|bitte|immer|nie|niemals|nicht|kein|keine|keinen|der|die|das|den|dem|und|ist|sind|ein|eine|einen|dass|statt|merk|merke|verwende|benutze|nutze|nimm|vermeide|künftig|antworte|angenommen|für|auf|hat|heißt|wenn|vom|von|am|im|lautet|wird|wurde)\b`,
  subject: "Ich ",
  withSubject: pattern`^ich\b|\b(?:\p{L}+e|bin) ich\b`,
  breaks: everyPattern`
    \s?(?:[;–—:]|\s-\s)\s?
    |\s?[,(]\s?(?=(?:und|aber|oder|denn|weil|da|obwohl|während|wo|also|deshalb|darum|daher|falls)\b|${SUBJECT}|${VERB}\b|${ORDER}|${ASK})(?:(?:und|aber|oder|denn|weil|da|obwohl|während|wo|also|deshalb|darum|daher)\b\s?)?
    |(?<weak> und(?: auch| dann)? (?=${SUBJECT}|bitte\b|nie\b|niemals\b|immer\b|verwende\b|benutze\b|nutze\b))
    | (?:aber|denn|weil|obwohl) (?=${SUBJECT})
    |(?<carry> und(?: derzeit| aktuell| meistens)? (?=(?:wohne|lebe|arbeite|bevorzuge|mag|hasse|liebe|spreche|trinke|studiere)\b))
  `,
  leadIn: pattern`^(?:(?:bitte|auch|und|aber|oh|ok|okay|hallo|hi|hey|guten tag|guten morgen|ja|nein|genau|danke|vielen dank|super|gut|übrigens|nebenbei|apropos|eigentlich|ehrlich gesagt|tatsächlich|zur info|zur information|fürs protokoll|zur erinnerung|grundsätzlich|generell|noch etwas|noch was|noch eins|wichtig|notiz|hinweis|korrektur|inzwischen|mittlerweile|jetzt|nun|derzeit|aktuell|seit kurzem|seit neuestem|also|dann|erstens|zweitens|wie gesagt|nur damit du es weißt|du solltest wissen|du musst wissen|ich habe dir gesagt|ich sagte|ich denke|dass)(?:[,.!:;]+ ?| ))`,
  inverted: pattern`^(?:\p{L}+) (?:ich|wir)\b`,
  remember: pattern`^(?:merk(?:e)? dir|merken sie sich|denk(?:e)? (?:bitte )?daran|denken sie daran|erinnere dich(?: daran)?|behalte(?: bitte)? im (?:kopf|hinterkopf|gedächtnis)|vergiss (?:bitte )?nicht|vergessen sie nicht|notier(?:e)?(?: dir)?|speicher(?:e)?(?: dir)?)(?:,? bitte)?(?:(?: folgendes| das)? ?[:：] ?|,? dass |, (?!.{1,100} (?:zu \p{L}+|\p{L}+zu\p{L}+en)[\s.!]*$)| (?=${TOLD}))`,
  condition: pattern`^(?:wenn|falls|sobald|immer wenn|bei|beim|für|in|im|auf|mit|während|bevor|nachdem|nach|was)\b`,
  ownColon: pattern`\b(?:ich|mir|mein|meine|wir|unser|unsere|noch|notiz|hinweis|update|regel|regeln|info|erinnerung|wichtig|korrektur|merk|merke|vorliebe|entscheidung|kurz|danke|ok|okay|bitte|außerdem|nebenbei)\b[^:]{0,40}:\s?$`,
  reported: pattern`
    (?<!\bich |\bich habe dir |\bich hab dir |\bich habe |wie )\b(?:sagt|sagte|gesagt|sagen|meint|meinte|gemeint|schreibt|schrieb|geschrieben|erzählt|erzählte|behauptet|behauptete|glaubt|glaubte|findet|fand|laut|zufolge|empfiehlt|empfahl|rät|fragt|fragte|heißt es|steht|ob|vielleicht|eventuell|angeblich|unsicher|nicht sicher|bezweifle|stimmt nicht|wäre|hätte|würde)\b
    |\b(?:dokumentation|doku|handbuch|anleitung|artikel|buch|seite|fehlermeldung|warnung|linter|richtlinie)\b
  `,
  reportedAfter: pattern`^[,.]? ?(?:sagt|sagte|meint|meinte|schreibt|schrieb|behauptet|so|hat \p{L}+ gesagt) ?(?:er|sie|man|der|die|mein|meine|\p{L}+)\b`,
  hypothetical: pattern`\b(?:angenommen|nehmen wir an|nimm an|stell dir vor|stellen wir uns vor|gesetzt den fall|tu so|tun wir so|als ob|was wäre|hypothetisch|theoretisch|mal angenommen|spiel die rolle|rollenspiel|wenn (?:ich|wir)\b.{0,60}\b(?:würde|würden|wäre|wären|hätte|hätten|könnte|lebte|wohnte|bevorzugte|möchte|nutzte))\b`,
  question: pattern`^(?:soll|sollte|sollen|kann|kannst|können|könnte|darf|muss|ist|sind|bin|bist|war|hat|habe|haben|wird|werden|würde|würdest|wohne|mag|nutze|verwende|bevorzuge|heiße|gibt|weißt|was|wie|wann|warum|wieso|weshalb|wo|woher|wohin|wer|wen|wem|wessen|welche[rsmn]?|ob)\b.*[?？]`,
  once: pattern`\b(?:(?:diese[rsmn]?) (?!firma|unternehmen|team|projekt|repo|codebase|haus|büro)\p{L}+|hier|heute|gerade|diesmal|dieses mal|ausnahmsweise|vorerst|fürs erste|im moment|oben|unten|obige[rsn]?|folgende[rsn]?|vorige[rsn]?|nächste[rsn]?|(?:erste|zweite|dritte|letzte)[rsn]? (?:zeile|absatz|abschnitt|teil|seite|satz|beispiel|version|entwurf|bild)|zeile \d+|schritt \d+)\b`,
  pointing: pattern`^(?:(?:es|das|dies|diese[rsmn]?|jene[rsn]?|ihn|sie|ihm|ihr|beide[sn]?|keine[rsn]?|alle|eine[rsn]?)(?: (?:da|hier|so|auch|lieber|sehr|nicht|gar nicht))?$|diese[rsmn]?\b|dein\b|deine\b|wie\b|was\b|(?:die|den|das|der) (?:erste|zweite|dritte|letzte|andere|neue|alte|rote|blaue|grüne|obige|gleiche)n?(?: (?:version|variante|option|vorschlag|idee|entwurf|lösung|ansatz))?$|option \w\b|(?:die|den|das) (?:version|variante|option|vorschlag|entwurf)\b)`,
  paste: pattern`
    \b(?:${WORKS}\b[^.!?:]{0,100}:
    |(?:hier (?:ist|sind|kommt|der|die|das)|das ist|siehe|schau|sieh|folgende[rsnm]?|diese[rsnm]?|anbei|aus|von|lies)\b[^.!?:]{0,60}\b${TEXTS}\b[^.!?:]{0,40}:
    |${WORKS}\b[^.!?:]{0,40}\b(?:diese[nrsm]?|dies|das folgende|folgende[nrs]?)\b[^.:]{0,40}[.!?]?$
    |(?:schreib|schreibe|verfasse|entwirf|erstelle|erfinde)\b[^.!?:]{0,60}\b(?:${TEXTS}|szene|dialog|lied|rede|aufsatz|lebenslauf|antwort)\b[^.!?:]{0,100}[:.]
    |(?:schrieb|schreibt|geschrieben|sagte|gesagt|antwortete|geantwortet) ?:\s*$)
  `,
  tail: pattern`[ ,(]+(?:bitte|danke|vielen dank|ok|okay|übrigens|nebenbei|auch|wenn möglich|falls das wichtig ist|zur info|\))$`,
  filler: everyPattern`\b(?:ab jetzt|ab sofort|von nun an|nicht mehr|der|die|das|den|dem|des|ein|eine|einen|einem|einer|mein|meine|meinen|unser|unsere|unseren|dein|deine|deinen|alle|bitte|jetzt|nun|immer|künftig|mehr|wieder|stattdessen|wirklich|einfach|überall|wenn|falls|für|bei|beim|im|ich|wir|schreibe|arbeite|mit|in|auf|verwende|nutze)\b`,
  everywhere: pattern`^(?:(?:dieser|diesem|unserer|unserem|der|dem|meiner|meinem) (?:firma|unternehmen|team|projekt|repo|codebase)|(?:deinen|den|allen) (?:antworten|nachrichten))\b`,
  ownLabel: pattern`^(?:merk|merke|notiz|hinweis|wichtig|update|info|regel|regeln|bitte|korrektur|nachtrag|ps|entscheidung|vorliebe|vorlieben|danke|ok|okay|übrigens|nebenbei|außerdem|ja|nein|hallo|erstens|zweitens|erinnerung)\b`,
  rules: [...GERMAN_RULES, ...GERMAN_RELATIONS, ...GERMAN_CHANGES],
  wholeRules: GERMAN_WHOLE_RULES,
};
