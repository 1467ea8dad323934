/** The form of an answer over HTTP: as JSON, as a stream of events, or as the SDK chooses. */
export type AnswerForm = "json" | "events" | "either";

const JSON_TYPE = "application/json";
const EVENT_TYPE = "text/event-stream";
const BOTH = `${JSON_TYPE}, ${EVENT_TYPE}`;

/**
 * Returns the form that a client takes. The protocol asks for both types, but many clients name only
 * one, any type, or none. A client that names neither type gets JSON.
 */
export function formOf(accept: string | null): AnswerForm {
  const types = (accept ?? "").split(",").map((one) => one.split(";")[0]?.trim().toLowerCase());
  const takesJson = types.includes(JSON_TYPE);
  const takesEvents = types.includes(EVENT_TYPE);
  if (takesJson && takesEvents) return "either";
  return takesEvents ? "events" : "json";
}

/** Returns a request as the SDK takes it: with both types, and without the body, which is read. */
export function acceptingBoth(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("accept", BOTH);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** Returns an answer in the form that the client takes. An error stays JSON. */
export async function inForm(response: Response, form: AnswerForm): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (form === "json" && type.startsWith(EVENT_TYPE)) return asJson(response);
  if (form === "events" && response.status === 200 && type.startsWith(JSON_TYPE)) return asEvents(response);
  return response;
}

/** Returns the answer of a stream, its last message, as JSON. Progress before it is left out. */
async function asJson(response: Response): Promise<Response> {
  const events = (await response.text()).split(/\r?\n\r?\n/);
  const messages = events.flatMap((event) => {
    const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []));
    return data.length > 0 ? [data.join("\n")] : [];
  });
  return withBody(response, messages.at(-1) ?? "", JSON_TYPE);
}

async function asEvents(response: Response): Promise<Response> {
  return withBody(response, `event: message\ndata: ${await response.text()}\n\n`, EVENT_TYPE);
}

function withBody({ status, headers: given }: Response, body: string, type: string): Response {
  const headers = new Headers(given);
  headers.delete("content-length");
  headers.set("content-type", type);
  return new Response(body, { status, headers });
}
