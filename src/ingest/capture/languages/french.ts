import { everyPattern, type LanguageRules, part, pattern } from "../language-rules.ts";
import { FRENCH_RELATIONS, FRENCH_WHOLE_RULES } from "./french-relations.ts";
import { FRENCH_RULES } from "./french-rules.ts";

const SUBJECT = part`(?:je|j'\p{L}+|mon|ma|mes|nous|notre|nos|on|tu|vous|il|elle|ils|elles|ce|c'est|ça|cela|merci)\b`;
const ORDER = part`(?:s'il te plaît|s'il vous plaît|n'\p{L}+|ne|jamais|toujours|utilise|utilisez|évite|évitez|souviens|rappelle|appelle|appelez|note|retiens|réponds|répondez|écris|dorénavant|désormais)\b`;
const ASK = part`(?:peux|peux-tu|pouvez|pourrais|pourriez|est-ce|qu'est|quel|quelle|quels|quelles|comment|pourquoi|quand|où|combien|qui)\b`;
const TEXTS = part`(?:e-?mails?|courriels?|messages?|logs?|journal|erreurs?|sorties?|textes?|articles?|paragraphes?|phrases?|code|histoires?|poèmes?|avis|tickets?|rapports?|lettres?|commentaires?|fichiers?|documents?|conversations?|citations?)`;
const WORKS = part`(?:tradui[st]|traduisez|traduire|corrige|corrigez|corriger|résume|résumez|résumer|reformule|reformulez|reformuler|réécris|réécrire|relis|relisez|améliore|raccourcis|explique|expliquez|analyse|analysez)`;

