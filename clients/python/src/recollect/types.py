"""The API's shapes, as its OpenAPI document has them. Made by `npm run python`: never changed by hand."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, final


Category = Literal["preference", "instruction", "fact", "decision", "entity", "technical", "other"]


class SearchHitFact(TypedDict):
    id: str
    user: NotRequired[str]
    "The user of the fact's scope, if the search has no scope"
    subject: NotRequired[str]
    "The person or thing that the fact is about"
    category: Category
    since: str
    confirmed: NotRequired[str]
    replaced: NotRequired[str]
    "The text that this fact replaced"
    originClass: NotRequired[Literal["owner", "agent", "untrusted", "system"]]
    "The class of the message whose words the fact has; absent if no class is known"


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
        "originClass": "NotRequired[Literal[\"owner\", \"agent\", \"untrusted\", \"system\"]]",
        "from": "str",
        "to": "str",
        "days": "NotRequired[list[str]]",
    },
)


class ArmPlace(TypedDict):
    rank: int
    score: float


class HitExplanation(TypedDict):
    keyword: NotRequired[ArmPlace]
    vector: NotRequired[ArmPlace]
    textScore: NotRequired[float]
    "The BM25 score as a share of the best one, in the form that was fused"
    vectorScore: NotRequired[float]
    "The cosine, in the form that was fused"
    evidence: float
    "The evidence for the hit, as a multiple of the evidence by chance"
    fusedScore: float
    decay: float
    "The factor of temporal decay"
    importance: NotRequired[float]
    "The factor of a fact's importance"
    named: bool
    "Whether the hit is first because the query names its file"
    nearest: NotRequired[Literal[True]]
    "The hit was lifted because it is one of the nearest by meaning, and has the score of a hit below it"
    rerankScore: NotRequired[float]
    rankedAt: int
    "The rank among all candidates, before reranking, MMR and the joining of neighbours"
    joined: bool
    "Whether the hit joins several chunks"


class SearchHit(TypedDict):
    path: str
    "The path for ``memory_get``: a file's path, ``sessions/<key>`` or ``facts/<id>``"
    startLine: int
    endLine: int
    page: NotRequired[int]
    "In a document with pages, the page on which the passage begins"
    endPage: NotRequired[int]
    "The page on which the passage ends, if it is another"
    score: float
    "0 to 1; 0.5 is as likely an answer as not"
    vectorScore: NotRequired[float]
    textScore: NotRequired[float]
    snippet: str
    "The lines that bear on the question; if they are messages of several days, a line such as ``[2026-05-18]`` stands before the messages of each day"
    text: NotRequired[str]
    "The whole text, if ``includeText`` was set"
    source: Literal["memory", "sessions", "facts"]
    "Files (``memory``), conversations (``sessions``) or ``facts``"
    sharedBy: NotRequired[str]
    "The agent that shares the memory, if it is another's; ``path`` then begins with ``@`` and its id"
    date: str
    "When it was said or written: the day that a file is about (YYYY-MM-DD), or else the time of its last change, of the last message that is shown, or since which the fact holds (ISO 8601)"
    citation: NotRequired[str]
    "``path#L1-L4``, if the agent's settings ask for citations"
    olderThan: NotRequired[str]
    "``path#L1-L4`` of a newer passage that answers the same question with another value"
    version: NotRequired[str]
    "The version of the file that has this text, if the search had ``asOf`` and the text has changed since"
    fact: NotRequired[SearchHitFact]
    session: NotRequired[SearchHitSession]
    explain: NotRequired[HitExplanation]


SearchAnswerFallback = TypedDict(
    "SearchAnswerFallback",
    {
        "from": "str",
    },
)


class SearchDebugFusionBackgroundCosines(TypedDict):
    mean: float
    deviation: float


class SearchDebugFusionBackground(TypedDict):
    chunks: int
    wanted: float
    cosines: NotRequired[SearchDebugFusionBackgroundCosines]


class SearchDebugFusion(TypedDict):
    mode: str
    rule: str
    vectorWeight: float
    textWeight: float
    background: NotRequired[SearchDebugFusionBackground]
    "The data from which the search estimates the scores that chance reaches in this index"


class ArmEntry(TypedDict):
    path: str
    startLine: int
    endLine: int
    score: float


class SearchDebugArms(TypedDict):
    keyword: list[ArmEntry]
    vector: list[ArmEntry]


class SearchDebugLeftOut(TypedDict):
    path: str
    startLine: int
    endLine: int
    stage: Literal["floor"]
    score: float


class SearchDebug(TypedDict):
    fusion: SearchDebugFusion
    minScore: Literal["auto", "recall"] | float
    limit: int
    arms: SearchDebugArms
    leftOut: list[SearchDebugLeftOut]


@final
class SearchAnswer(TypedDict):
    results: list[SearchHit]
    "Best first"
    certain: NotRequired[Literal[False]]
    "Set if no hit stands out of chance: ``results`` are only the nearest passages, with short snippets"
    provider: str
    model: str
    fallback: NotRequired[SearchAnswerFallback]
    "The configured provider, if its fallback made the index"
    citations: Literal["auto", "on", "off"]
    "The agent's setting for citations"
    mode: Literal["hybrid", "keyword", "vector"]
    "The arms that answered: by words and meaning, or only one of them"
    warning: NotRequired[str]
    "How the answer differs from the request, for example that only words were searched"
    note: NotRequired[str]
    debug: NotRequired[SearchDebug]


@final
class SearchUnavailable(TypedDict):
    results: list[SearchHit]
    "Always empty"
    disabled: Literal[True]
    unavailable: Literal[True]
    error: str
    "The reason"
    warning: str
    action: str
    "The remedy"


class ReadLinesDays(TypedDict):
    line: int
    day: str


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
        "days": "NotRequired[list[ReadLinesDays]]",
        "truncated": "NotRequired[Literal[True]]",
        "nextFrom": "NotRequired[int]",
        "nextChar": "NotRequired[int]",
        "note": "NotRequired[str]",
    },
)


@final
class LinesNotFound(TypedDict):
    status: Literal["not_found"]
    text: Literal[""]
    path: str
    note: NotRequired[str]
    "How the input was read, where it was not as the schema says, and what the answer lacks"


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
    subject: NotRequired[str]
    "The person or thing it is about, by name, such as Ana or Project Kestrel; it is found by this name"
    key: NotRequired[str]
    "The property it states, such as user.name; the next fact with the same key and subject replaces it"
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
    validTo: NotRequired[str]
    "Until when it held, as an ISO 8601 time in the past; for a statement that holds no longer"
    supersedes: NotRequired[list[str]]
    "Ids of the facts that this one replaces"


class ActivityEntry(TypedDict):
    id: str
    at: str
    actor: str
    "A key's prefix, ``local`` (no key) or ``system``"
    keyName: str | None
    "Null when the key is deleted or belongs to another tenant"
    kind: Literal["search", "recall", "capture", "read"]
    times: int
    "How often the same happened within a few seconds"
    hits: int
    "Hits, facts and quotations recalled, facts stored, or texts read, in all"
    failed: int
    "How many of them the service could not answer"
    empty: int
    "How many of them found nothing"
    ms: int | None
    "Their mean time in milliseconds; null: not measured"
    slowestMs: int | None


class ActivityPage(TypedDict):
    activity: list[ActivityEntry]
    nextCursor: NotRequired[str]


class CallSumLatency(TypedDict):
    meanMs: int
    p50Ms: int
    p95Ms: int
    slowestMs: int


class CallSum(TypedDict):
    kind: Literal["search", "recall", "capture", "read"]
    times: int
    hits: int
    failed: int
    "How many of them the service could not answer"
    empty: int
    "How many of them found nothing"
    latency: CallSumLatency | None
    "Times in milliseconds, the percentiles estimated from classes; null: none was measured"


class CallsAtATime(CallSum):
    at: str
    "The beginning of the hour or day (UTC)"


class CallsOfOne(CallSum):
    actor: NotRequired[str]
    "With ``by=actor``: a key's prefix, ``local`` or ``system``"
    keyName: NotRequired[str | None]
    agentId: NotRequired[str]
    "With ``by=agent``"


ActivitySummary = TypedDict(
    "ActivitySummary",
    {
        "from": "str",
        "to": "str",
        "per": "Literal[\"hour\", \"day\"]",
        "buckets": "list[CallsAtATime]",
        "totals": "list[CallSum]",
        "groups": "list[CallsOfOne]",
    },
)


class FileDifference(TypedDict):
    path: str
    here: Literal["none", "added", "changed", "deleted"]
    "The agent's change since both had the same content; without a common past, its content beside the other's"
    there: Literal["none", "added", "changed", "deleted"]
    "The other agent's change"
    conflict: bool
    "Whether both have changed it"


class FactDifference(TypedDict):
    text: str
    key: str | None
    here: Literal["none", "added", "changed", "deleted"]
    "The agent's change since both had the same content; without a common past, its content beside the other's"
    there: Literal["none", "added", "changed", "deleted"]
    "The other agent's change"
    conflict: bool
    "Whether both have changed it"


class AgentDiffCounts(TypedDict):
    files: int
    facts: int


class AgentDiff(TypedDict):
    agentId: str
    otherId: str
    since: str | None
    "When one agent was made as a branch of the other; null: neither was"
    files: list[FileDifference]
    facts: list[FactDifference]
    "Facts of the same key and scope, or of the same text, are one entry; ``text`` is the latest fact"
    counts: AgentDiffCounts


class Limits(TypedDict):
    files: NotRequired[int]
    bytes: NotRequired[int]
    chunks: NotRequired[int]
    facts: NotRequired[int]
    agents: NotRequired[int]


class Usage(TypedDict):
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
    "The agent's own settings; ``GET /v1/agents/{agentId}/settings`` returns the settings that apply"
    limits: Limits
    usage: Usage
    schemaVersion: int
    createdAt: str


class AgentPage(TypedDict):
    agents: list[Agent]
    nextCursor: NotRequired[str]


class SettingShape(TypedDict):
    type: Literal["switch", "integer", "number", "choice", "text", "list", "texts"]
    "``choice``: one of ``values``; ``list``: several texts; ``texts``: texts by name"
    values: NotRequired[list[str]]
    "The texts that are allowed; for a number, those that are allowed in its place"
    minimum: NotRequired[float]
    maximum: NotRequired[float]
    default: NotRequired[Any]
    newIndex: bool
    "Whether a change builds a new index"
    setBy: Literal["tenant", "operator", "file"]
    "``operator``: only with the scope ``admin``; ``file``: only in the operator's files"


class AgentSettings(TypedDict):
    settings: dict[str, Any]
    origins: dict[str, str]
    "The layer of each value, by dotted path: ``default``, ``user``, ``workspace``, ``tenant`` or ``agent``"
    own: dict[str, Any]
    "The agent's own settings"
    descriptions: dict[str, str]
    "The description of each setting, by dotted path"
    shapes: dict[str, SettingShape]
    "The values that each setting may have, by dotted path"


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


class ExtraPathStatus(TypedDict):
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
    "``due``: a new index is asked for, and its build has not begun yet"
    provider: NotRequired[str]
    model: NotRequired[str]
    files: NotRequired[ReindexProgress]
    facts: NotRequired[ReindexProgress]
    sessions: NotRequired[ReindexProgress]
    pendingEmbeddings: NotRequired[int]
    startedAt: NotRequired[str]


class JobCounts(TypedDict):
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
    embeddingProblem: NotRequired[str]
    "The last error of the job that makes the pending embeddings"
    rejectedChunks: int
    "Chunks that the provider refuses; only keyword search finds them"
    keyword: AgentStatusKeyword
    vector: AgentStatusVector
    dirty: bool
    "Whether an embedding or the indexing of a session is pending"
    settled: bool
    "Whether nothing is left to index, embed or measure. Scores and ``certain`` then stay the same until the next write"
    lastChangeAt: str | None
    lastSyncAt: str | None
    "When the last sync of conversations and folders of the server ended"
    extraPaths: list[ExtraPathStatus]
    reindex: Reindex
    jobs: dict[str, JobCounts]
    "The jobs by kind"
    workerAlive: bool
    "False: jobs wait, and no worker runs them"


class CapturedFact(TypedDict):
    id: NotRequired[str]
    "The fact's id; a dry run has no ``id`` and no ``status``"
    status: NotRequired[Literal["stored", "duplicate"]]
    text: str
    subject: NotRequired[str]
    "The speaker, or the person or thing that it is about"
    category: Category
    key: NotRequired[str]
    trigger: str
    "The rule that matched"
    superseded: list[str]


class Captured(TypedDict):
    facts: list[CapturedFact]
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
    "Messages with a known id, and the beginning of a conversation that was sent again from its start without ids; they were not stored again"
    expired: int
    "Messages older than ``sync.sessions.retentionDays``, which were not stored"
    skipped: int
    "Messages without a text, which were not stored"
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
    "While ``copying``, the branch cannot be used yet"
    branchedAt: str | None
    "The moment of the origin that it has"
    copied: int
    "How many of the ``total`` rows are copied"
    total: int


class BranchList(TypedDict):
    branches: list[Branch]


class Change(TypedDict):
    at: str
    kind: str
    "``file.created``, ``file.changed``, ``file.deleted``, ``fact.stored``, ``fact.superseded``, ``fact.updated``, ``fact.forgotten``, ``fact.expired``, by a merge ``fact.merged``, by a rollback ``fact.restored``, by either ``fact.withdrawn``; newest first also ``session.started``"
    path: str
    "The file's path; for a fact ``facts/{id}``; for a conversation its path"
    by: str | None
    version: NotRequired[str]
    "The version that keeps the file's text of that time, once another text has replaced it"
    hash: NotRequired[str]
    text: NotRequired[str]
    "With ``texts``, at most 400 characters: the fact, the file's text from the first changed line on, or the first message. Of ``fact.superseded``, the new fact. Absent: forgotten, or a file above 200,000 bytes"
    before: NotRequired[str]
    "With ``texts``: the text that it replaced or that was deleted, if it is still kept and was not forgotten"
    subject: NotRequired[str]
    "With ``texts``: the subject of the fact"
    key: NotRequired[str]
    "With ``texts``: the key of the fact"
    user: NotRequired[str]
    "With ``texts``: the user of the scope"


class ChangePage(TypedDict):
    changes: list[Change]
    cursor: str
    "The cursor for later changes, to be used now or later"
    more: bool
    "Whether there are already more changes"


class ChangedAgent(Agent):
    warnings: NotRequired[list[str]]
    "Settings of an OpenClaw configuration that have no effect, and why"


class ChangedFact(TypedDict):
    id: str
    "The id of the stored fact, or of the known fact that says the same"
    status: Literal["updated", "stored", "duplicate"]
    superseded: list[str]
    "The ids of the facts that this one ended"


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


class DeletedEval(TypedDict):
    deleted: str


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


class DeletedFiles(TypedDict):
    deleted: list[str]


class DeletedSession(TypedDict):
    session: str
    messages: int
    chunks: int
    facts: int
    "How many facts came from the session, ended ones included"
    forgotten: int
    "How many of them were deleted with it"


class DeletedSnapshot(TypedDict):
    deleted: str


class ErasureReceipt(TypedDict):
    id: str
    agentId: str
    "Empty: the receipt of a whole tenant"
    erasedAt: str
    actor: str
    counts: dict[str, float]
    pathHashes: list[str]
    "SHA-256 of paths, lower-case hex, in the order of the hashes; the answer to an erasure has the first 1,000. ``counts.files`` is the number of all paths"
    nextCursor: NotRequired[str]
    "Cursor for the next page of hashes, at ``GET /v1/erasures/{receiptId}``"


class EvalInterval(TypedDict):
    mean: float
    low: float
    high: float


class EvalSummaryMeasures(TypedDict):
    ndcg10: EvalInterval
    recall1: EvalInterval
    recall5: EvalInterval
    recall10: EvalInterval
    recall100: EvalInterval
    mrr10: EvalInterval


class EvalSummary(TypedDict):
    measures: EvalSummaryMeasures
    missed: int
    "How many questions have no right answer among the first ten"
    p50Ms: int
    p95Ms: int
    model: str
    "The embedding model of the index"


class EvalRun(TypedDict):
    id: str
    set: str
    state: Literal["waiting", "done", "failed"]
    "``waiting``: a job asks the questions; see ``done``"
    label: str
    questions: int
    done: int
    "How many questions have been asked"
    summary: EvalSummary | None
    "null until the run has ended"
    error: str | None
    "Why the run failed"
    createdBy: str
    createdAt: str
    endedAt: str | None


class EvalDifference(TypedDict):
    mean: float
    low: float
    high: float
    p: float
    "How probable such a difference is by chance"
    wins: int
    losses: int
    ties: int


class EvalComparisonMeasures(TypedDict):
    ndcg10: EvalDifference
    recall1: EvalDifference
    recall5: EvalDifference
    recall10: EvalDifference
    recall100: EvalDifference
    mrr10: EvalDifference


class EvalChange(TypedDict):
    id: str
    text: str
    rankBefore: int | None
    rankAfter: int | None
    before: float
    "nDCG@10 in the first run"
    after: float
    change: Literal["better", "worse", "equal"]


class EvalComparison(TypedDict):
    before: EvalRun
    after: EvalRun
    shared: int
    "How many questions both runs have asked"
    measures: EvalComparisonMeasures
    questions: list[EvalChange]


class EvalQuestionExpected(TypedDict):
    path: str
    "The path of a file, session or fact"
    grade: NotRequired[float]
    "How good an answer it is; more is better"


class EvalQuestion(TypedDict):
    id: str
    "Unique in the set; runs are compared by it"
    text: str
    expected: list[EvalQuestionExpected]
    scope: NotRequired[Scope]
    "The scope of the asker; facts and conversations of other scopes are not found"


class EvalRunList(TypedDict):
    runs: list[EvalRun]


class EvalSet(TypedDict):
    name: str
    description: str
    questions: int
    "How many questions it has"
    createdAt: str
    updatedAt: str
    updatedBy: str


class EvalSetList(TypedDict):
    sets: list[EvalSet]


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
    subject: NotRequired[str]
    "The person who said the fact, or the person or thing that it is about; absent if nobody is known"
    key: NotRequired[str]
    "The property that the fact states, such as ``user.name``"
    category: Category
    importance: float
    "0 to 1"
    scope: Scope
    "The user, agent and session that the fact is for; an absent part means everybody or everything"
    tags: list[str]
    source: FactSourceCall | FactSourceMessage | FactSourceFile
    "Where the fact comes from; ``by`` is the key that stored it"
    decayClass: DecayClass
    "How fast the fact loses weight: never, or by half in 365, 30, 1 or ¼ days, unless the agent's settings say otherwise"
    validFrom: str
    validTo: NotRequired[str]
    "Until when the fact held; absent while it holds"
    supersededBy: NotRequired[str]
    "The id of the fact that replaced this one"
    endedBy: NotRequired[Literal["key", "supersede", "update"]]
    expiresAt: NotRequired[str]
    createdAt: str
    updatedAt: str
    confirmedAt: str


class FactHistory(TypedDict):
    facts: list[Fact]


class FactPage(TypedDict):
    facts: list[Fact]
    total: NotRequired[int]
    "With ``total``: how many facts the list has on all pages"
    totalIsExact: NotRequired[bool]
    "With ``total``. False: the list has at least so many facts; 50,000 were looked at"
    nextCursor: NotRequired[str]


class FactPeoplePeople(TypedDict):
    subject: str
    "The name, as the latest fact spells it"
    facts: int
    latest: str
    "When one of the facts was last said"


class FactPeopleUsers(TypedDict):
    user: str
    "The ``user`` of the facts' scope"
    subject: str | None
    "The subject of most of these facts, as a rule the user's name; null: none has one"
    facts: int
    latest: str
    "When one of the facts was last said"


class FactPeople(TypedDict):
    people: list[FactPeoplePeople]
    withoutSubject: int
    "How many facts have no subject"
    users: list[FactPeopleUsers]
    "The users that facts are for"
    withoutUser: int
    "How many facts are for no user in particular"
    complete: bool
    "False: only the newest 50,000 facts were counted"


class FileOriginal(TypedDict):
    hash: str
    "SHA-256 of the document's bytes, in hex"
    type: str
    "The media type"
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
    original: FileOriginal | None
    "The document that the content was read from; null: it was written as text"


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


class ForgottenFacts(TypedDict):
    forgotten: list[str]
    stillIn: NotRequired[list[str]]
    "At most three conversations and files that the facts came from and that still exist"
    note: NotRequired[str]
    "Where the words still stand, and how to remove them"


class SpeaksInNamed(TypedDict):
    session: str
    user: NotRequired[str]


class SpeaksIn(TypedDict):
    sessions: int
    complete: bool
    "False: there may be more; 1,000 conversations were looked into"
    named: list[SpeaksInNamed]
    "At most 20 of them, each with the user of its scope"


class ForgottenMany(TypedDict):
    dryRun: bool
    facts: int
    "How many facts were deleted, versions included; in a dry run how many there are"
    sessions: int
    messages: int
    "How many messages these conversations had"
    forgotten: list[str]
    "The ids of the deleted facts; empty in a dry run"
    more: bool
    "Whether one call does not delete everything; repeat it"
    speaksIn: NotRequired[SpeaksIn]
    stillIn: NotRequired[list[str]]
    "At most three conversations and files that the facts came from and that still exist"
    note: NotRequired[str]
    "Where the words still stand, and how to remove them"


class ForgottenOfSource(TypedDict):
    forgotten: list[str]
    more: bool
    "Whether the source has more facts than one call deletes"
    stillIn: NotRequired[list[str]]
    "At most three conversations and files that the facts came from and that still exist"
    note: NotRequired[str]
    "Where the words still stand, and how to remove them"


class ForgottenVersions(TypedDict):
    path: str
    versions: int


class FactHit(Fact):
    score: float
    vectorScore: NotRequired[float]
    textScore: NotRequired[float]
    explain: NotRequired[HitExplanation]


class FoundFacts(TypedDict):
    facts: list[FactHit]
    "Best first"
    mode: Literal["hybrid", "keyword", "vector"]
    warning: NotRequired[str]
    debug: NotRequired[SearchDebug]


class StoredAmounts(TypedDict):
    files: int
    messages: int
    facts: int
    chunks: int


class StoredThatDay(StoredAmounts):
    day: str


Growth = TypedDict(
    "Growth",
    {
        "from": "str",
        "to": "str",
        "before": "StoredAmounts",
        "days": "list[StoredThatDay]",
    },
)


class IngestError(TypedDict):
    code: str
    message: str


class IngestedFact(TypedDict):
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
    found: NotRequired[list[IngestedFact]]
    "The facts of a dry run, at most 500"
    startedAt: NotRequired[str]
    endedAt: NotRequired[str | None]


class IngestedText(TypedDict):
    pieces: int
    next: NotRequired[int]
    "Where the next call continues, if the text is too long for one request"
    known: int
    asked: int
    refused: int
    stored: int
    duplicates: int
    dropped: int
    facts: list[IngestedFact]


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
    prefix: str | None
    "The first characters of the key, as logs and changes show it; null: no key"
    expiresAt: str | None
    "When the key expires; null: never, or no key"
    scopes: list[str]
    agentId: str | None
    "The agent that the key is bound to; null: every agent"


class LeftShare(TypedDict):
    left: Literal[True]


class MapPoint(TypedDict):
    x: float
    "From -1 to 1"
    y: float
    "From -1 to 1"
    kind: Literal["file", "session", "fact"]
    path: str
    "The path of the file, session or fact"
    startLine: NotRequired[int]
    "The first line of the passage in its file or session"
    title: str
    "At most 80 characters"
    at: str | None
    "When it was stored, said or changed"
    subject: NotRequired[str]
    "The subject of a fact"
    user: NotRequired[str]
    "The user of the scope"
    importance: NotRequired[float]
    "The importance of a fact"


class MemoryMap(TypedDict):
    state: Literal["none", "due", "ready"]
    "``none``: nothing is embedded. ``due``: a job makes a map, or a newer one than these points"
    madeAt: str | None
    chunks: int
    "How many passages and facts the index has now"
    points: list[MapPoint]


class MergedBranch(TypedDict):
    agentId: str
    into: str
    merged: bool
    "False in a dry run"
    files: list[FileDifference]
    facts: list[FactDifference]
    "Facts of the same key and scope, or of the same text, are one entry; ``text`` is the latest fact"
    conflicts: int


class MessageInput(TypedDict):
    id: NotRequired[str | None]
    "The sender's id: a message with a known id is not stored again"
    role: NotRequired[Literal["user", "human", "assistant", "ai", "bot", "model", "system", "developer", "tool", "function"]]
    "In any letter case. ``developer`` is stored as ``system``, ``function`` as ``tool``; items of OpenAI's Responses may have none"
    type: NotRequired[str | None]
    name: NotRequired[str | None]
    "The speaker's name"
    text: NotRequired[str | None]
    content: NotRequired[str | list[Any] | dict[str, Any] | None]
    "A text, or parts as in chat APIs; parts other than text are named, as in ``[image]``"
    parts: NotRequired[list[Any] | None]
    "The same as ``content``, under the name of Gemini and of Vercel's AI SDK"
    originClass: NotRequired[Literal["owner", "agent", "untrusted", "system"]]
    "The class of the author, if your program knows it: the owner, the agent, somebody outside (``untrusted``) or the host's own scaffolding (``system``)"
    at: NotRequired[str | float]
    "The time of the message: ISO 8601, without an offset in the agent's time zone, or seconds or milliseconds since 1970; default: now"
    timestamp: NotRequired[Any]
    "The time of the message, under the name of another API"
    createdAt: NotRequired[Any]
    "The time of the message, under the name of another API"
    created_at: NotRequired[Any]
    "The time of the message, under the name of another API"
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


class Origin(TypedDict):
    origin: str
    files: int


class OriginList(TypedDict):
    origins: list[Origin]


class Queued(TypedDict):
    queued: Literal[True]


class RecalledFact(Fact):
    score: float
    distance: NotRequired[float]
    "The cosine distance from the message: 1 minus the cosine; absent without an embedding"


class RecalledQuote(TypedDict):
    path: str
    startLine: int
    endLine: int
    source: Literal["memory", "sessions", "facts"]
    score: float
    text: str
    citation: str
    date: str
    "When it was said or written: the day that a file is about, or else the time of its last change or message"
    at: NotRequired[str]
    "The time of the last message that is shown, if the passage comes from a conversation"
    days: NotRequired[list[str]]
    "The days of these messages (YYYY-MM-DD), in the time zone of the recall"


class Recalled(TypedDict):
    instructions: list[Fact]
    "The instructions and preferences that hold whatever the message says, besides those in ``facts``. Instructions first, then the most important and newest. Facts that were extracted from files are left out"
    facts: list[RecalledFact]
    "Best first"
    quotes: list[RecalledQuote]
    block: str
    "Facts, then quotes, as a text for the prompt; empty if nothing bears on the message"
    instructionsBlock: str
    "The instructions as a text for the prompt, to place before ``block``; empty if there are none"
    shown: int
    "How many of the facts are in the block"
    shownQuotes: int
    "How many of the quotes are in the block"
    shownInstructions: int
    "How many of the instructions are in ``instructionsBlock``"
    mode: Literal["hybrid", "keyword", "vector"]
    certain: NotRequired[Literal[False]]
    "Set if nothing certain was found, as ``block`` says: facts and quotes are only the nearest texts, or of other days than the message asks about"
    note: NotRequired[str]
    "The sentence that says that no text is of the days that the message asks about, which ``block`` has too"
    warning: NotRequired[str]


class RolledBackFiles(TypedDict):
    added: list[str]
    "Paths that the snapshot does not have; at most 1,000 of each kind"
    changed: list[str]
    removed: list[str]
    lost: list[str]
    "Paths that changed since the snapshot and that a rollback does not restore: the former text was forgotten, or the path belongs to a shared memory"
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
    "The user, agent and session that the conversation is for; empty: the whole agent"
    messages: int
    bytes: int
    lines: int
    startedAt: str
    lastMessageAt: str
    unindexedMessages: int


class Message(TypedDict):
    number: int
    "The message's position in the conversation, from 1"
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
    "``after`` for the next page"
    previousBefore: NotRequired[int]
    "``before`` for the page of earlier messages; absent on the first page"


class SessionDetailsFound(TypedDict):
    message: int
    "The message's number"
    text: str


class SessionDetails(TypedDict):
    channel: str
    "The first part of the key, such as ``slack``; empty: the key has no parts"
    people: list[str]
    "The names of the speakers in the last 100 messages, at most ten"
    firstText: str
    "The first message, at most 300 characters"
    lastText: str
    "The last message, at most 300 characters"
    lastRole: NotRequired[str]
    lastName: NotRequired[str]
    facts: int
    "How many facts that hold come from the session"
    found: NotRequired[SessionDetailsFound]
    "The last message that has the text ``q``"


class ListedSession(SessionSummary):
    details: NotRequired[SessionDetails]


class SessionPage(TypedDict):
    sessions: list[ListedSession]
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


class StoredFact(TypedDict):
    id: str
    "The id of the stored fact, or of the known fact that says the same"
    status: Literal["stored", "duplicate"]
    superseded: list[str]
    "The ids of the facts that this one ended"


class StoredFacts(TypedDict):
    facts: list[StoredFact]


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


class ToolDefinitions(TypedDict):
    format: Literal["openai", "anthropic", "mcp", "gemini"]
    tools: list[dict[str, Any]]
    "The definitions, to pass to the model's API unchanged"
    prompt: str
    "The section ``Memory Recall`` for the system prompt; empty when there are no tools"


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
    "The current text of the file; null: there is no such file"
    versions: list[FileVersion]
    "The earlier texts, newest first"
    nextCursor: NotRequired[str]


class EvalResultExpected(TypedDict):
    path: str
    grade: float


class EvalResultMeasures(TypedDict):
    ndcg10: float
    recall1: float
    recall5: float
    recall10: float
    recall100: float
    mrr10: float


class EvalResult(TypedDict):
    id: str
    text: str
    expected: list[EvalResultExpected]
    measures: EvalResultMeasures
    rank: int | None
    "The rank of the first right answer; null: not in the first 100"
    found: list[str]
    "The first ten paths that were found"
    ms: int
    mode: str
    warning: NotRequired[str]


class WholeEvalRun(TypedDict):
    id: str
    set: str
    state: Literal["waiting", "done", "failed"]
    "``waiting``: a job asks the questions; see ``done``"
    label: str
    questions: int
    done: int
    "How many questions have been asked"
    summary: EvalSummary | None
    "null until the run has ended"
    error: str | None
    "Why the run failed"
    createdBy: str
    createdAt: str
    endedAt: str | None
    results: list[EvalResult]


class WholeEvalSet(TypedDict):
    name: str
    description: str
    questions: int
    "How many questions it has"
    createdAt: str
    updatedAt: str
    updatedBy: str
    items: list[EvalQuestion]


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
