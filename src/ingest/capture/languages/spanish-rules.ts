import { type CaptureRule, part, pattern } from "../language-rules.ts";

const PERSON = part`(?<value>(?!no\b|en\b|el\b|la\b|los\b|un\b|una\b|mañana\b|cuando\b|si\b|luego\b|después\b|la atención\b|mucho\b)[\p{L}\uE000][\p{L}\p{M}'\uE000-]*(?: (?!y\b|pero\b|o\b|si\b|cuando\b|por\b|a\b|en\b|ahora\b)[\p{L}\uE000][\p{L}\p{M}.'\uE000-]*){0,3})`;
/** People and animals of whom there may be several. A second one does not contradict the first. */
const SEVERAL = part`(?:hijo|hija|bebé|hermano|hermana|perro|perra|gato|gata|caballo|compañer[oa])`;
const RELATION = part`(?:mujer|esposa|marido|esposo|pareja|novia|novio|prometid[oa]|madre|padre|jefe|jefa|médico|médica|dentista|empresa|equipo|proyecto|producto|app|servidor|coche|barco|banda)`;
const STANDING = part`(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro|por defecto|desde ahora)`;
const THING = part`(?<value>.{1,120}?)`;
const SCOPE = part`(?: (?:en|para|con|cuando|al) (?<scope>.{1,120}))?$`;
const USE = part`(?:usa|use|uses|usar|utiliza|utilice|utilices|utilizar|emplea|emplee|emplees)`;
const DO = part`(?:escribe|escribas|escriba|añade|añadas|pon|pongas|ponga|responde|respondas|responda|contesta|contestes|empieza|empieces|instala|instales|haz|hagas|haga|sube|subas|despliega|despliegues|formatea|nombra|ejecuta|ejecutes|envía|envíes|propón|propongas|sugiere|sugieras|explica|expliques|repite|repitas|borra|borres|cambia|cambies|crea|crees|genera|generes|traduce|traduzcas|dame|des|habla|hables|pregunta|preguntes|muestra|muestres|importa|importes|termina|incluye|incluyas|menciona|menciones)`;

