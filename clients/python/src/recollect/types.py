"""The API's shapes, as its OpenAPI document has them. Made by `npm run python`: never changed by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, final


Category = Literal["preference", "fact", "decision", "entity", "technical", "other"]


class SearchHitFact(TypedDict):
    id: str
    category: Category
    since: str
    confirmed: NotRequired[str]
    replaced: NotRequired[str]


SearchHitSessionMessages = TypedDict(
    "SearchHitSessionMessages",
    {
        "from": "int",
        "to": "int",
    },
)


SearchHitSession = TypedDict(
    "SearchHitSession",
    {
        "key": "str",
        "messages": "SearchHitSessionMessages",
        "roles": "list[str]",
        "from": "str",
        "to": "str",
    },
)


class SearchHitExplainKeyword(TypedDict):
    rank: int
    score: float


class SearchHitExplain(TypedDict):
    keyword: NotRequired[SearchHitExplainKeyword]
    vector: NotRequired[SearchHitExplainKeyword]
    textScore: NotRequired[float]
    vectorScore: NotRequired[float]
    evidence: float
    fusedScore: float
    decay: float
    importance: NotRequired[float]
    named: bool
    rerankScore: NotRequired[float]
    rankedAt: int
    joined: bool


class SearchHit(TypedDict):
    path: str
    startLine: int
    endLine: int
    page: NotRequired[int]
    endPage: NotRequired[int]
    score: float
    vectorScore: NotRequired[float]
    textScore: NotRequired[float]
    snippet: str
    text: NotRequired[str]
    source: Literal["memory", "sessions", "facts"]
    sharedBy: NotRequired[str]
    citation: NotRequired[str]
    version: NotRequired[str]
    fact: NotRequired[SearchHitFact]
    session: NotRequired[SearchHitSession]
    explain: NotRequired[SearchHitExplain]


SearchAnswerFallback = TypedDict(
    "SearchAnswerFallback",
    {
        "from": "str",
    },
)


class SearchAnswerDebugFusionBackgroundCosines(TypedDict):
    mean: float
    deviation: float


class SearchAnswerDebugFusionBackground(TypedDict):
    chunks: int
    wanted: float
    cosines: NotRequired[SearchAnswerDebugFusionBackgroundCosines]


class SearchAnswerDebugFusion(TypedDict):
    mode: str
    rule: str
    vectorWeight: float
    textWeight: float
    background: NotRequired[SearchAnswerDebugFusionBackground]


class SearchAnswerDebugArmsKeyword(TypedDict):
    path: str
    startLine: int
    endLine: int
    score: float


class SearchAnswerDebugArms(TypedDict):
    keyword: list[SearchAnswerDebugArmsKeyword]
    vector: list[SearchAnswerDebugArmsKeyword]


class SearchAnswerDebugLeftOut(TypedDict):
    path: str
    startLine: int
    endLine: int
    stage: Literal["floor"]
    score: float


class SearchAnswerDebug(TypedDict):
    fusion: SearchAnswerDebugFusion
    minScore: Literal["auto", "recall"] | float
    limit: int
    arms: SearchAnswerDebugArms
    leftOut: list[SearchAnswerDebugLeftOut]


@final
class SearchAnswer(TypedDict):
    results: list[SearchHit]
    provider: str
    model: str
    fallback: NotRequired[SearchAnswerFallback]
    citations: Literal["auto", "on", "off"]
    mode: Literal["hybrid", "keyword", "vector"]
    warning: NotRequired[str]
    note: NotRequired[str]
    debug: NotRequired[SearchAnswerDebug]


@final
class SearchUnavailable(TypedDict):
    results: list[SearchHit]
    disabled: Literal[True]
    unavailable: Literal[True]
    error: str
    warning: str
    action: str


ReadLines = TypedDict(
    "ReadLines",
    {
        "text": "str",
        "path": "str",
        "sharedBy": "NotRequired[str]",
        "from": "int",
        "lines": "int",
        "page": "NotRequired[int]",
        "endPage": "NotRequired[int]",
        "truncated": "NotRequired[Literal[True]]",
        "nextFrom": "NotRequired[int]",
    },
)


@final
class LinesNotFound(TypedDict):
    status: Literal["not_found"]
    text: Literal[""]
    path: str


class ActivityEntry(TypedDict):
    id: str
    at: str
    actor: str
    "A key's prefix, ``local`` (no key) or ``system``"
    keyName: str | None
    "Null when the key is deleted or belongs to another tenant"
    kind: Literal["search", "recall", "capture"]
    times: int
    "How often the same happened within a few seconds"
    hits: int
    "Hits, facts and quotations recalled, or facts stored, in all"


class ActivityPage(TypedDict):
    activity: list[ActivityEntry]
    nextCursor: NotRequired[str]


class AgentDiffFiles(TypedDict):
    path: str
    here: Literal["none", "added", "changed", "deleted"]
    "The agent's change"
    there: Literal["none", "added", "changed", "deleted"]
    "The other agent's change"
    conflict: bool


class AgentDiffFacts(TypedDict):
    text: str
    key: str | None
    here: Literal["none", "added", "changed", "deleted"]
    "The agent's change"
    there: Literal["none", "added", "changed", "deleted"]
    "The other agent's change"
    conflict: bool


class AgentDiffCounts(TypedDict):
    files: int
    facts: int


class AgentDiff(TypedDict):
    agentId: str
    otherId: str
    since: str | None
    "When one agent was made as a branch of the other; null: neither was"
    files: list[AgentDiffFiles]
    facts: list[AgentDiffFacts]
    "Facts of the same key and scope, or of the same text, are one entry; ``text`` is the latest fact"
    counts: AgentDiffCounts


class AgentStatusFallback(TypedDict):
    provider: str
    inUse: bool


class AgentStatusKeyword(TypedDict):
    ready: bool
    language: str
    "The language in which texts are stemmed, or ``auto``"
    languages: list[str]
    "The languages of the texts, most frequent first"
    statisticsAt: str | None


class AgentStatusVector(TypedDict):
    ready: bool
    index: Literal["none", "exact", "hnsw"]
    unread: list[str]
    "Scripts that the model cannot read; only keyword search finds texts in them"
    problem: NotRequired[str]
    "Why questions get no vector"


class AgentStatusExtraPaths(TypedDict):
    path: str
    pattern: NotRequired[str]
    files: int
    skipped: int
    failed: int
    lastSyncAt: str | None
    error: NotRequired[str]


class ReindexProgress(TypedDict):
    indexed: int
    total: int


class Reindex(TypedDict):
    state: Literal["none", "building", "due"]
    provider: NotRequired[str]
    model: NotRequired[str]
    files: NotRequired[ReindexProgress]
    facts: NotRequired[ReindexProgress]
    sessions: NotRequired[ReindexProgress]
    pendingEmbeddings: NotRequired[int]
    startedAt: NotRequired[str]


class AgentStatusJobs(TypedDict):
    waiting: int
    active: int
    failed: int


class AgentStatus(TypedDict):
    agentId: str
    backend: Literal["postgres", "pglite"]
    provider: str
    model: str
    dimensions: int | None
    fallback: AgentStatusFallback | None
    "The provider of the setting ``fallback``, and whether the index uses it"
    files: int
    sessions: int
    messages: int
    unindexedMessages: int
    facts: int
    "Ended facts included"
    chunks: int
    pendingEmbeddings: int
    "Chunks that only keyword search finds until a job has embedded them"
    rejectedChunks: int
    "Chunks that the provider refuses; only keyword search finds them"
    keyword: AgentStatusKeyword
    vector: AgentStatusVector
    dirty: bool
    "Whether an embedding or the indexing of a session is pending"
    lastChangeAt: str | None
    lastSyncAt: str | None
    "When the last sync of conversations and folders of the server ended"
    extraPaths: list[AgentStatusExtraPaths]
    reindex: Reindex
    jobs: dict[str, AgentStatusJobs]
    workerAlive: bool
    "False: jobs wait, and no worker runs them"


class CapturedFacts(TypedDict):
    id: NotRequired[str]
    status: NotRequired[Literal["stored", "duplicate"]]
    text: str
    category: Category
    key: NotRequired[str]
    trigger: str
    "The rule that matched"
    superseded: list[str]


class Captured(TypedDict):
    facts: list[CapturedFacts]
    stored: int
    duplicates: int
    superseded: int
    warnings: list[str]


class AppendedMessages(TypedDict):
    session: str
    key: str
    "The whole key, ``agent:{agentId}:{session}``"
    path: str
    "Where ``memory_get`` reads the session as a transcript"
    appended: int
    duplicates: int
    "Messages with a known id, which were not stored again"
    expired: int
    "Messages older than ``sync.sessions.retentionDays``, which were not stored"
    lastMessage: int
    "The number of the session's last message"
    unindexedMessages: int
    "Messages of the session that no search finds yet"
    indexing: Literal["done", "queued", "off"]
    "``done``: the next search finds the messages. ``queued``: a sync indexes them. ``off``: the agent does not search sessions"
    captured: NotRequired[Captured]


class Branch(TypedDict):
    agentId: str
    origin: str | None
    "null: the origin was erased"
    state: Literal["copying", "ready"]
    branchedAt: str | None
    "The moment of the origin that it has"
    copied: int
    "How many of the ``total`` rows are copied"
    total: int


class Change(TypedDict):
    at: str
    kind: str
    "``file.created``, ``file.changed``, ``file.deleted``, ``fact.stored``, ``fact.superseded``, ``fact.updated``, ``fact.forgotten``, ``fact.expired``, by a merge ``fact.merged``, by a rollback ``fact.restored``, by either ``fact.withdrawn``"
    path: str
    "The file's path; for a fact ``facts/{id}``"
    by: str | None
    version: NotRequired[str]
    "The version that keeps the file's text of that time, once another text has replaced it"
    hash: NotRequired[str]


class ChangePage(TypedDict):
    changes: list[Change]
    cursor: str
    "The cursor for later changes, to be used now or later"
    more: bool
    "Whether there are already more changes"


class AgentLimits(TypedDict):
    files: NotRequired[int]
    bytes: NotRequired[int]
    chunks: NotRequired[int]
    facts: NotRequired[int]
    agents: NotRequired[int]


class AgentUsage(TypedDict):
    files: int
    bytes: int
    chunks: int
    facts: int
    historyBytes: int
    "Bytes of earlier versions of files; ``bytes`` does not count them"


class Agent(TypedDict):
    id: str
    name: str
    status: Literal["active", "disabled", "creating", "importing"]
    settings: dict[str, Any]
    limits: AgentLimits
    usage: AgentUsage
    schemaVersion: int
    createdAt: str


class ChangedAgent(Agent):
    warnings: NotRequired[list[str]]
    "Settings of an OpenClaw configuration that have no effect, and why"


class ChangedFact(TypedDict):
    id: str
    status: Literal["updated", "stored", "duplicate"]
    superseded: list[str]


class ChunkBorders(TypedDict):
    startLine: int
    endLine: int
    heading: str
    "The headings that the chunk is indexed under"
    messages: NotRequired[SearchHitSessionMessages]
    "The first and the last message of the chunk, if it is of a conversation"
    embedded: bool | None
    "Null in an index without vectors"


class ChunkPage(TypedDict):
    chunks: list[ChunkBorders]
    nextCursor: NotRequired[str]


class FileVersion(TypedDict):
    version: str
    "The version's number, with which it is read and restored"
    path: str
    hash: str
    size: int
    lines: int
    mtime: str
    origin: str | None
    writtenAt: str
    writtenBy: str | None
    "A key's prefix, ``local`` or ``system``; then the way in: ``tool:memory``, ``job:sync``, ``restore``"
    endedAt: str
    "When another text replaced this version, or the file was deleted"
    endedBy: str
    "A key's prefix, ``local`` or ``system``; then the way in: ``tool:memory``, ``job:sync``, ``restore``"
    deleted: bool
    "Whether the version ended because the file was deleted"


class DeletedFilePage(TypedDict):
    versions: list[FileVersion]
    nextCursor: NotRequired[str]


class DeletedSession(TypedDict):
    session: str
    messages: int
    chunks: int


class DeletedSnapshot(TypedDict):
    deleted: str


class ErasureReceipt(TypedDict):
    id: str
    agentId: str
    erasedAt: str
    actor: str
    counts: dict[str, float]
    pathHashes: list[str]
    "SHA-256 of paths, lower-case hex, in the order of the hashes; the answer to an erasure has the first 1,000. ``counts.files`` is the number of all paths"
    nextCursor: NotRequired[str]
    "Cursor for the next page of hashes, at ``GET /v1/erasures/{receiptId}``"


class Scope(TypedDict):
    user: NotRequired[str]
    "The user it is about, by your name or id for them"
    agent: NotRequired[str]
    "The agent it is for"
    session: NotRequired[str]
    "The conversation it is for"


class FactSourceInputCall(TypedDict):
    kind: Literal["call"]
    note: NotRequired[str]


class FactSourceInputMessage(TypedDict):
    kind: Literal["message"]
    session: str
    message: NotRequired[int]


class FactSourceInputFile(TypedDict):
    kind: Literal["file"]
    path: str
    startLine: NotRequired[int]
    endLine: NotRequired[int]


FactSourceInput = FactSourceInputCall | FactSourceInputMessage | FactSourceInputFile


DecayClass = Literal["permanent", "stable", "active", "session", "transient"]


class FactInput(TypedDict):
    text: str
    "The statement: one self-contained sentence, with names instead of pronouns"
    key: NotRequired[str]
    "The subject of the fact, such as user.name; the next fact with the same key replaces this one"
    category: NotRequired[Category]
    "Kind of statement; default: fact"
    importance: NotRequired[float]
    "How much it matters, 0 to 1; default: 0.5"
    scope: NotRequired[Scope]
    "Whom and what it is for; a missing part means everybody"
    tags: NotRequired[list[str]]
    "Words to find it by later, such as the name of a project"
    source: NotRequired[FactSourceInput]
    "Where it comes from"
    decayClass: NotRequired[DecayClass]
    "How fast it loses weight"
    validFrom: NotRequired[str]
    "Since when it holds, as an ISO 8601 time; now unless you say otherwise"
    expiresAt: NotRequired[str]
    "Until when it holds, as an ISO 8601 time; absent: no known end"
    supersedes: NotRequired[list[str]]
    "Ids of the facts that this one replaces"


class FactSourceCall(TypedDict):
    kind: Literal["call"]
    by: str
    note: NotRequired[str]


class FactSourceMessage(TypedDict):
    kind: Literal["message"]
    by: str
    session: str
    message: NotRequired[int]


class FactSourceFile(TypedDict):
    kind: Literal["file"]
    by: str
    path: str
    startLine: NotRequired[int]
    endLine: NotRequired[int]


class Fact(TypedDict):
    id: str
    text: str
    key: NotRequired[str]
    category: Category
    importance: float
    scope: Scope
    tags: list[str]
    source: FactSourceCall | FactSourceMessage | FactSourceFile
    decayClass: DecayClass
    validFrom: str
    validTo: NotRequired[str]
    supersededBy: NotRequired[str]
    endedBy: NotRequired[Literal["key", "supersede", "update"]]
    expiresAt: NotRequired[str]
    createdAt: str
    updatedAt: str
    confirmedAt: str


class FactPage(TypedDict):
    facts: list[Fact]
    nextCursor: NotRequired[str]


class FileSummaryOriginal(TypedDict):
    hash: str
    "SHA-256 of the document's bytes, in hex"
    type: str
    size: int
    pages: NotRequired[int]


class FileSummary(TypedDict):
    path: str
    hash: str
    size: int
    lines: int
    mtime: str
    origin: str | None
    "The synced folder that sent the current content"
    original: FileSummaryOriginal | None
    "The document that the content was read from"


class File(FileSummary):
    content: str


class ListedFile(FileSummary):
    chunks: int


class FilePage(TypedDict):
    files: list[ListedFile]
    folders: NotRequired[list[str]]
    "With a delimiter: the folders that directly follow the prefix, with their slash"
    nextCursor: NotRequired[str]


class FileVersionText(TypedDict):
    version: str
    "The version's number, with which it is read and restored"
    path: str
    hash: str
    size: int
    lines: int
    mtime: str
    origin: str | None
    writtenAt: str
    writtenBy: str | None
    "A key's prefix, ``local`` or ``system``; then the way in: ``tool:memory``, ``job:sync``, ``restore``"
    endedAt: str
    "When another text replaced this version, or the file was deleted"
    endedBy: str
    "A key's prefix, ``local`` or ``system``; then the way in: ``tool:memory``, ``job:sync``, ``restore``"
    deleted: bool
    "Whether the version ended because the file was deleted"
    content: str


class FileInput(TypedDict):
    content: str
    mtime: NotRequired[str]
    "When the file was last changed, by its author's file system; default: the time of the request"


class NamedFile(FileInput):
    path: str


class FilesInput(TypedDict):
    put: NotRequired[list[NamedFile]]
    delete: NotRequired[list[str]]
    origin: NotRequired[str]
    "The source that the files are synced from, such as a folder. It becomes the origin of each file that is written"
    takeOver: NotRequired[bool]
    "Also replace files of other origins, or of none. Deletions stay limited to the origin's own files"


class ForgottenVersions(TypedDict):
    path: str
    versions: int


class FactHit(TypedDict):
    id: str
    text: str
    key: NotRequired[str]
    category: Category
    importance: float
    scope: Scope
    tags: list[str]
    source: FactSourceCall | FactSourceMessage | FactSourceFile
    decayClass: DecayClass
    validFrom: str
    validTo: NotRequired[str]
    supersededBy: NotRequired[str]
    endedBy: NotRequired[Literal["key", "supersede", "update"]]
    expiresAt: NotRequired[str]
    createdAt: str
    updatedAt: str
    confirmedAt: str
    score: float
    vectorScore: NotRequired[float]
    textScore: NotRequired[float]


class FoundFactsFacts(FactHit):
    explain: NotRequired[SearchHitExplain]


class FoundFactsDebugLeftOut(TypedDict):
    path: str
    startLine: int
    endLine: int
    stage: Literal["duplicate"]
    of: str


class FoundFactsDebug(TypedDict):
    fusion: SearchAnswerDebugFusion
    minScore: Literal["auto", "recall"] | float
    limit: int
    arms: SearchAnswerDebugArms
    leftOut: list[SearchAnswerDebugLeftOut | FoundFactsDebugLeftOut]


class FoundFacts(TypedDict):
    facts: list[FoundFactsFacts]
    mode: Literal["hybrid", "keyword", "vector"]
    warning: NotRequired[str]
    debug: NotRequired[FoundFactsDebug]


class GrowthBefore(TypedDict):
    files: int
    messages: int
    facts: int
    chunks: int


class GrowthDays(TypedDict):
    files: int
    messages: int
    facts: int
    chunks: int
    day: str


Growth = TypedDict(
    "Growth",
    {
        "from": "str",
        "to": "str",
        "before": "GrowthBefore",
        "days": "list[GrowthDays]",
    },
)


class IngestError(TypedDict):
    code: str
    message: str


class IngestFound(TypedDict):
    path: str
    startLine: int
    text: str
    importance: float


class Ingest(TypedDict):
    state: Literal["none", "running", "done", "failed"]
    paths: NotRequired[list[str]]
    dryRun: NotRequired[bool]
    error: NotRequired[IngestError | None]
    filesTotal: NotRequired[int | None]
    filesDone: NotRequired[int]
    filesSkipped: NotRequired[int]
    piecesDone: NotRequired[int]
    piecesKnown: NotRequired[int]
    "Pieces that an earlier run has done; the model is not asked again"
    piecesRefused: NotRequired[int]
    "Pieces that the model refused"
    stored: NotRequired[int]
    duplicates: NotRequired[int]
    dropped: NotRequired[int]
    "Lines of the model's answers that are no facts"
    found: NotRequired[list[IngestFound]]
    "The facts of a dry run, at most 500"
    startedAt: NotRequired[str]
    endedAt: NotRequired[str | None]


class KeyInUseOwnTenant(TypedDict):
    id: str
    name: str


class KeyInUse(TypedDict):
    tenantId: str
    "The tenant in which the request acts"
    tenantName: str
    ownTenant: KeyInUseOwnTenant
    "The key's own tenant; an operator's key may act in another tenant"
    keyName: str | None
    "null: the request has no key"
    scopes: list[str]
    agentId: str | None
    "The agent that the key is bound to; null: every agent"


class LeftShare(TypedDict):
    left: Literal[True]


class MergedBranch(TypedDict):
    agentId: str
    into: str
    merged: bool
    files: list[AgentDiffFiles]
    facts: list[AgentDiffFacts]
    "Facts of the same key and scope, or of the same text, are one entry; ``text`` is the latest fact"
    conflicts: int


class MessageInput(TypedDict):
    id: NotRequired[str | None]
    "The sender's id: a message with a known id is not stored again"
    role: NotRequired[Literal["user", "human", "assistant", "ai", "bot", "model", "system", "developer", "tool", "function"]]
    "``developer`` is stored as ``system``, ``function`` as ``tool``; items of OpenAI's Responses may have none"
    type: NotRequired[str | None]
    name: NotRequired[str | None]
    "The speaker's name"
    text: NotRequired[str | None]
    content: NotRequired[str | list[Any] | dict[str, Any] | None]
    "A text, or parts as in chat APIs; parts other than text are named, as in ``[image]``"
    parts: NotRequired[list[Any] | None]
    "The same as ``content``, under the name of Gemini and of Vercel's AI SDK"
    at: NotRequired[str]
    timestamp: NotRequired[Any]
    "The time of the message, under the name of another API; an invalid time is ignored"
    createdAt: NotRequired[Any]
    "The time of the message, under the name of another API; an invalid time is ignored"
    created_at: NotRequired[Any]
    "The time of the message, under the name of another API; an invalid time is ignored"
    tool_calls: NotRequired[Any]
    "Shown in the text, as ``[tool call: search]``"
    toolInvocations: NotRequired[Any]
    "Shown in the text, as ``[tool call: search]``"
    function_call: NotRequired[Any]
    "Shown in the text, as ``[tool call: search]``"
    tool_call_id: NotRequired[Any]
    call_id: NotRequired[Any]
    arguments: NotRequired[Any]
    output: NotRequired[Any]
    refusal: NotRequired[Any]
    audio: NotRequired[Any]


class OriginListOrigins(TypedDict):
    origin: str
    files: int


class OriginList(TypedDict):
    origins: list[OriginListOrigins]


class RecalledFacts(Fact):
    score: float
    distance: NotRequired[float]
    "1 minus the cosine; absent without an embedding"


class RecalledQuotes(TypedDict):
    path: str
    startLine: int
    endLine: int
    source: Literal["memory", "sessions", "facts"]
    score: float
    text: str
    citation: str
    at: NotRequired[str]


class Recalled(TypedDict):
    facts: list[RecalledFacts]
    quotes: list[RecalledQuotes]
    block: str
    "Facts, then quotes, as a text for the prompt; empty if nothing is recalled"
    shown: int
    "How many of the facts are in the block"
    shownQuotes: int
    "How many of the quotes are in the block"
    mode: Literal["hybrid", "keyword", "vector"]
    warning: NotRequired[str]


class RolledBackFiles(TypedDict):
    added: list[str]
    "Paths that the snapshot does not have; at most 1,000 of each kind"
    changed: list[str]
    removed: list[str]
    lost: list[str]
    "Paths that changed since the snapshot and that a rollback leaves as they are: the former text was forgotten, or the path belongs to a shared memory"
    total: int


class RolledBackFacts(TypedDict):
    added: list[str]
    changed: list[str]
    removed: list[str]
    total: int


class RolledBack(TypedDict):
    files: RolledBackFiles
    facts: RolledBackFacts
    undo: str
    "A snapshot of the state before the rollback, to undo it"


class SessionSummary(TypedDict):
    session: str
    key: str
    path: str
    scope: Scope
    "Whom the conversation is for; empty: the whole agent"
    messages: int
    bytes: int
    lines: int
    startedAt: str
    lastMessageAt: str
    unindexedMessages: int


class Message(TypedDict):
    number: int
    id: NotRequired[str]
    role: Literal["user", "assistant", "system", "tool"]
    name: NotRequired[str]
    text: str
    at: str
    startLine: int
    endLine: int


class Session(TypedDict):
    session: SessionSummary
    lastMessageId: str | None
    messages: list[Message]
    nextAfter: NotRequired[int]


class SessionPage(TypedDict):
    sessions: list[SessionSummary]
    nextCursor: NotRequired[str]


class Share(TypedDict):
    agentId: str
    "The agent on the other side"
    folders: list[str]
    "Empty: the whole memory"
    sessions: bool
    offeredAt: str
    takenAt: str | None
    "null: the offer is not accepted"


class ShareList(TypedDict):
    shares: list[Share]


class Snapshot(TypedDict):
    name: str
    takenAt: str
    takenBy: str
    expiresAt: str | None
    "When the snapshot is deleted; null: only on request"
    files: int
    bytes: int
    facts: int


class SnapshotDifference(TypedDict):
    files: RolledBackFiles
    facts: RolledBackFacts


class SnapshotList(TypedDict):
    snapshots: list[Snapshot]


class TenantLimits(TypedDict):
    files: NotRequired[int]
    bytes: NotRequired[int]
    chunks: NotRequired[int]
    facts: NotRequired[int]
    agents: NotRequired[int]
    requestsPerMinute: NotRequired[int]
    "Limit for all keys of the tenant together"


class Tenant(TypedDict):
    id: str
    name: str
    settings: dict[str, Any]
    limits: TenantLimits
    disabled: bool
    createdAt: str


VersionDiff = TypedDict(
    "VersionDiff",
    {
        "path": "str",
        "from": "str",
        "to": "str | None",
        "diff": "str",
        "exact": "bool",
    },
)


class CurrentVersion(TypedDict):
    hash: str
    size: int
    lines: int
    writtenAt: str
    writtenBy: str | None
    "Null for a file written before Recollect recorded the writer"


class VersionPage(TypedDict):
    path: str
    current: CurrentVersion | None
    versions: list[FileVersion]
    nextCursor: NotRequired[str]


class WithdrawnShare(TypedDict):
    withdrawn: Literal[True]


class WrittenFile(TypedDict):
    path: str
    hash: str
    status: Literal["created", "updated", "unchanged"]
    chunks: int
    pendingEmbeddings: int
    "Chunks that only keyword search finds until a job has embedded them"


class WrittenFiles(TypedDict):
    files: list[WrittenFile]
    deleted: list[str]


class AgentPage(TypedDict):
    agents: list[Agent]
    nextCursor: NotRequired[str]


class AgentSettings(TypedDict):
    settings: dict[str, Any]
    origins: dict[str, str]
    own: dict[str, Any]
    descriptions: dict[str, str]
    "What each setting does, by dotted path"


class Queued(TypedDict):
    queued: Literal[True]


class StoredFact(TypedDict):
    id: str
    status: Literal["stored", "duplicate"]
    superseded: list[str]


class StoredFacts(TypedDict):
    facts: list[StoredFact]


class ForgottenFacts(TypedDict):
    forgotten: list[str]


class FactHistory(TypedDict):
    facts: list[Fact]


class DeletedFiles(TypedDict):
    deleted: list[str]


class IngestedText(TypedDict):
    pieces: int
    next: NotRequired[int]
    known: int
    asked: int
    refused: int
    stored: int
    duplicates: int
    dropped: int
    facts: list[IngestFound]


class ToolDefinitions(TypedDict):
    format: Literal["openai", "anthropic", "mcp", "gemini"]
    tools: list[dict[str, Any]]
    prompt: str
    "The section ``Memory Recall`` for the system prompt"
