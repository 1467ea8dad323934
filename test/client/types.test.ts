import { describe, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type { ErrorCode } from "../../src/base/errors.ts";
import type * as client from "../../src/client/client.ts";
import type * as ingest from "../../src/features/fact-ingest/schemas.ts";
import type * as whyNot from "../../src/features/why-not/schemas.ts";
import type * as administration from "../../src/http/administration-schemas.ts";
import type * as agents from "../../src/http/agent-schemas.ts";
import type * as facts from "../../src/http/fact-schemas.ts";
import type * as files from "../../src/http/file-schemas.ts";
import type * as history from "../../src/http/history-schemas.ts";
import type * as links from "../../src/http/link-schemas.ts";
import type * as errors from "../../src/http/schemas.ts";
import type * as sessions from "../../src/http/session-schemas.ts";
import type * as origins from "../../src/service/core/scalar-schemas.ts";
import type * as search from "../../src/service/search/search-schemas.ts";

/**
 * A type reduced to its structure: without names, without `readonly`, without members that may only
 * be absent, and without `undefined` beside a `?`, which JSON does not have.
 */
type Plain<T> = T extends readonly (infer One)[]
  ? Plain<One>[]
  : T extends object
    ? { [K in keyof T as [T[K]] extends [undefined] ? never : K]: Plain<Exclude<T[K], undefined>> }
    : T;

/** The input and the output of a schema. */
type In<T extends z.ZodType> = Plain<z.input<T>>;
type Out<T extends z.ZodType> = Plain<z.output<T>>;

/**
 * The client declares its types by hand, for readers in an editor. Here `tsc` compares them with
 * the server's schemas.
 */
describe("the client's types are those of the server's schemas", () => {
  test("searches", () => {
    expectTypeOf<Plain<client.SearchInput>>().toEqualTypeOf<In<typeof search.searchInput>>();
    expectTypeOf<Plain<client.SearchAnswer>>().toEqualTypeOf<Out<typeof search.searchAnswer>>();
    expectTypeOf<Plain<Omit<client.SearchUnavailable, "results">>>().toEqualTypeOf<
      Omit<Out<typeof search.searchUnavailable>, "results">
    >();
    expectTypeOf<Plain<client.GetInput>>().toEqualTypeOf<In<typeof search.getInput>>();
    expectTypeOf<Plain<client.ReadLines>>().toEqualTypeOf<Out<typeof search.readLines>>();
    expectTypeOf<Plain<client.LinesNotFound>>().toEqualTypeOf<Out<typeof search.linesNotFound>>();
    expectTypeOf<Plain<client.MissedDocument>>().toEqualTypeOf<Out<typeof whyNot.missed>>();
  });

  test("files", () => {
    expectTypeOf<Plain<client.FilesInput>>().toEqualTypeOf<In<typeof files.filesInput>>();
    expectTypeOf<Plain<client.File>>().toEqualTypeOf<Out<typeof files.file>>();
    expectTypeOf<Plain<client.FilePage>>().toEqualTypeOf<Out<typeof files.filePage>>();
    expectTypeOf<Plain<client.ChunkPage>>().toEqualTypeOf<Out<typeof files.chunkPage>>();
    expectTypeOf<Plain<client.WrittenFiles>>().toEqualTypeOf<Out<typeof files.writtenFiles>>();
    expectTypeOf<Plain<client.OriginList>>().toEqualTypeOf<Out<typeof origins.originList>>();
  });

  test("history", () => {
    expectTypeOf<Plain<client.VersionPage>>().toEqualTypeOf<Out<typeof history.versionPage>>();
    expectTypeOf<Plain<client.DeletedFilePage>>().toEqualTypeOf<Out<typeof history.deletedPage>>();
    expectTypeOf<Plain<client.FileVersionText>>().toEqualTypeOf<Out<typeof history.versionText>>();
    expectTypeOf<Plain<client.VersionDiff>>().toEqualTypeOf<Out<typeof history.versionDiff>>();
    expectTypeOf<Plain<client.ForgottenVersions>>().toEqualTypeOf<Out<typeof history.forgottenVersions>>();
    expectTypeOf<Plain<client.ChangePage>>().toEqualTypeOf<Out<typeof history.changePage>>();
    expectTypeOf<Plain<client.SnapshotInput>>().toEqualTypeOf<In<typeof history.snapshotInput>>();
    expectTypeOf<Plain<client.SnapshotList>>().toEqualTypeOf<Out<typeof history.snapshotList>>();
    expectTypeOf<Plain<client.SnapshotDifference>>().toEqualTypeOf<Out<typeof history.difference>>();
    expectTypeOf<Plain<client.RolledBack>>().toEqualTypeOf<Out<typeof history.rolledBack>>();
    expectTypeOf<Plain<client.DeletedSnapshot>>().toEqualTypeOf<Out<typeof history.deletedSnapshot>>();
  });

  test("sessions", () => {
    expectTypeOf<Plain<client.MessageInput>>().toEqualTypeOf<In<typeof sessions.messageInput>>();
    expectTypeOf<Plain<Omit<client.AppendInput, "session">>>().toEqualTypeOf<In<typeof sessions.appendInput>>();
    expectTypeOf<Plain<client.AppendedMessages>>().toEqualTypeOf<Out<typeof sessions.appendedMessages>>();
    expectTypeOf<Plain<client.SessionPage>>().toEqualTypeOf<Out<typeof sessions.sessionList>>();
    expectTypeOf<Plain<client.Session>>().toEqualTypeOf<Out<typeof sessions.session>>();
    expectTypeOf<Plain<client.DeletedSession>>().toEqualTypeOf<Out<typeof sessions.deletedSession>>();
  });

  test("facts", () => {
    expectTypeOf<Plain<client.Fact>>().toEqualTypeOf<Out<typeof facts.fact>>();
    expectTypeOf<Plain<client.FactInput>>().toEqualTypeOf<In<typeof facts.factInput>>();
    expectTypeOf<Plain<client.FactChange>>().toEqualTypeOf<In<typeof facts.factChange>>();
    expectTypeOf<Plain<client.StoredFacts>>().toEqualTypeOf<Out<typeof facts.storedFacts>>();
    expectTypeOf<Plain<client.ChangedFact>>().toEqualTypeOf<Out<typeof facts.changedFact>>();
    expectTypeOf<Plain<client.FactSearch>>().toEqualTypeOf<In<typeof facts.factSearch>>();
    expectTypeOf<Plain<client.FoundFacts>>().toEqualTypeOf<Out<typeof facts.foundFacts>>();
    expectTypeOf<Plain<client.FactPage>>().toEqualTypeOf<Out<typeof facts.factPage>>();
    expectTypeOf<Plain<client.FactHistory>>().toEqualTypeOf<Out<typeof facts.factHistory>>();
    expectTypeOf<Plain<client.RecallInput>>().toEqualTypeOf<In<typeof facts.recallInput>>();
    expectTypeOf<Plain<client.Recalled>>().toEqualTypeOf<Out<typeof facts.recalled>>();
    expectTypeOf<Plain<client.CaptureInput>>().toEqualTypeOf<In<typeof facts.captureInput>>();
    expectTypeOf<Plain<client.Captured>>().toEqualTypeOf<Out<typeof facts.captured>>();
  });

  test("agents, keys, tenants, jobs and errors", () => {
    expectTypeOf<Plain<client.Agent>>().toEqualTypeOf<Out<typeof agents.agent>>();
    expectTypeOf<Plain<client.ChangedAgent>>().toEqualTypeOf<Out<typeof agents.changedAgent>>();
    expectTypeOf<Plain<client.AgentStatus>>().toEqualTypeOf<Out<typeof agents.agentStatusBody>>();
    expectTypeOf<Plain<client.IngestStatus>>().toEqualTypeOf<Out<typeof ingest.ingestStatus>>();
    expectTypeOf<Plain<client.IngestedText>>().toEqualTypeOf<Out<typeof ingest.ingestedText>>();
    expectTypeOf<Plain<client.ApiKey>>().toEqualTypeOf<Out<typeof administration.apiKey>>();
    expectTypeOf<Plain<client.KeyInUse>>().toEqualTypeOf<Out<typeof administration.keyInUse>>();
    expectTypeOf<Plain<client.Tenant>>().toEqualTypeOf<Out<typeof administration.tenant>>();
    expectTypeOf<Plain<client.Job>>().toEqualTypeOf<Out<typeof administration.job>>();
    expectTypeOf<Plain<client.ErasureReceipt>>().toEqualTypeOf<Out<typeof administration.receipt>>();
    expectTypeOf<Plain<client.ActivityPage>>().toEqualTypeOf<Out<typeof agents.activityPage>>();
    expectTypeOf<Plain<client.Branch>>().toEqualTypeOf<Out<typeof links.branch>>();
    expectTypeOf<Plain<client.BranchInput>>().toEqualTypeOf<In<typeof links.newBranch>>();
    expectTypeOf<Plain<client.AgentDiff>>().toEqualTypeOf<Out<typeof links.agentDiff>>();
    expectTypeOf<Plain<client.MergeInput>>().toEqualTypeOf<In<typeof links.mergeInput>>();
    expectTypeOf<Plain<client.MergedBranch>>().toEqualTypeOf<Out<typeof links.mergedBranch>>();
    expectTypeOf<Plain<client.ShareTerms>>().toEqualTypeOf<In<typeof links.shareTerms>>();
    expectTypeOf<Plain<client.Share>>().toEqualTypeOf<Out<typeof links.share>>();
    expectTypeOf<Plain<client.ShareList>>().toEqualTypeOf<Out<typeof links.shareList>>();
    expectTypeOf<Plain<client.WithdrawnShare>>().toEqualTypeOf<Out<typeof links.withdrawnShare>>();
    expectTypeOf<Plain<client.LeftShare>>().toEqualTypeOf<Out<typeof links.leftShare>>();
    expectTypeOf<Plain<client.Growth>>().toEqualTypeOf<Out<typeof agents.growth>>();
    expectTypeOf<Plain<client.ImportedAgent>>().toEqualTypeOf<Out<typeof administration.imported>>();
    expectTypeOf<Plain<client.AuditPage>>().toEqualTypeOf<Out<typeof administration.auditPage>>();
    expectTypeOf<Plain<client.EmbeddingUsage>>().toEqualTypeOf<Out<typeof administration.embeddingUsage>>();
    expectTypeOf<Plain<client.Findings>>().toEqualTypeOf<Out<typeof administration.findings>>();
    expectTypeOf<Plain<client.Bindings>>().toEqualTypeOf<Out<typeof administration.allBindings>>();
    expectTypeOf<Plain<client.Destination>>().toEqualTypeOf<Out<typeof administration.destination>>();
    expectTypeOf<Plain<client.Problem>>().toEqualTypeOf<Out<typeof errors.errorBody>>();
    expectTypeOf<client.ErrorCode>().toEqualTypeOf<ErrorCode>();
  });
});

test("what an outage has in common with an answer needs no distinction", () => {
  type Found = Awaited<ReturnType<client.AgentClient["search"]>>;
  expectTypeOf<Found["results"]>().toEqualTypeOf<client.SearchHit[]>();
  expectTypeOf<Found["warning"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Extract<Found, { unavailable: true }>["action"]>().toEqualTypeOf<string>();
  expectTypeOf<Exclude<Found, { unavailable: true }>["mode"]>().toEqualTypeOf<client.SearchMode>();
  expectTypeOf<Awaited<ReturnType<client.AgentClient["get"]>>["text"]>().toEqualTypeOf<string>();
});
