import { type CaptureRule, part, pattern } from "../language-rules.ts";

/** People of whom somebody usually has one at a time, so that the next one replaces the last. */
const ONE = part`(?:femme|mari|époux|épouse|compagne|compagnon|copain|copine|fiancée?|mère|maman|père|papa|belle-mère|beau-père|chef|cheffe|patron|patronne|manager|responsable|comptable|propriétaire|médecin(?: traitant)?|dentiste|pédiatre|vétérinaire|coiffeur|coiffeuse|avocate?|notaire|plombier|électricien|jardinier|femme de ménage|nounou|fournisseur|traiteur|imprimeur|assureur|assurance|banque|hébergeur|fournisseur d'accès|assistante?|secrétaire|directeur|directrice)`;
const MANY = part`(?:fils|fille|enfant|bébé|frère|sœur|soeur|grand-mère|grand-père|petit-fils|petite-fille|oncle|tante|cousine?|neveu|nièce|beau-frère|belle-sœur|amie?|colocataire|voisine?|collègue|stagiaire|cliente?|associée?|professeure?|prof|coach|contact|locataire)`;
const PET = part`(?:chien|chienne|chat|chatte|cheval|lapin|hamster)`;
const WORD = part`\p{L}[\p{L}\p{M}'.&-]{0,30}`;
const TITLED = part`(?!(?:je|tu|il|elle|on|nous|vous|ils|elles|ce|c'est|le|la|les|un|une|des|mon|ma|mes|notre|nos|et|mais|si|que|qui|ça|dans|en|pour|avec|ne|pas) )(?:(?:m|mme|dr)\.? )?${WORD}(?: ${WORD}){0,3}?`;
const NAMED =
  /^(?!(?:Je|Tu|Il|Elle|On|Nous|Vous|Ils|Elles|Ce|Cela|Ça|C'est|Le|La|Les|L'|Un|Une|Des|Mon|Ma|Mes|Notre|Nos|Ton|Ta|Son|Sa|Chacun|Chaque|Tout|Tous|Personne|Rien|Aucun|Quelqu'un|Qui|Que|Où|Et|Mais|Si)(?![\p{L}\p{M}]))\p{Lu}[\p{L}\p{M}'.&-]*(?: (?:(?:de|du|la|le|van|von|et|&) ){0,2}\p{Lu}[\p{L}\p{M}'.&-]*)*$/u;
const SOMEBODY = new RegExp(`^(?:[Mm]on|[Mm]a|[Nn]otre) |${NAMED.source}`, "u");
const MINE = part`(?:mon|ma|notre) (?:\p{L}+ )?(?:${ONE}|${MANY}|${PET})(?:,? ${WORD},?)?`;
const DATED = /\d|\b(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|noël)\b/iu;
const lines = { category: "fact", lasting: true } as const;
const NOW = part`(?: maintenant| désormais| actuellement| aussi)?`;
const ACT = part`(?:(?:alors |donc |s'il te plaît |toujours )?(?:lance|exécute|envoie|ouvre|fais|montre|écris|donne|utilise|réponds|lis|supprime|crée|ajoute|appelle|demande|dis|rappelle|vérifie|cherche|traduis|résume|réserve|commande|mets|note|enregistre|calcule|formate|joue|arrête|déploie|prépare|liste|affiche|propose|termine|tu dois|tu peux|ne \p{L}+ (?:pas|jamais|plus)|n'\p{L}+ (?:pas|jamais|plus)))`;

/** The rules for a sentence as a whole. */
export const FRENCH_WHOLE_RULES: readonly CaptureRule[] = [
  {
    trigger: "when I say",
    category: "preference",
    key: "when",
    imperative: true,
    lasting: true,
    pattern: pattern`^(?:quand|lorsque|si|chaque fois que) (?:je (?:te )?(?:dis|tape|demande|mentionne)|j'écris) (?<topic>.{1,80}?)[,:] ?(?:alors )?(?<value>${ACT}(?![\p{L}]).{0,200})$`,
  },
  {
    trigger: "when I say",
    category: "fact",
    key: "when",
    lasting: true,
    pattern: pattern`^(?:quand|lorsque|si) je (?:dis|parle de|mentionne) (?<topic>.{1,80}?),? (?:je veux dire|je parle de|ça veut dire|cela veut dire|c'est) (?<value>.{2,160})$`,
  },
  {
    trigger: "whenever",
    category: "preference",
    imperative: true,
    pattern: pattern`^(?:chaque fois que|à chaque fois que) (?<scope>.{2,120}?), (?<value>${ACT}(?![\p{L}]).{1,160})$`,
  },
];

/** The French rules for people and things that belong to the speaker, and for changes. */
export const FRENCH_RELATIONS: readonly CaptureRule[] = [
  ...(
    [
      [ONE, "entity"],
      [`(?:${MANY}|${PET})`, undefined],
    ] as const
  ).flatMap(([noun, key]): CaptureRule[] => [
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      who: NAMED,
      pattern: pattern`^(?:mon|ma|notre) (?:nouveau |nouvelle )?(?<topic>${noun}(?: \p{L}+)?)(?:,? c'est| est|,? s'appelle)${NOW} (?<who>${TITLED})(?: (?:de|chez|à) .{1,60})?$`,
    },
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      who: NAMED,
      pattern: pattern`^(?<who>${TITLED}) est${NOW} (?:mon|ma|notre) (?:nouveau |nouvelle )?(?<topic>${noun})(?: (?:chez|à|pour) .{1,60})?$`,
    },
  ]),
  {
    trigger: "relation",
    category: "entity",
    lasting: true,
    who: /^\p{Lu}.* et \p{Lu}/u,
    pattern: pattern`^(?:mes|nos) (?:deux |trois )?(?:enfants|fils|filles|jumeaux|jumelles|frères|sœurs|chiens|chats|parents) (?:s'appellent|sont) (?<who>${WORD}(?:, ${WORD}){0,4},? et ${WORD})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: NAMED,
    pattern: pattern`^(?<who>${TITLED}) (?:s'occupe (?:de|du|des)|gère|tient|fait|fournit|livre|nettoie|répare|est responsable (?:de|du|des)) ?(?:mon|ma|mes|notre|nos|la|les|l') ?(?<value>.{1,100})$`,
    value: /^(?!tête\b|fête\b|gueule\b)/iu,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) (?:est|n'est plus|n'est pas)(?: aussi| très| gravement| fortement)? allergique (?:à la |à l'|à |au |aux )(?<value>.{1,100})$`,
  },
  {
    trigger: "health",
    category: "fact",
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) (?:est (?:aussi )?(?=(?:végétarien|végétarienne|végane|vegan|diabétique|asthmatique|intolérante?|c[œo]eliaque|daltonien|daltonienne|gauchère?|sourde?|enceinte)(?![\p{L}]))|ne (?:mange|boit|supporte|tolère|digère) (?:pas|plus|jamais) (?=de |d'|le |la |les )|ne (?:peut|doit) pas (?=(?:manger|boire|prendre) )|a (?=(?:du diabète|de l'asthme|une? (?:grave )?(?:allergie|intolérance)))|prend (?=.{1,60}(?:\d+ ?mg|tous les (?:jours|matins|soirs)|par jour|chaque jour)))(?<value>.{1,100})$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^je (?:ne (?:mange|bois|supporte|tolère|digère) (?:pas|plus|jamais) (?=de |d'|le |la |les )|ne (?:peux|dois) pas (?=(?:manger|boire) (?:de |d'))|prends (?=.{1,60}(?:\d+ ?mg|tous les (?:jours|matins|soirs)|par jour|chaque jour)))(?<value>.{1,100})$`,
  },
  {
    trigger: "relation",
    category: "fact",
    pattern: pattern`^(?<who>${MINE}) (?:travaille (?=(?:chez|à|au|dans|pour|comme) )|(?:habite|vit) (?=(?:à|au|en|chez|dans) )|est (?:un |une )?(?=(?:\p{L}+(?:eur|euse|ien|ienne|iste)|infirmière?|médecin|professeure?|ingénieure?|avocate?|étudiante?|architecte|retraitée?)(?![\p{L}]))|a (?=\d{1,3} ans)|va (?=(?:à l'école|au collège|au lycée|à la crèche|à l'université))|est née? |étudie |joue (?=(?:du|de la|de l'|au) )|parle (?=\p{L}+(?:ais|and|ol|ien|sse|ois)(?![\p{L}]))|(?:a déménagé|vient de déménager) )(?<value>.{1,100})$`,
  },
  ...(
    [
      ["anniversaire", "of.birthday", DATED],
      ["(?:numéro(?: de téléphone)?|téléphone|portable)", "of.phone", /\d/u],
      ["(?:adresse e-?mail|e-?mail|mail|courriel)", "of.email", /@/u],
      ["adresse", "of.address", /\d/u],
      ["pointure", "of.size", /\d/u],
      ["(?:numéro (?:client|de client|d'assurance|de contrat|de sécurité sociale|de compte)|iban)", undefined, /\d/u],
    ] as const
  ).map(
    ([noun, key, value]): CaptureRule => ({
      ...lines,
      trigger: "about",
      key,
      value,
      pattern: pattern`^(?:le |la |l')(?:nouveau |nouvelle )?${noun} (?:de |du |d'|de la |des )(?<who>(?:mon |ma |notre |la |l')?${WORD}(?: ${WORD}){0,2}?)(?: est|,? c'est)${NOW} (?:le )?(?!pas\b|faux\b)(?<value>.{1,100})$`,
    }),
  ),
  {
    ...lines,
    trigger: "about",
    key: "entity",
    pattern: pattern`^(?:le|mon|notre) (?:nouveau )?(?<topic>code (?:de la porte|du portail|d'entrée|de l'alarme|du garage|de l'immeuble|du bâtiment|wi-?fi)|digicode|(?:mot de passe|code|nom) (?:du |de la )?(?:wi-?fi|réseau invité)) (?:est|c'est)${NOW} (?!pas\b|faux\b|cassé\b)(?<value>.{2,80})$`,
  },
  {
    ...lines,
    trigger: "about",
    key: "entity",
    value: /\d/u,
    pattern: pattern`^(?:le |mon |notre |la |l'|ma )(?<topic>numéro (?:de )?(?:client|sécurité sociale|d'assurance|contrat|compte|tva)|iban|plaque d'immatriculation|place de parking|adresse (?:de livraison|de facturation|du bureau)|adresse) est${NOW} (?:le |la )?(?!pas\b)(?<value>.{2,100})$`,
  },
  {
    trigger: "have",
    category: "fact",
    lasting: true,
    pattern: pattern`^(?:j'ai|nous avons|on a) (?<value>(?:un|une|deux|trois|quatre|\d+) (?:\p{L}+ )?(?:fils|filles?|enfants?|chiens?|chats?|frères?|sœurs?|jumeaux|jumelles)\b.{0,80})$`,
  },
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^(?:la|le|l'|notre|mon|ma) ?(?<topic>(?:réunion|rendez-vous|point|atelier|livraison|date limite|échéance|lancement|formation|cours|entretien|conférence)(?: (?:d'|de |du )?\p{L}+)?) (?:a été|est|sera) (?:déplacée?|reportée?|décalée?|avancée?)(?: de .{1,30}?)? (?:à|au) (?<value>.{2,80})$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:nous sommes|on est|je suis)(?: maintenant)? passée?s? (?:de |d')(?<other>.{1,60}?) (?:à|vers) (?<value>.{1,80})$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:nous avons|on a|j'ai) remplacé (?<other>.{1,60}?) par (?<value>.{1,80})$`,
  },
  {
    trigger: "no longer",
    category: "fact",
    pattern: pattern`^(?:(?:je ne (?:travaille|vis)|je n'habite|nous ne travaillons) plus|(?:notre|mon|ma) \p{L}[\p{L} ]{0,40} n'est plus) (?=(?:à|au|en|dans|chez|avec|pour) )(?<value>.{2,80})$`,
  },
];
