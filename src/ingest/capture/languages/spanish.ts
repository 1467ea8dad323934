import { everyPattern, type LanguageRules, part, pattern } from "../language-rules.ts";
import { SPANISH_RELATIONS, SPANISH_WHOLE_RULES } from "./spanish-relations.ts";
import { SPANISH_RULES } from "./spanish-rules.ts";

const SUBJECT = part`(?:yo|me|mi|mis|nosotros|nuestro|nuestra|tú|usted|él|ella|ellos|ellas|eso|esto|es|hay|nadie|gracias|prefiero|vivo|trabajo|odio|uso|soy|no me gustan?|hemos|somos|usamos)\b`;
const ORDER = part`(?:por favor|nunca|jamás|siempre|no|usa|use|utiliza|evita|recuerda|llámame|responde|escribe|apunta|a partir de)\b`;
const ASK = part`(?:puedes|puede|podrías|podría|qué|cuál|cuáles|cómo|por qué|cuándo|dónde|cuánto|quién|me ayudas|¿)`;
const TEXTS = part`(?:e-?mails?|correos?|mensajes?|logs?|registros?|errores|error|salidas?|textos?|artículos?|párrafos?|frases?|código|historias?|poemas?|reseñas?|tickets?|informes?|cartas?|comentarios?|archivos?|documentos?|conversaci[óo]n(?:es)?|citas?)`;
const WORKS = part`(?:traduce|traduzca|traducir|corrige|corrija|corregir|resume|resuma|resumir|reformula|reescribe|reescribir|revisa|revise|mejora|acorta|explica|explique|analiza|analice)`;