/** The rules of Spanish, the more specific first. */
export const SPANISH_RULES: readonly CaptureRule[] = [
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    cut: true,
    pattern: pattern`^(?:me llamo|mi nombre(?: completo)? es|llámame|llámeme|puedes llamarme|puede llamarme|todos me llaman|me dicen)(?: ahora)? ${PERSON}`,
    value: /^["«“\p{Lu}]/u,
  },
  {
    trigger: "named",
    category: "entity",
    lasting: true,
    pattern: pattern`^(?:mi|nuestro|nuestra) (?<topic>${SEVERAL}) se llama (?<value>.{1,80})$`,
  },
  {
    trigger: "named",
    category: "entity",
    key: "entity",
    lasting: true,
    pattern: pattern`^(?:mi|nuestro|nuestra) (?<topic>${RELATION}) se llama (?<value>.{1,80})$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^(?:vivo|vivimos|resido|ahora vivo|estoy viviendo|me he mudado|me mudé|acabo de mudarme|nos hemos mudado|nos mudamos)(?: ahora| actualmente| hace poco| recientemente)? (?:en|a|cerca de) ${THING}$`,
  },
  {
    trigger: "origin",
    category: "fact",
    key: "user.origin",
    lasting: true,
    pattern: pattern`^(?:soy de|vengo de|nací en) ${THING}$`,
    value: /^\p{Lu}/u,
  },
  {
    trigger: "employer",
    category: "fact",
    key: "user.employer",
    lasting: true,
    pattern: pattern`^(?:trabajo|estoy trabajando)(?: ahora| actualmente)? (?:en|para|con) ${THING}$`,
  },
  {
    trigger: "job",
    category: "fact",
    key: "user.job",
    lasting: true,
    pattern: pattern`^(?:trabajo (?:como|de)|mi (?:profesión|trabajo) es|soy (?=(?:un |una )?(?:\p{L}+(?:dor|dora|ista|ólogo|óloga|ero|era)|ingenier[oa]|médic[oa]|abogad[oa]|estudiante|profesora?|arquitect[oa])\b)) ?${THING}$`,
  },
  {
    trigger: "being",
    category: "fact",
    lasting: true,
    pattern: pattern`^(?:soy|tengo|estoy) (?<value>(?:vegetarian[oa]|vegan[oa]|daltónic[oa]|zurd[oa]|diestr[oa]|diabétic[oa]|intolerante a la lactosa|celíac[oa]|casad[oa]|divorciad[oa]|jubilad[oa]|embarazada|\d{1,3} años)\b.{0,80})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^(?:soy|tengo) (?:muy )?(?:alérgic[oa]|alergia) (?:a|al) ${THING}$`,
  },
  ...(
    [
      ["cumpleaños|fecha de nacimiento", "user.birthday"],
      ["zona horaria|huso horario", "user.timezone"],
      ["correo|correo electrónico|e-?mail", "user.email"],
      ["teléfono|número de teléfono|número", "user.phone"],
      ["dirección", "user.address"],
      ["lengua materna|idioma materno", "user.language"],
      ["empresa", "user.employer"],
      ["pronombres", "user.pronouns"],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      trigger: "about",
      category: "fact",
      key,
      lasting: true,
      pattern: pattern`^mis? (?:nuev[oa] )?(?:${noun}) (?:es|son)(?: ahora)? (?!no\b|incorrect[oa]\b)${THING}$`,
    }),
  ),
  {
    trigger: "favourite",
    category: "preference",
    key: "favourite",
    pattern: pattern`^(?:mi|mis|nuestro|nuestra) (?<topic>[\p{L} -]{1,50}? (?:favorit[oa]s?|preferid[oa]s?)) (?:es|son)(?: ahora)? ${THING}$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:prefiero|preferimos|preferiría)(?: mucho más| siempre)? ${THING} (?:a|al|antes que|en vez de|en lugar de|que|sobre) (?:la |el |las |los )?(?<other>.{1,100}?)(?: para (?<topic>.{1,100}))?$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:prefiero|preferimos|preferiría)(?: mucho más| siempre)? ${THING}(?: para (?<topic>.{1,100})|(?: (?:en|cuando|con) (?<scope>.{1,100})))?$`,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^(?:(?:a mí )?(?:no |ya no )?me (?:gustan?|encantan?|molestan?|disgustan?)|odio|detesto|adoro|no soporto|amo)(?: mucho| nada| más| muchísimo)? ${THING}$`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "use",
    pattern: pattern`^(?:(?:siempre|nunca|normalmente|ya no|no|solo|sólo) (?:uso|usamos|utilizo|utilizamos)|(?:uso|usamos|utilizo) (?:siempre|solo|sólo|exclusivamente)) ${THING}${SCOPE}`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "do",
    pattern: pattern`^(?<value>(?:no|nunca|siempre|ya no) (?:como|bebo|tomo|fumo|trabajo|desplegamos|vuelo)\b.{0,120})$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:hemos|he|el equipo ha)? ?(?:decidido|acordado|elegido|optado|decidimos|acordamos|elegimos|optamos)(?: por)?(?: no)?(?: usar| utilizar| adoptar| pasar a| migrar a| quedarnos con| que)? ?${THING}(?: (?:para|como) (?<topic>.{1,100}))?$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "project",
    pattern: pattern`^(?:nuestro|nuestra) (?<topic>[\p{L}\p{N}][\p{L}\p{N} ./-]{0,60}? (?:corre (?:en|sobre)|funciona (?:en|con)|usa|utiliza|está escrit[oa] en|está alojad[oa] en|se basa en)) ${THING}$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "decision",
    pattern: pattern`^(?:usamos|utilizamos) (?<value>(?!el |la |los |las |un |una |este |esta )[^ ].{0,80}?) (?:para|como) (?<topic>.{1,100})$`,
    value: /^["«\p{Lu}]/u,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?${USE}(?: siempre)? ${THING} (?:en vez de|en lugar de) (?<other>.{1,80}?)$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?:(?:siempre|nunca|jamás|ya no|no|no debes|debes|solo) ${USE}(?: nunca| más)?|${USE} (?:siempre|solo|sólo|únicamente)) (?:el |la |los |las )?${THING}${SCOPE}`,
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
    pattern: pattern`^(?:evita|evite|deja de usar|deja de utilizar) (?:usar |el uso de |utilizar )?(?:el |la |los |las )?${THING}${SCOPE}`,
  },
  {
    trigger: "always",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^(?:${STANDING},? )?(?<value>(?:${DO}(?:me)? siempre|(?:siempre|nunca|jamás|no|ya no|no me|nunca me) ${DO}(?:me)?)\b.{1,120})$`,
  },
  {
    trigger: "from now on",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^${STANDING},? (?!yo\b|él\b|ella\b|el\b|la\b|los\b|las\b)(?<value>\p{L}+ .{1,120})$`,
  },
];
