import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { joinBytes } from "../../base/bytes.ts";
import { AppError } from "../../base/errors.ts";
import { createJsonCounter, type JsonExcess } from "../../base/json-structure.ts";
import { type Pace, readAtPace, within } from "../../base/pace.ts";
import { mostValuesOf } from "../../base/schema-size.ts";
import { workerFile } from "../../base/worker-file.ts";
import { MAX_INLINE_BYTES } from "../../service/core/parse-threads.ts";
import type { AppEnv, HttpDeps } from "../context.ts";
import { MAX_BODY_BYTES, MAX_SMALL_BODY_BYTES } from "../schemas.ts";
import { createRoom, type Room } from "./body-memory.ts";
import { acceptBody, type CheckedBody, checkBody } from "./check-body.ts";
import type { LargeBodyTask } from "./check-body.worker.ts";
import { largeBodyOf } from "./large-bodies.ts";

/** The most levels of nesting. Tool calls in messages are nested less deeply. */
const MAX_DEPTH = 64;
/** The least speed of an upload, 6.5 KB a second: slower than any mobile network. */
export const BODY_PACE: Pace = { bytes: 131_072, withinMs: 20_000 };

/** The reader of a route's bodies. */
export interface BodyReader {
  /**
   * Reads and checks a request's body.
   *
   * @param once as for `checkBody`
   * @param admit looks up in the database whether a large body is allowed, before more of it is
   *   read
   * @returns the body, and the function that gives back its room when the request is answered
   */
  read(c: Context<AppEnv>, once: readonly string[] | undefined, admit: () => Promise<void>): Promise<ReadBody>;
}

export interface ReadBody {
  readonly body: unknown;
  readonly fingerprint: string | undefined;
  free(): void;
}

const WORKER = workerFile("check-body.worker", import.meta.url);

/**
 * Makes the reader of a route's JSON bodies. A body that is too long, or has more values than any
 * request of the route needs, is refused while it arrives. A large body is parsed and checked in a
 * thread.
 *
 * @param values the most values of a body whose schema sets no limit
 * @param taken the schema to check bodies with, if it is not the one of the reference
 */
export function createBodyReader(
  { service, bodyMemory }: HttpDeps,
  schema: z.ZodType,
  { values, taken = schema, route }: { values: number | undefined; taken?: z.ZodType | undefined; route: string },
): BodyReader {
  const large = largeBodyOf(schema);
  const maxBytes = large ? MAX_BODY_BYTES : MAX_SMALL_BODY_BYTES;
  const maxValues = values ?? withRoom(mostValuesOf(schema));
  const keepsNulls = route.startsWith("PATCH ");
  const inThread = (task: LargeBodyTask, tenantId: string) =>
    service.parseThreads.run<CheckedBody>(WORKER, task, tenantId);
  const mayBeEmpty = takesEmpty(route, schema);
  if (maxValues === undefined) throw new Error(`${route} takes keys or lists without an end; name its most values`);
  return {
    read: async (c, once, admit) => {
      const length = lengthOf(c);
      // `curl -X POST` sends no media type, and `curl -d ""` sends the media type of a form.
      const isEmptyPerhaps = mayBeEmpty && !length;
      if (!isEmptyPerhaps) requireType(c, "application/json", "JSON");
      if (length !== undefined && length > maxBytes) throw tooLarge(maxBytes);
      const { tenantId, actor } = c.get("caller");
      const room = createRoom(bodyMemory, { tenantId, actor });
      const free = () => room.free();
      try {
        const excess = createJsonCounter({ values: maxValues, depth: MAX_DEPTH });
        const check = (part: Uint8Array, received: number) => {
          if (received > maxBytes) throw tooLarge(maxBytes);
          const found = excess(part);
          if (found) throw EXCESSES[found](maxValues);
        };
        const received = await receive(partsOf(c, length), length, check, { room, admit });
        const isEmpty = mayBeEmpty && received.length === 0;
        if (isEmptyPerhaps && !isEmpty) requireType(c, "application/json", "JSON");
        const bytes = isEmpty ? EMPTY_OBJECT : received;
        const checked =
          large && bytes.length > MAX_INLINE_BYTES
            ? await inThread({ bytes, schema: large, once }, tenantId)
            : checkBody(bytes, taken, once, keepsNulls);
        return { ...acceptBody(checked), free };
      } catch (error) {
        free();
        throw error;
      }
    },
  };
}

