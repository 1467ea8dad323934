import type { z } from "zod";
import type * as administration from "../http/administration-schemas.ts";
import type * as agents from "../http/agent-schemas.ts";
import type * as facts from "../http/fact-schemas.ts";
import type * as files from "../http/file-schemas.ts";
import type * as ingest from "../http/ingest-schemas.ts";
import type * as schemas from "../http/schemas.ts";
import type * as sessions from "../http/session-schemas.ts";
import type * as whyNot from "../http/why-not-schemas.ts";
import type * as origins from "../service/core/scalar-schemas.ts";
import type * as search from "../service/search/search-schemas.ts";

/*
 * The API's shapes, inferred from the schemas by which the server checks and documents them. Types only: nothing of the server is
 * loaded where the client runs.
 */
export type SearchInput = z.input<typeof search.searchInput>;
export type SearchAnswer = z.output<typeof search.searchAnswer>;
/** The memory cannot be searched just now; `action` says what to do. */
export type SearchUnavailable = z.output<typeof search.searchUnavailable>;
export type GetInput = z.input<typeof search.getInput>;
export type ReadLines = z.output<typeof search.readLines>;
export type LinesNotFound = z.output<typeof search.linesNotFound>;

export type OriginList = z.output<typeof origins.originList>;
export type FilesInput = z.input<typeof files.filesInput>;
export type File = z.output<typeof files.file>;
export type FilePage = z.output<typeof files.filePage>;
export type ChunkPage = z.output<typeof files.chunkPage>;
export type ListedFile = FilePage["files"][number];
export type WrittenFile = z.output<typeof files.writtenFile>;
export type WrittenFiles = z.output<typeof files.writtenFiles>;

export type MessageInput = z.input<typeof sessions.messageInput>;
export type AppendInput = z.input<typeof sessions.appendInput>;
export type AppendedMessages = z.output<typeof sessions.appendedMessages>;
export type SessionPage = z.output<typeof sessions.sessionList>;
export type SessionSummary = z.output<typeof sessions.sessionSummary>;
export type Session = z.output<typeof sessions.session>;
export type Message = z.output<typeof sessions.message>;
export type DeletedSession = z.output<typeof sessions.deletedSession>;

export type Fact = z.output<typeof facts.fact>;
export type FactInput = z.input<typeof facts.factInput>;
export type FactChange = z.input<typeof facts.factChange>;
export type FactSearch = z.input<typeof facts.factSearch>;
export type FoundFacts = z.output<typeof facts.foundFacts>;
export type FactPage = z.output<typeof facts.factPage>;
export type StoredFact = z.output<typeof facts.storedFact>;
export type ChangedFact = z.output<typeof facts.changedFact>;
export type RecallInput = z.input<typeof facts.recallInput>;
export type Recalled = z.output<typeof facts.recalled>;
export type CaptureInput = z.input<typeof facts.captureInput>;
export type Captured = z.output<typeof facts.captured>;

export type Agent = z.output<typeof agents.agent>;
/** After a change: `warnings` names settings of an OpenClaw configuration that have no effect. */
export type ChangedAgent = z.output<typeof agents.changedAgent>;
export type AgentStatus = z.output<typeof agents.agentStatusBody>;
export type AuditEntry = z.output<typeof administration.auditEntry>;
export type AuditPage = z.output<typeof administration.auditPage>;
/** What was asked of embedding providers. */
export type EmbeddingUsage = z.output<typeof administration.embeddingUsage>;
/** What the doctor found. */
export type Finding = z.output<typeof administration.finding>;
export type Findings = z.output<typeof administration.findings>;
export type Binding = z.output<typeof administration.binding>;
export type Bindings = z.output<typeof administration.allBindings>;
/** Where a message goes. */
export type Destination = z.output<typeof administration.destination>;
export type ImportedAgent = z.output<typeof administration.imported>;
export type MissedDocument = z.output<typeof whyNot.missed>;
export type ErasureReceipt = z.output<typeof administration.receipt>;
export type ActivityPage = z.output<typeof agents.activityPage>;
export type ActivityEntry = ActivityPage["activity"][number];
/** What an agent knows by the UTC day on which it was stored. */
export type Growth = z.output<typeof agents.growth>;
export type IngestStatus = z.output<typeof ingest.ingestStatus>;
export type IngestedText = z.output<typeof ingest.ingestedText>;
export type ApiKey = z.output<typeof administration.apiKey>;
export type KeyInUse = z.output<typeof administration.keyInUse>;
export type Tenant = z.output<typeof administration.tenant>;
export type Job = z.output<typeof administration.job>;
/** An error's body (RFC 9457). */
export type Problem = z.output<typeof schemas.errorBody>;