/** The rules of Spanish. */
export const SPANISH: LanguageRules = {
  hints: pattern`\b(?:me|mi|mis|yo|nos|nuestro|nuestra|hemos|he|te|tu|tus|el|la|los|las|un|una|es|que|en|de|no|nunca|jamás|siempre|prefiero|preferimos|vivo|vivimos|trabajo|odio|detesto|adoro|uso|usamos|usa|use|uses|utiliza|evita|evite|soy|llámame|llámeme|recuerda|decidimos|acordamos|supongamos|imagina|apunta|anota|cuando|ya|se|tengo|tenemos)\b`,
  subject: "",
  withSubject: pattern`^.`,
  breaks: everyPattern`
    \s?(?:[;–—:]|\s-\s)\s?
    |\s?[,(]\s?(?=(?:y|pero|o|porque|pues|ya que|aunque|mientras|así que|por si|que)\b|${SUBJECT}|${ORDER}|${ASK})(?:(?:y|pero|o|porque|pues|ya que|aunque|así que)\b ?)?
    |(?<weak> (?:y|e)(?: también| luego)? (?=${SUBJECT}|(?:nunca|siempre|usa|no uses)\b))
    | (?:pero|porque|aunque|así que) (?=${SUBJECT}|${ORDER})
  `,
  leadIn: pattern`^[¡¿]?(?:(?:por favor|también|y|pero|oh|ok|vale|hola|buenas|buenos días|buenas tardes|sí|no,|gracias|muchas gracias|genial|bien|por cierto|de hecho|en realidad|la verdad|la verdad es que|sinceramente|personalmente|para tu información|que conste que|en general|otra cosa|una cosa más|importante|nota|corrección|ahora|actualmente|últimamente|hoy en día|finalmente|entonces|así que|primero|segundo|como dije|ya te dije que|te dije que|que sepas que|debes saber que|creo que|yo)(?:[!,.:;]+ ?| ))`,
  remember: pattern`^(?:recuerda|recuerde|acuérdate(?: de)?|ten en cuenta|tenga en cuenta|ten presente|no olvides|no te olvides(?: de)?|no olvide|toma nota(?: de)?|anota|apunta|memoriza|guarda en (?:tu )?memoria)(?:(?: esto| lo siguiente)? ?: ?|,? que |, | (?=(?:mi|mis|nuestro|nuestra|el|la|los|las) [^,;:]{1,60}? (?:es|son|está|están|tiene|vive|trabaja|empieza|termina|cierra|abre|se llama)\b))`,
  condition: pattern`^(?:si|cuando|cada vez|siempre que|para|en|con|durante|antes|después|al|en cuanto|mientras)\b`,
  bareBreak: pattern` (?=(?:prefiero|yo prefiero|usa siempre|siempre usa|no uses|nunca uses|hemos decidido|decidimos)\b)`,
  ownColon: pattern`\b(?:yo|me|mi|mis|cosa|cosas|nota|recordatorio|regla|reglas|info|importante|corrección|preferencia|preferencias|decisión|resumen|gracias|ok|vale|recuerda|apunta)\b[^:]{0,40}:\s?$`,
  reported: pattern`
    (?<!\byo |\bte |\bya te |\bcomo )\b(?:dice|dicen|dijo|dijeron|decía|escribe que|escribió|afirma|afirmó|cree|creía|piensa|según|recomienda|recomendó|aconseja|pregunta|preguntó|respondió|contó|quizás|quizá|tal vez|a lo mejor|no estoy segur[oa]|dudo|no es (?:cierto|verdad)|si yo)\b
    |\b(?:documentación|manual|guía|artículo|libro|página|aviso|error|tutorial)\b
  `,
  reportedAfter: pattern`^[,.]? ?(?:dijo|dice|escribió|respondió|según|afirma|piensa|me dijo) ?(?:él|ella|mi|el|la|\p{L}+)?\b`,
  hypothetical: pattern`\b(?:supongamos|supón|supongo que|suponiendo|imagina|imagínate|imaginemos|digamos|pongamos|finge|hagamos como si|como si|hipotéticamente|en teoría|haz de|actúa como|y si (?:yo|vivo|prefiero|me)|si (?:yo |me )?(?:fuera|fuese|tuviera|viviera|prefiriera|quisiera|pudiera|trabajara|gustara|gustase|llamara|usara))\b`,
  question: pattern`^(?:¿|(?:qué|cuál|cuáles|quién|quiénes|cómo|por qué|cuándo|dónde|cuánto|cuántos|puedes|puede|debo|debería|podrías|sabes|es cierto)\b.*[?？])`,
  once: pattern`\b(?:(?:este|esta|estos|estas) (?!empresa|equipo|proyecto|repositorio|casa|oficina|compañía)\p{L}+|aquí|hoy|esta vez|por ahora|de momento|por el momento|arriba|abajo|siguientes?|anterior|anteriores|adjunt[oa]|(?:el|la) (?:primer|primera|segundo|segunda|tercer|tercera|último|última) (?:línea|párrafo|sección|parte|página|frase|ejemplo|versión)|línea \d+|paso \d+)\b`,
  pointing: pattern`^(?:(?:eso|esto|ese|esa|esos|esas|este|esta|aquel|aquella|lo mismo|el otro|la otra|ambos|ambas|ninguno|ninguna|él|ella)\b|(?:uno|una)$|tu\b|tus\b|su\b|cómo\b|lo que\b|que (?:me|lo|la|te)\b|(?:el|la|los|las) (?:primer[oa]?|segund[oa]|tercer[oa]?|últim[oa]|nuev[oa]|viej[oa]|mism[oa]|otr[oa]|roj[oa]|azul|verde)s?$|la (?:versión|opción|variante|propuesta|idea)\b|opción \w\b)`,
  paste: pattern`
    \b(?:${WORKS}\b[^.!?:]{0,100}:
    |(?:aquí (?:está|están|tienes|va)|mira|lee|siguientes?|este|esta|estos|estas|adjunto|en|del|de)\b[^.!?:]{0,60}\b${TEXTS}\b[^.!?:]{0,40}:
    |${WORKS}\b[^.!?:]{0,40}\b(?:este|esta|estos|estas|esto|siguientes?)\b[^.:]{0,40}[.!?]?$
    |(?:escribe|escriba|redacta|redacte|compón|inventa|crea)\b[^.!?:]{0,60}\b(?:${TEXTS}|escena|diálogo|canción|discurso|ensayo|respuesta)\b[^.!?:]{0,100}[:.]
    |(?:escribió|dijo|respondió|dice) ?:\s*$)
  `,
  tail: pattern`[ ,(]+(?:por favor|gracias|muchas gracias|vale|ok|por cierto|también|si es posible|\))$`,
  filler: everyPattern`\b(?:a partir de ahora|de ahora en adelante|ya no|el|la|los|las|lo|un|una|unos|unas|del|de|mi|mis|nuestro|nuestra|tu|tus|todos|todas|todo|siempre|nunca|más|ahora|otra vez|en vez|realmente|cuando|si|para|en|con|al|yo|escribo|uso|trabajo|programo)\b`,
  everywhere: pattern`^(?:(?:esta|este|nuestra|nuestro|la|el) (?:empresa|equipo|proyecto|repositorio|compañía)|(?:tus|las|todas tus|sus) (?:respuestas|mensajes))\b`,
  ownLabel: pattern`^(?:nota|notas|recordatorio|importante|info|regla|reglas|corrección|ps|pd|decisión|preferencia|preferencias|gracias|ok|vale|también|sí|no|hola|recuerda|apunta|anota|acuérdate)\b`,
  rules: [...SPANISH_RULES, ...SPANISH_RELATIONS],
  wholeRules: SPANISH_WHOLE_RULES,
};