const EMPTY_OBJECT = Buffer.from("{}");

/**
 * Returns whether a request of this route may have no body, because `{}` would do. Only a POST may: a
 * PUT or PATCH without a body is a mistake, and would, for example, share a whole memory.
 */
export function takesEmpty(endpoint: string, schema: z.ZodType): boolean {
  return endpoint.startsWith("POST ") && schema.safeParse({}).success;
}

/**
 * Adds room for mistakes: a surplus field, or a list that is too long, can be named only if the
 * body is parsed.
 */
function withRoom(values: number | undefined): number | undefined {
  return values && 2 * values + 200;
}

/** Returns the length of a body as its sender states it; undefined if the sender states none. */
export function lengthOf(c: Context<AppEnv>): number | undefined {
  const said = c.req.header("content-length");
  if (c.req.header("transfer-encoding") !== undefined || !/^\d+$/.test(said ?? "")) return undefined;
  return Number(said);
}

/**
 * Yields a body's parts as they arrive.
 *
 * @throws AppError `upload_too_slow`, `invalid_request`
 */
export async function* partsOf(c: Context<AppEnv>, length: number | undefined): AsyncGenerator<Uint8Array> {
  try {
    if (length !== undefined && length <= MAX_INLINE_BYTES) {
      yield new Uint8Array(await within(c.req.raw.arrayBuffer(), BODY_PACE.withinMs, tooSlow));
      return;
    }
    const { body } = c.req.raw;
    if (body) yield* readAtPace(body, BODY_PACE, tooSlow);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid_request", "The body did not arrive to its end; send it again.", { cause });
  }
}

/**
 * Reads a body, after taking room for the length that its sender states. For a body of unknown
 * length the room grows as it arrives.
 */
export async function receive(
  body: AsyncIterable<Uint8Array>,
  length: number | undefined,
  check: (part: Uint8Array, received: number) => void,
  { room, admit }: { room: Room; admit: () => Promise<void> },
): Promise<Uint8Array<ArrayBuffer>> {
  const isLarge = (bytes: number) => bytes > MAX_INLINE_BYTES;
  if (isLarge(length ?? 0)) await admit();
  await room.atLeast(length ?? MAX_INLINE_BYTES);
  const parts: Uint8Array[] = [];
  let received = 0;
  for await (const part of body) {
    if (length === undefined && isLarge(received + part.length) && !isLarge(received)) await admit();
    received += part.length;
    check(part, received);
    await room.atLeast(received);
    parts.push(part);
  }
  return joinBytes(parts);
}

/** Returns the media type of a request's body, without parameters. */
export function typeOf(c: Context<AppEnv>): string | undefined {
  return c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
}

/**
 * Requires the media type of a body. This also refuses the form of a web page.
 *
 * @throws AppError `unsupported_media_type`
 */
export function requireType(c: Context<AppEnv>, type: string, what: string): void {
  if (typeOf(c) === type) return;
  throw new AppError("unsupported_media_type", `Send the body as ${what} with the header Content-Type: ${type}.`);
}

const EXCESSES: Record<JsonExcess, (values: number) => AppError> = {
  depth: () => new AppError("invalid_request", `The body is nested more than ${MAX_DEPTH} levels deep.`),
  values: (values) =>
    new AppError(
      "payload_too_large",
      `The body of this request may have at most ${values} JSON values; send fewer things at a time.`,
      { details: { limit: values, unit: "values" } },
    ),
};

export function tooLarge(maxBytes: number): AppError {
  return new AppError("payload_too_large", `The body of this request may have at most ${maxBytes} bytes; send less.`, {
    details: { limit: maxBytes, unit: "bytes" },
  });
}

function tooSlow(): AppError {
  const { bytes, withinMs } = BODY_PACE;
  return new AppError(
    "upload_too_slow",
    `The body stopped arriving, or came slower than ${bytes} bytes in ${withinMs / 1000} seconds; send it again.`,
  );
}
