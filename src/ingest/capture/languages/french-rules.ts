import { type CaptureRule, part, pattern } from "../language-rules.ts";

const PERSON = part`(?<value>(?!pas\b|plus\b|sur\b|dans\b|le\b|la\b|les\b|un\b|une\b|demain\b|quand\b|si\b)[\p{L}\uE000][\p{L}\p{M}'\uE000-]*(?: (?!et\b|mais\b|ou\b|de\b|si\b|quand\b|s'il\b|à\b|maintenant\b|désormais\b)[\p{L}\uE000][\p{L}\p{M}.'\uE000-]*){0,3})`;
/** People and animals of whom there may be several. A second one does not contradict the first. */
const SEVERAL = part`(?:fils|fille|enfant|bébé|frère|sœur|chien|chienne|chat|chatte|cheval|collègue)`;
const RELATION = part`(?:femme|mari|époux|épouse|compagnon|compagne|copain|copine|fiancée?|mère|père|chef|patron|patronne|médecin|dentiste|entreprise|équipe|projet|produit|appli|serveur|voiture|bateau|groupe)`;
const STANDING = part`(?:dorénavant|désormais|à partir de maintenant|à l'avenir|par défaut|à compter de maintenant)`;
const THING = part`(?<value>.{1,120}?)`;
const SCOPE = part`(?: (?:dans|en|pour|avec|sur|quand|lorsque) (?<scope>.{1,120}))?$`;
const USE = part`(?:utilise|utilisez|utiliser|emploie|employez|employer|prends|prenez)`;
const DO = part`(?:écris|écrivez|écrire|ajoute|ajoutez|ajouter|mets|mettez|mettre|réponds|répondez|répondre|commence|commencez|installe|installer|commite|pousse|déploie|déployez|déployer|formate|nomme|appelle|lance|envoie|envoyez|envoyer|propose|proposez|proposer|suggère|explique|répète|supprime|supprimez|supprimer|modifie|crée|génère|traduis|fais|faites|faire|donne|donnez|parle|parlez|demande|demandez|montre|importe|termine|excuse)`;

