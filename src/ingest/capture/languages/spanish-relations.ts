import { type CaptureRule, part, pattern } from "../language-rules.ts";

/** People of whom somebody usually has one at a time, so that the next one replaces the last. */
const ONE = part`(?:mujer|esposa|marido|esposo|pareja|novi[oa]|prometid[oa]|madre|mamá|padre|papá|suegr[oa]|jef[ea]|gerente|contable|contador|contadora|gestor|gestora|casero|casera|médic[oa](?: de cabecera)?|dentista|pediatra|veterinari[oa]|peluquer[oa]|abogad[oa]|fontanero|electricista|jardinero|niñera|proveedor|imprenta|aseguradora|banco|asistente|secretari[oa]|director|directora)`;
const MANY = part`(?:hijo|hija|bebé|hermano|hermana|abuel[oa]|niet[oa]|tío|tía|prim[oa]|sobrin[oa]|cuñad[oa]|amig[oa]|compañer[oa](?: de piso)?|vecin[oa]|colega|becari[oa]|client[ea]|soci[oa]|profesora?|entrenador|entrenadora|inquilin[oa]|contacto)`;
const PET = part`(?:perro|perra|gato|gata|caballo|conejo|hámster)`;
const WORD = part`\p{L}[\p{L}\p{M}'.&-]{0,30}`;
const TITLED = part`(?!(?:yo|tú|él|ella|nosotros|ellos|ellas|esto|eso|el|la|los|las|lo|un|una|mi|mis|nuestro|nuestra|y|pero|si|que|quien|en|de|con|para|por|no|ya|hoy|es|hay|muy|me|te|se) )(?:(?:sr|sra|dr|dra)\.? )?${WORD}(?: ${WORD}){0,3}?`;
const NAMED =
  /^(?!(?:Yo|Tú|Él|El|Ella|Nosotros|Ellos|Ellas|Esto|Eso|Esta|Este|La|Los|Las|Lo|Un|Una|Mi|Mis|Nuestro|Nuestra|Tu|Su|Cada|Todos|Todo|Nadie|Nada|Alguien|Quien|Qué|Y|Pero|Si|No|Ya|Hoy|Aquí)(?![\p{L}\p{M}]))\p{Lu}[\p{L}\p{M}'.&-]*(?: (?:(?:de|del|la|las|los|van|von|y|&) ){0,2}\p{Lu}[\p{L}\p{M}'.&-]*)*$/u;
const FIRM = new RegExp(String.raw`^(?:la )?[\p{Ll}]{0,8}\s?\p{Lu}|${NAMED.source}`, "u");
const SOMEBODY = new RegExp(`^(?:[Mm]i|[Nn]uestr[oa]) |${NAMED.source}`, "u");
const MINE = part`(?:mi|nuestro|nuestra) (?:${ONE}|${MANY}|${PET})(?: \p{L}+(?:or|ñ[oa]|ueñ[oa]))?(?:,? ${WORD},?)?`;
const DATED =
  /\d|\b(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|navidad)\b/iu;
const lines = { category: "fact", lasting: true } as const;
const NOW = part`(?: ahora| actualmente| también)?`;
const ACT = part`(?:(?:entonces |por favor |siempre )?(?:ejecuta|lanza|envía|manda|abre|haz|muestra|escribe|dame|usa|responde|lee|borra|crea|añade|llama|pregunta|di|recuerda|revisa|comprueba|busca|traduce|resume|reserva|pide|pon|apunta|guarda|calcula|formatea|para|despliega|prepara|lista|propón|termina|debes|no (?!es\b|hay\b|me\b)\p{L}+(?:es|as)))`;