/** The rules of French. */
export const FRENCH: LanguageRules = {
  hints: pattern`\b(?:je|j'\p{L}+|moi|mon|ma|mes|nous|notre|nos|on|tu|te|tes|ton|vous|votre|vos|le|la|les|des|un|une|est|que|ne|n'\p{L}+|pas|plus|jamais|toujours|appelle-moi|appelez-moi|souviens-toi|évite|évitez|utilise|utilisez|désormais|dorénavant|supposons|imaginons|imagine)\b`,
  subject: "Je ",
  withSubject: pattern`^(?:je\b|j')`,
  breaks: everyPattern`
    \s?(?:[;–—:]|\s-\s)\s?
    |\s?[,(]\s?(?=(?:et|mais|ou|donc|car|parce que|puisque|alors|bien que|tandis que|au cas où)\b|${SUBJECT}|${ORDER}|${ASK})(?:(?:et|mais|ou|donc|car|parce que|parce qu'|puisque|alors)\b ?)?
    |(?<weak> et(?: aussi| puis)? (?=${SUBJECT}|n'utilise\b|ne\b|toujours\b|jamais\b|utilise\b))
    | (?:mais|car|donc|parce que) (?=${SUBJECT}|${ORDER})
    |(?<carry> et(?: actuellement)? (?=(?:travaille|vis|préfère|aime|déteste|parle|habite)\b))
  `,
  leadIn: pattern`^(?:(?:s'il te plaît|s'il vous plaît|stp|svp|aussi|et|mais|oh|ok|d'accord|bonjour|salut|coucou|bonsoir|oui|non|merci|merci beaucoup|super|bien|au fait|d'ailleurs|à propos|en fait|à vrai dire|franchement|honnêtement|personnellement|pour info|pour information|pour rappel|en général|généralement|encore une chose|autre chose|important|note|remarque|correction|maintenant|désormais|aujourd'hui|actuellement|finalement|alors|donc|puis|d'abord|ensuite|enfin|comme je l'ai dit|sache que|sachez que|je t'ai dit que|je vous ai dit que|je pense que|petite précision)(?: ?[,.!:;]+ ?| ))`,
  remember: pattern`^(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens(?: bien)?|retenez(?: bien)?|n'oublie pas|n'oubliez pas|garde en mémoire|garde à l'esprit|gardez à l'esprit|note(?: bien)?|notez(?: bien)?|prends note|mémorise|mémorisez)(?:(?: ceci| cela| ça)? ?[:：] ?|,? que |,? qu'|, | (?=de toujours\b|de ne jamais\b|(?:mon|ma|mes|notre|nos|le|la|les|je|nous) [^,;:]{1,60}? (?:est|sont|a|ont|habite|travaille|commence|finit|ferme|ouvre|s'appelle|mange)\b))`,
  condition: pattern`^(?:si|s'il|quand|lorsque|lorsqu'|chaque fois|pour|en|dans|avec|pendant|avant|après|dès que|à chaque fois)\b`,
  bareBreak: pattern` (?=(?:je préfère|j'utilise toujours|utilise toujours|n'utilise (?:pas|jamais)|nous avons décidé)\b)`,
  ownColon: pattern`\b(?:je|j'ai|moi|mon|ma|mes|nous|notre|chose|choses|note|remarque|rappel|règle|règles|info|important|correction|préférence|préférences|décision|bref|merci|ok|précision)\b[^:]{0,40}:\s?$`,
  reported: pattern`
    (?<!\bje |\bje t'ai |\bje vous ai |\bj'ai |l'ai )\b(?:dit|disent|disait|dis|écrit|écrivait|prétend|prétendait|affirme|affirmait|pense|pensait|croit|croyait|raconte|selon|d'après|recommande|conseille|demande|demandait|répond|si je|peut-être|pas sûre?|pas certaine?|doute|faux que|il paraît|soi-disant)\b
    |\b(?:documentation|doc|manuel|guide|article|livre|page|avertissement|erreur|tutoriel)\b
  `,
  reportedAfter: pattern`^[,.]? ?(?:a dit|dit|disait|écrit|répond|pense|affirme|a-t-il dit|a-t-elle dit|dit-il|dit-elle|il a dit|elle a dit|mon \p{L}+ a dit)\b`,
  hypothetical: pattern`\b(?:suppose|supposons|supposez|imagine|imaginons|imaginez|admettons|mettons|fais comme si|faisons comme si|comme si|en théorie|hypothétiquement|joue le rôle|et si (?:je|j')|si (?:je|j'|nous )(?:étais|avais|habitais|préférais|vivais|aimais|utilisais|pouvais|voulais|travaillais|étions|avions))`,
  question: pattern`^(?:est-ce|dois|devrais|peux|puis|pouvez|peut|pourrais|pourriez|faut|as-tu|avez|suis-je|sais-tu|savez|qu'|que\b|quel|quelle|quels|quelles|qui|comment|pourquoi|quand|où|combien|lequel|laquelle).*[?？]`,
  once: pattern`\b(?:(?:ce|cet|cette|ces) (?!entreprise|équipe|projet|dépôt|société|maison|bureau)\p{L}+|ici|aujourd'hui|cette fois|pour l'instant|pour le moment|ci-dessus|ci-dessous|ci-joint|suivante?s?|précédente?s?|(?:le|la) (?:premier|première|deuxième|second|seconde|troisième|dernier|dernière) (?:ligne|paragraphe|section|partie|page|phrase|exemple|version)|ligne \d+|étape \d+)\b`,
  pointing: pattern`^(?:(?:ça|cela|ceci|celui|celle|ceux|celles|celui-ci|celle-ci|l'autre|les deux|aucun|aucune)\b|ce\b|cet\b|cette\b|ces\b|ton\b|ta\b|tes\b|votre\b|vos\b|comment\b|quand tu\b|(?:le|la|les) (?:premier|première|deuxième|second|seconde|troisième|dernier|dernière|nouveau|nouvelle|ancien|ancienne|même|autre|rouge|bleu|bleue|vert|verte)s?$|(?:la|l') ?(?:version|option|variante|proposition|idée|approche)\b|option \w\b)`,
  paste: pattern`
    \b(?:${WORKS}\b[^.!?:]{0,100}:
    |(?:voici|voilà|c'est|regarde|regardez|lis|lisez|ci-dessous|suivante?s?|ce|cet|cette|ces|dans|de)\b[^.!?:]{0,60}\b${TEXTS}\b[^.!?:]{0,40}:
    |${WORKS}\b[^.!?:]{0,40}\b(?:ce|cet|cette|ces|ceci|suivante?s?)\b[^.:]{0,40}[.!?]?$
    |(?:écris|écrivez|rédige|rédigez|compose|invente|crée)\b[^.!?:]{0,60}\b(?:${TEXTS}|scène|dialogue|chanson|discours|essai|réponse)\b[^.!?:]{0,100}[:.]
    |(?:a écrit|écrit|a dit|a répondu|disait) ?:\s*$)
  `,
  tail: pattern`[ ,(]+(?:s'il te plaît|s'il vous plaît|stp|svp|merci|merci d'avance|d'accord|ok|au fait|d'ailleurs|aussi|si possible|à partir de maintenant|pour info|\))$`,
  filler: everyPattern`(?:\b(?:à partir de maintenant|le|la|les|un|une|des|du|de|mon|ma|mes|notre|nos|ton|ta|tes|vos|tous|toutes|tout|toujours|jamais|plus|maintenant|désormais|dorénavant|encore|vraiment|quand|lorsque|si|pour|en|dans|avec|je|nous|écris|utilise|travaille|code)\b|\b(?:l|d|j|n|s|qu)')`,
  everywhere: pattern`^(?:(?:cette|cet|ce|notre|l'|la|le|mon|ma) ?(?:entreprise|équipe|projet|dépôt|société)|(?:tes|vos|les|toutes tes) (?:réponses|messages))\b`,
  ownLabel: pattern`^(?:note|notes|rappel|remarque|important|info|règle|règles|correction|ps|p\.s|décision|préférence|préférences|merci|ok|aussi|oui|non|bonjour|salut|précision|souviens|retiens|rappelle|n'oublie)\b`,
  rules: [...FRENCH_RULES, ...FRENCH_RELATIONS],
  wholeRules: FRENCH_WHOLE_RULES,
};