/** The rules of French, the more specific first. */
export const FRENCH_RULES: readonly CaptureRule[] = [
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    cut: true,
    pattern: pattern`^(?:je m'appelle|mon (?:vrai )?(?:nom|prénom) (?:est|c'est)|appelle-moi|appelez-moi|tu peux m'appeler|vous pouvez m'appeler|on m'appelle|tout le monde m'appelle)(?: maintenant)? ${PERSON}`,
    value: /^["«“\p{Lu}]/u,
  },
  {
    trigger: "named",
    category: "entity",
    lasting: true,
    pattern: pattern`^(?:mon|ma|notre) (?<topic>${SEVERAL}) s'appelle (?<value>.{1,80})$`,
  },
  {
    trigger: "named",
    category: "entity",
    key: "entity",
    lasting: true,
    pattern: pattern`^(?:mon|ma|notre) (?<topic>${RELATION}) s'appelle (?<value>.{1,80})$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^(?:j'habite|je vis|je réside|je suis basée?|nous habitons|nous vivons|on habite)(?: maintenant| actuellement| désormais| toujours)? (?:à|au|aux|en|dans|près de|chez|sur|rue) ${THING}$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^(?:j'ai(?: récemment)? (?:déménagé|emménagé)|je viens (?:de déménager|d'emménager)|je me suis installée?|nous avons déménagé|je déménage)(?: récemment)? (?:à|au|aux|en|dans) ${THING}$`,
  },
  {
    trigger: "origin",
    category: "fact",
    key: "user.origin",
    lasting: true,
    pattern: pattern`^(?:je viens (?:de|du|des|d')|je suis originaire (?:de|du|d')|je suis née? (?:à|en|au)) ?${THING}$`,
    value: /^\p{Lu}/u,
  },
  {
    trigger: "employer",
    category: "fact",
    key: "user.employer",
    lasting: true,
    pattern: pattern`^je (?:travaille|bosse)(?: maintenant| actuellement| désormais)? (?:chez|pour|à|au|dans) ${THING}$`,
  },
  {
    trigger: "job",
    category: "fact",
    key: "user.job",
    lasting: true,
    pattern: pattern`^(?:je travaille comme|mon métier est|mon métier, c'est|je suis (?=(?:un |une )?(?:\p{L}+(?:eur|euse|iste|icien|icienne|cteur|ctrice)|ingénieure?|médecin|avocate?|étudiante?|professeure?|architecte|chef)\b)) ?${THING}$`,
  },
  {
    trigger: "being",
    category: "fact",
    lasting: true,
    pattern: pattern`^(?:je suis|j'ai) (?<value>(?:végétarien|végétarienne|végane|vegan|végétalien|végétalienne|daltonien|daltonienne|gauchère?|droitière?|diabétique|intolérante? au lactose|mariée?|divorcée?|enceinte|retraitée?|\d{1,3} ans)\b.{0,80})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^je suis(?: très| fortement)? allergique (?:à|au|aux)(?: la| l')? ?${THING}$`,
  },
  ...(
    [
      ["anniversaire|date de naissance", "user.birthday"],
      ["fuseau horaire", "user.timezone"],
      ["e-?mail|adresse e-?mail|adresse mail|courriel", "user.email"],
      ["numéro|numéro de téléphone|téléphone", "user.phone"],
      ["adresse", "user.address"],
      ["langue maternelle", "user.language"],
      ["employeur|entreprise", "user.employer"],
      ["pronoms?", "user.pronouns"],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      trigger: "about",
      category: "fact",
      key,
      lasting: true,
      pattern: pattern`^(?:mon|ma|mes) (?:nouveau |nouvelle )?(?:${noun}) (?:est|sont|tombe|c'est)(?: maintenant)? (?!pas\b|cassée?\b)${THING}$`,
    }),
  ),
  {
    trigger: "favourite",
    category: "preference",
    key: "favourite",
    pattern: pattern`^(?:mon|ma|mes|notre) (?<topic>[\p{L}' -]{1,50}? (?:préférée?s?|favorite?s?)) (?:est|sont|c'est)(?: maintenant)? ${THING}$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:je|nous|on|moi,? je) (?:préfère|préférons|préférerais|aime mieux|aimerais mieux)(?: nettement| largement| vraiment| toujours)? ${THING} (?:à|au|aux|plutôt que|plutôt qu'|que) ?(?:l'|la |le |les )?(?<other>.{1,100}?)(?: pour (?<topic>.{1,100}))?$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:je|nous|on|moi,? je) (?:préfère|préférons|préférerais|aime mieux|aimerais mieux)(?: nettement| largement| vraiment| toujours)? ${THING}(?: pour (?<topic>.{1,100})|(?: (?:dans|en|quand|avec) (?<scope>.{1,100})))?$`,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^(?:j'(?:aime|adore)|je (?:déteste|hais|n'aime|n'adore|ne supporte|raffole))(?: vraiment| beaucoup| bien| pas| plus| pas du tout| particulièrement){0,3} ${THING}$`,
    value: /^(?!(?:bien|quand tu|ça|que)\b)/iu,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "use",
    pattern: pattern`^(?:j'utilise|nous utilisons|on utilise|je n'utilise|nous n'utilisons|on n'utilise)(?: toujours| jamais| pas| plus| que| uniquement| généralement| exclusivement) (?:de |d')?${THING}${SCOPE}`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "do",
    pattern: pattern`^(?:je|nous|on) (?:ne |n')?(?<value>(?:mange|bois|fume|travaille|déployons|déploie|prends)(?: jamais| pas| plus| toujours) .{1,120})$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:nous avons|on a|j'ai|l'équipe a)(?: finalement| donc| aussi)? (?:décidé|choisi|convenu|opté|tranché|retenu)(?: d'utiliser| d'adopter| de passer à| de garder| de ne pas utiliser| de prendre| de| d'| pour| que)? ?${THING}(?: (?:pour|comme) (?<topic>.{1,100}))?$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "project",
    pattern: pattern`^(?:notre|nos) (?<topic>[\p{L}\p{N}][\p{L}\p{N} ./-]{0,60}? (?:tourne sur|tourne avec|utilise|est écrit en|est hébergée? (?:sur|chez)|repose sur|est déployée? sur)) ${THING}$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "decision",
    pattern: pattern`^(?:nous utilisons|on utilise) (?<value>(?!le |la |les |un |une |des |ce |cette )[^ ].{0,80}?) (?:pour|comme) (?<topic>.{1,100})$`,
    value: /^["«\p{Lu}]/u,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?${USE}(?: toujours)? ${THING} (?:au lieu de|au lieu d'|plutôt que|à la place de) ?(?<other>.{1,80}?)$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?:il faut |de |tu dois |vous devez )?(?:toujours ${USE}|ne (?:pas|jamais|plus) ${USE}|n'${USE} (?:pas|jamais|plus)(?: jamais)?|${USE} (?:toujours|uniquement|seulement|systématiquement)|ne prends (?:pas|jamais|plus)) (?:de |d'|des |les |le |la |l')?${THING}${SCOPE}`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? ${USE} ${THING}|${USE} (?<other>.{1,120}?) ${STANDING})$`,
  },
  {
    trigger: "avoid",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:évite|évitez|arrête|arrêtez)(?: toujours| d'utiliser| avec)? (?:de |d'|les |le |la |l')?${THING}${SCOPE}`,
  },
  {
    trigger: "always",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?:ne |n'|de ne |de )?(?<value>(?:(?:${DO})(?:-moi)? (?:toujours|jamais|plus jamais|pas de|pas d'|plus de|systématiquement)|(?:toujours|jamais|ne jamais) (?:${DO}))\b.{1,120})$`,
  },
  {
    trigger: "from now on",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^${STANDING},? (?!je\b|il\b|elle\b|on\b|le\b|la\b|les\b)(?<value>\p{L}+ .{1,120})$`,
  },
];