/** The rules for a sentence as a whole. */
export const SPANISH_WHOLE_RULES: readonly CaptureRule[] = [
  {
    trigger: "when I say",
    category: "preference",
    key: "when",
    imperative: true,
    lasting: true,
    pattern: pattern`^(?:cuando|siempre que|cada vez que|si) (?:yo )?(?:te )?(?:diga|digo|escriba|escribo|mencione|menciono|pida|pido) (?<topic>.{1,80}?)[,:] ?(?<value>${ACT}(?![\p{L}]).{0,200})$`,
  },
  {
    trigger: "when I say",
    category: "fact",
    key: "when",
    lasting: true,
    pattern: pattern`^(?:cuando|si) (?:digo|hablo de|menciono) (?<topic>.{1,80}?),? (?:me refiero a|quiero decir|significa) ?(?<value>.{2,160})$`,
  },
  {
    trigger: "whenever",
    category: "preference",
    imperative: true,
    pattern: pattern`^(?:cada vez que|siempre que) (?<scope>.{2,120}?), (?<value>${ACT}(?![\p{L}]).{1,160})$`,
  },
];

/** The Spanish rules for people and things that belong to the speaker, and for changes. */
export const SPANISH_RELATIONS: readonly CaptureRule[] = [
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
      who: FIRM,
      pattern: pattern`^(?:mi|nuestro|nuestra) (?:nuev[oa] )?(?<topic>${noun})(?: es| se llama)${NOW} (?<who>(?:la empresa |el señor |la señora )?${TITLED})(?: (?:de|en) .{1,60})?$`,
    },
    {
      trigger: "relation",
      category: "entity",
      lasting: true,
      key,
      who: NAMED,
      pattern: pattern`^(?<who>${TITLED}) es${NOW} (?:mi|nuestro|nuestra) (?:nuev[oa] )?(?<topic>${noun})(?: (?:de|en) .{1,60})?$`,
    },
  ]),
  {
    trigger: "relation",
    category: "entity",
    lasting: true,
    who: /^\p{Lu}.* y \p{Lu}/u,
    pattern: pattern`^(?:mis|nuestros|nuestras) (?:dos |tres )?(?:hijos|hijas|niños|mellizos|gemelos|hermanos|hermanas|perros|gatos|padres) (?:se llaman|son) (?<who>${WORD}(?:, ${WORD}){0,4},? y ${WORD})$`,
  },
  {
    ...lines,
    trigger: "relation",
    who: NAMED,
    pattern: pattern`^(?<who>${TITLED}) (?:se encarga de|se ocupa de|gestiona|lleva|limpia|repara|es responsable de|nos suministra) ?(?:mi|mis|nuestro|nuestra|nuestros|nuestras|la|el|los|las) (?!vida\b|razón\b|contraria\b)(?<value>.{1,100})$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) (?:no es|ya no es|es|tiene)(?: muy| también)? (?:alérgic[oa]|alergia) (?:a la |a los |a las |al |a )(?<value>.{1,100})$`,
  },
  {
    trigger: "health",
    category: "fact",
    who: SOMEBODY,
    pattern: pattern`^(?<who>${MINE}|${TITLED}) (?:es (?:también )?(?=(?:vegetarian[oa]|vegan[oa]|diabétic[oa]|asmátic[oa]|intolerante|celíac[oa]|daltónic[oa]|zurd[oa]|sord[oa])(?![\p{L}]))|está (?=embarazada)|no (?:come|bebe|tolera) (?!nada\b|mucho\b|bien\b)|no puede (?=(?:comer|beber|tomar) (?!nada\b|más\b))|tiene (?=(?:diabetes|asma|una (?:grave )?(?:alergia|intolerancia)))|toma (?=.{1,60}(?:\d+ ?mg|todos los días|al día|cada (?:día|mañana|noche))))(?<value>.{1,100})$`,
  },
  {
    trigger: "health",
    category: "fact",
    pattern: pattern`^(?:no puedo (?=(?:comer|beber|tomar) (?:gluten|lactosa|leche|nueces|frutos|huevos?|pescado|marisco|carne|cerdo|azúcar|alcohol|cafeína))|no (?:como|bebo|tolero) (?=(?:gluten|lactosa|leche|nueces|huevos?|pescado|marisco|carne|cerdo|azúcar|alcohol|cafeína))|tomo (?=.{1,60}(?:\d+ ?mg|todos los días|al día|cada (?:día|mañana|noche))))(?<value>.{1,100})$`,
  },
  {
    trigger: "relation",
    category: "fact",
    pattern: pattern`^(?<who>${MINE}) (?:trabaja (?=(?:en|para|como|de|con) )|vive (?=(?:en|con|cerca) )|es (?:un |una )?(?=(?:\p{L}+(?:ador|adora|edor|edora|ista|ólog[oa]|ero|era)|enfermer[oa]|médic[oa]|profesora?|ingenier[oa]|abogad[oa]|estudiante|arquitect[oa])(?![\p{L}]))|está jubilad|tiene (?=\d{1,3} años)|va (?=(?:al colegio|a la escuela|al instituto|a la guardería|a la universidad))|nació (?=(?:en|el) )|estudia |toca (?=(?:el|la) )|se ha mudado |se mudó )(?<value>.{1,100})$`,
  },
  ...(
    [
      ["cumpleaños", "of.birthday", DATED],
      ["aniversario", "of.anniversary", DATED],
      ["(?:número(?: de (?:teléfono|móvil))?|teléfono|móvil)", "of.phone", /\d/u],
      ["(?:correo(?: electrónico)?|e-?mail)", "of.email", /@/u],
      ["dirección", "of.address", /\d/u],
      ["talla", "of.size", /\d|\b[SMLX]{1,3}\b/u],
    ] as const
  ).map(
    ([noun, key, value]): CaptureRule => ({
      ...lines,
      trigger: "about",
      key,
      value,
      pattern: pattern`^(?:el |la )(?:nuevo |nueva )?${noun} (?:de |del |de la )(?<who>(?:mi |nuestro |nuestra )?${WORD}(?: ${WORD}){0,2}?) es${NOW} (?:el |la )?(?!incorrect[oa]\b)(?<value>.{1,100})$`,
    }),
  ),
  {
    ...lines,
    trigger: "about",
    key: "entity",
    pattern: pattern`^(?:el|la|mi|nuestro|nuestra) (?:nuev[oa] )?(?<topic>(?:código|clave) (?:de la puerta|del portal|de la alarma|de entrada|del garaje|del edificio|de acceso)|(?:contraseña|clave|nombre) (?:del|de la) (?:wi-?fi|red de invitados)) es${NOW} (?!incorrect[oa]\b)(?<value>.{2,80})$`,
  },
  {
    ...lines,
    trigger: "about",
    key: "entity",
    value: /\d/u,
    pattern: pattern`^(?:el|la|mi|nuestro|nuestra) (?<topic>número de (?:cliente|seguro|póliza|cuenta|contrato|socio|la seguridad social|afiliación)|iban|matrícula|plaza de garaje|dirección (?:de envío|de facturación|de la oficina)|dirección) es${NOW} (?:la |el )?(?<value>.{2,100})$`,
  },
  {
    ...lines,
    trigger: "have",
    pattern: pattern`^(?:tengo|tenemos) (?<value>(?:una?|dos|tres|cuatro|\d+) (?:hij[oa]s?|perr[oa]s?|gat[oa]s?|hermanos?|hermanas?|mellizos|gemelos)\b.{0,80})$`,
  },
  {
    trigger: "moved",
    category: "fact",
    pattern: pattern`^(?:la|el|nuestra|nuestro|mi) (?<topic>(?:reunión|cita|llamada|entrega|fecha límite|lanzamiento|taller|formación|clase|entrevista|conferencia)(?: (?:de |del )?\p{L}+)?) (?:se ha (?:movido|aplazado|pospuesto|adelantado|cambiado)|se (?:movió|aplazó|pospuso|adelantó|cambió)|ha sido (?:movid[oa]|aplazad[oa])|pasa) (?:a|al|para el|hasta el) (?<value>.{2,80})$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:hemos (?:pasado|cambiado|migrado)|pasamos|cambiamos|migramos) de (?<other>.{1,60}?) a (?<value>.{1,80})$`,
  },
  {
    trigger: "changed",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:hemos|he) (?:sustituido|reemplazado) (?<other>.{1,60}?) por (?<value>.{1,80})$`,
  },
  {
    trigger: "no longer",
    category: "fact",
    pattern: pattern`^ya no (?:trabajo|vivo|trabajamos|vivimos) (?=(?:en|con|para) )(?<value>.{2,80})$`,
  },
];
