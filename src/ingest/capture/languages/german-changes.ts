import { type CaptureRule, part, pattern } from "../language-rules.ts";

const ACT = part`(?:(?:bitte |dann |immer |nie ){0,2}(?:führ|führe|starte|start|schick|schicke|sende|send|öffne|mach|mache|zeig|zeige|schreib|schreibe|gib|nimm|nutze|verwende|benutze|antworte|lies|lösche|lösch|erstelle|füge|füg|ruf|rufe|frag|frage|sag|sage|erinnere|prüfe|prüf|suche|such|übersetze|fasse|fass|buche|buch|bestell|bestelle|stell|stelle|leg|lege|notiere|speichere|denk|denke|rechne|formatiere|nenne|nenn|spiel|spiele|setze|setz|beende|deploye|pushe|committe|teste|baue|geh|gehe|sei|bleib|bleibe|lass|hol|hole|leite|warte|ignoriere)|(?:sollst|musst) du)`;
const EVENT = part`(?:\p{L}+e[rsn]? ){0,2}(?:[\p{L}-]*(?:meeting|besprechung|termin|termine|treffen|sitzung|call|standup|retro|abgabe|frist|deadline|release|launch|workshop|feier|hochzeit|flug|reise|interview|präsentation|schulung|training|probe|lieferung|konferenz|wartung|wartungsfenster|unterricht|stunde))`;

/** The rules for a sentence as a whole. */
export const GERMAN_WHOLE_RULES: readonly CaptureRule[] = [
  {
    trigger: "when I say",
    category: "preference",
    key: "when",
    imperative: true,
    lasting: true,
    pattern: pattern`^(?:immer )?(?:wenn|falls|sobald) ich (?<topic>.{1,80}?) (?:sage|schreibe|tippe|erwähne|sag|schreib)[,:] ?(?:dann )?(?<value>${ACT}\b.{0,200})$`,
  },
  {
    trigger: "when I say",
    category: "fact",
    key: "when",
    lasting: true,
    pattern: pattern`^(?:wenn|falls) ich (?:von )?(?<topic>.{1,80}?) (?:sage|schreibe|spreche|rede|erwähne),? (?:dann )?meine ich (?:damit )?(?<value>.{2,160})$`,
  },
  {
    trigger: "whenever",
    category: "preference",
    imperative: true,
    pattern: pattern`^(?:immer wenn|jedes mal,? wenn|jedesmal,? wenn) (?<scope>.{2,120}?), (?:dann )?(?<value>${ACT}\b.{1,160})$`,
  },
];

/** The German rules for changes. */
export const GERMAN_CHANGES: readonly CaptureRule[] = [
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^(?:der|die|das|unser|unsere|mein|meine) (?<topic>${EVENT}) (?:wurde|wird|ist|wurden|sind)(?: leider| jetzt| nun| von .{1,30}?)? (?:auf|um) (?<value>.{2,60}?) (?:verschoben|verlegt|vorverlegt)(?: worden)?$`,
  },
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^(?:wir haben|ich habe) (?:den|die|das|unser|unsere|unseren|meinen|meine) (?<topic>${EVENT}) auf (?<value>.{2,60}?) (?:verschoben|verlegt|vorverlegt)$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:wir sind|ich bin)(?: jetzt| nun| inzwischen| gerade)? von (?<other>.{1,60}?) (?:auf|zu|nach) (?<value>.{1,60}?) (?:umgestiegen|gewechselt|migriert)$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:wir haben|ich habe)(?: jetzt| nun| inzwischen)? (?<other>.{1,60}?) durch (?<value>.{1,60}?) (?:ersetzt|abgelöst)$`,
  },
  {
    trigger: "no longer",
    category: "fact",
    pattern: pattern`^(?:unser|unsere|mein|meine) (?<topic>\p{L}[\p{L} -]{0,40}?) (?:ist|sind|arbeitet|wohnt|liegt) nicht mehr (?!kaputt\b|da\b|hier\b|dabei\b)(?<value>.{2,100})$`,
  },
  {
    trigger: "no longer",
    category: "fact",
    pattern: pattern`^(?:ich|wir) (?:arbeite|arbeiten|wohne|wohnen|fahre|esse|trinke|rauche) nicht mehr(?<value> (?:in|bei|beim|im|mit|für) .{2,100})$`,
  },
  {
    trigger: "changed",
    category: "fact",
    pattern: pattern`^(?:ich habe|ich bin)(?: gerade| jetzt| kürzlich)? (?<value>(?:geheiratet|aufgehört zu rauchen|mit dem rauchen aufgehört|mich verlobt|befördert worden|in rente gegangen)\b.{0,60})$`,
  },
];
