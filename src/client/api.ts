/**
 * The types of the API's data. They are made from the OpenAPI document in api-types.ts, by `npm run
 * client:types`. This module adds names for parts of them, and the types that only the client has.
 */
import type * as made from "./api-types.ts";

export type * from "./api-types.ts";

/** The source of a text: files (`memory`), conversations (`sessions`) or facts. */
export type Source = made.SearchHit["source"];
/** The arms that answered: by words and meaning, or only one of them. */
export type SearchMode = made.SearchAnswer["mode"];
/**
 * The user, agent and session that a fact or a conversation is for, by the caller's own names or
 * ids. An absent part means everybody or everything.
 */
export type FactScope = NonNullable<made.SearchInput["scope"]>;
export type FactCategory = made.Fact["category"];
/**
 * How fast a fact loses weight: never, or by half in 365, 30, 1 or ¼ days. The agent's settings can
 * change these times.
 */
export type DecayClass = made.Fact["decayClass"];
/** The source of a fact. `by` is the key that stored the fact. */
export type FactSource = made.Fact["source"];
/** The source of a fact, as the sender states it. */
export type FactSourceInput = NonNullable<made.FactInput["source"]>;
/**
 * The roles, under the names that chat APIs use. `human` is stored as `user`, `developer` as
 * `system`, `function` as `tool`, and so on.
 */
export type MessageRole = NonNullable<made.MessageInput["role"]>;
/**
 * The change that an agent made since both agents had the same content. If the agents have no
 * common past, the first agent's content is compared with the other's.
 */
export type ChangeSince = made.FileDifference["here"];
/** The permissions of a key. */
export type KeyScope = made.ApiKey["scopes"][number];
/** The API that the tool definitions are for. */
export type ToolFormat = made.ToolDefinitions["format"];
export type BindingMatch = NonNullable<made.Binding["match"]>;
/** The lines of a passage in a file, session or fact. */
export type Passage = Omit<made.ArmEntry, "score">;
/**
 * A passage that was left out: either its score is below the floor, or it has the same text as a
 * passage that is shown (`of`).
 */
export type LeftOut = made.SearchDebug["leftOut"][number];

export type SearchOptions = Omit<made.SearchInput, "query">;
export type GetOptions = Omit<made.GetInput, "path">;
export type FactSearchOptions = Omit<made.FactSearch, "query">;

export type FileListing = Omit<made.FilesListQuery, "cursor">;
export type FileFilter = Omit<FileListing, "delimiter">;
/** The filter for a list of facts. */
export type FactFilter = Omit<made.FactsListQuery, "cursor">;
/** The parts of a scope. */
export type Scope = NonNullable<made.RecallInput["scope"]>;
/** The scope and the number of the people whose facts are counted. */
export type PeopleQuery = made.FactsPeopleQuery;
/** The filter for a list of sessions. */
export type SessionFilter = Omit<made.SessionsListQuery, "cursor">;
/**
 * The messages of a session to read. If parts of a scope are given, a session of another scope
 * counts as missing.
 */
export type SessionQuery = made.SessionsGetQuery;
/** The start of a feed: a time, or the position after a page. */
export type ChangePosition = made.ChangesEventsQuery;

/** `One`, with the fields that only `Other` has as absent, so that both are read without a check. */
type Beside<One, Other> = One & { [Field in Exclude<keyof Other, keyof One>]?: undefined };

/**
 * The result of a search. `unavailable` is not set, which distinguishes it from {@link
 * SearchUnavailable}.
 */
export type SearchAnswer = Beside<made.SearchAnswer, made.SearchUnavailable>;
/**
 * The answer when the memory cannot be searched at the moment. Tell the user `warning` and
 * `action`.
 */
export type SearchUnavailable = Beside<made.SearchUnavailable, made.SearchAnswer>;
/**
 * The lines that were read. `status` is not set, which distinguishes it from {@link LinesNotFound}.
 */
export type ReadLines = Beside<made.ReadLines, made.LinesNotFound>;
/** The answer when nothing exists at the path. */
export type LinesNotFound = Beside<made.LinesNotFound, made.ReadLines>;

export interface AppendInput extends made.AppendInput {
  /**
   * The conversation's key, any printable text of up to 200 characters, such as `telegram:group:5`.
   */
  session: string;
}

/** The condition under which a file is written or deleted. */
export interface FileCondition {
  /** The hash that the file must have now, or `*` for any hash. */
  ifMatch?: string | undefined;
  /** `*` requires that the file does not exist yet. */
  ifNoneMatch?: "*" | undefined;
}

export interface PutOptions extends FileCondition {
  /** The time of the file's last change, a Date or an ISO 8601 time; default: now. */
  mtime?: string | Date | undefined;
}

export interface DocumentOptions extends PutOptions, Omit<made.FilesPutQuery, "mtime"> {}
