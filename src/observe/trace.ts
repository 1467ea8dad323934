import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AppError } from "../base/errors.ts";

/**
 * The role of a span: it answers a request, calls another service, takes a job, or is a step in
 * between.
 */
type SpanRole = "server" | "client" | "consumer" | "step";

interface SpanOptions {
  role?: SpanRole;
  /** Ids, counts and names; never users' text. */
  attributes?: Attributes;
  /** The caller's W3C traceparent, whose trace is continued. */
  parent?: string | undefined;
  /** The W3C traceparents that a new trace is linked to. With links the span starts a new trace. */
  links?: readonly string[];
}

const KINDS: Readonly<Record<SpanRole, SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  step: SpanKind.INTERNAL,
};
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;

/** A proxy, which finds a provider that an SDK or the surrounding application registers later. */
const tracer = trace.getTracer("recollect");

/**
 * Runs `work` in an OpenTelemetry span, which costs almost nothing without an SDK. A failure is
 * recorded by its code only, because messages may quote users' text.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { role = "step", attributes, links } = options;
  const kind = KINDS[role];
  const settings = {
    kind,
    ...(attributes === undefined ? {} : { attributes }),
    ...(links === undefined ? {} : { links: links.flatMap(linkTo), root: true }),
  };
  return tracer.startActiveSpan(name, settings, parentOf(options), async (span) => {
    try {
      return await work(span);
    } catch (error) {
      if (span.isRecording()) {
        span.setAttribute("error.type", error instanceof AppError ? error.code : nameOf(error));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Returns the W3C traceparent of the span that this code runs in; undefined without a span. */
export function traceparent(): string | undefined {
  const active = trace.getSpanContext(context.active());
  if (!active || !trace.isSpanContextValid(active)) return undefined;
  return `00-${active.traceId}-${active.spanId}-${(active.traceFlags & 1) === 1 ? "01" : "00"}`;
}

function parentOf({ parent, links }: SpanOptions): Context {
  if (links !== undefined) return ROOT_CONTEXT;
  const remote = parent === undefined ? undefined : parseTraceparent(parent);
  return remote ? trace.setSpanContext(context.active(), remote) : context.active();
}

function linkTo(text: string): Link[] {
  const linked = parseTraceparent(text);
  return linked ? [{ context: linked }] : [];
}

/**
 * Parses a traceparent header, which any client may have written; returns undefined when it is
 * invalid.
 */
function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/**
 * Calls a provider and reports the outcome (`ok`, `aborted`, or the error's code) and the duration
 * in seconds.
 *
 * @throws the errors of the call
 */
export async function measured<T>(
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
  note: (outcome: string, seconds: number) => void,
): Promise<T> {
  const begun = performance.now();
  let outcome = "ok";
  try {
    return await call();
  } catch (error) {
    outcome = error instanceof AppError ? error.code : signal?.aborted ? "aborted" : "internal";
    throw error;
  } finally {
    note(outcome, (performance.now() - begun) / 1000);
  }
}
