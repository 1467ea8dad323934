/**
 * The operations of LangGraph's stores. They are LangGraph's own types, member by member, so a store
 * of ours can be passed where LangGraph asks for its `BaseStore`, and this package needs no package
 * of LangGraph's.
 */

/** A value of an item. LangGraph types it in this way. */
// biome-ignore lint/suspicious/noExplicitAny: with `unknown` the store would not be a BaseStore.
type Value = Record<string, any>;

/** A stored value. */
export interface Item {
  value: Value;
  key: string;
  namespace: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** An item that a search found. */
export interface SearchItem extends Item {
  /** From 0 to 1; 0.5 is as likely an answer as not. Absent if the query did not find the item. */
  score?: number;
}

export interface GetOperation {
  namespace: string[];
  key: string;
}

export interface SearchOperation {
  namespacePrefix: string[];
  filter?: Value;
  limit?: number;
  offset?: number;
  query?: string;
}

export interface PutOperation {
  namespace: string[];
  key: string;
  /** null: the item is deleted */
  value: Value | null;
  /** The fields whose texts searches find; false: none. */
  index?: false | string[];
}

export interface ListNamespacesOperation {
  matchConditions?: MatchCondition[];
  maxDepth?: number;
  limit: number;
  offset: number;
}

export interface MatchCondition {
  matchType: "prefix" | "suffix";
  path: (string | "*")[];
}

export type Operation = GetOperation | SearchOperation | PutOperation | ListNamespacesOperation;

/** The results of a list of operations, in their order. */
export type OperationResults<Tuple extends readonly Operation[]> = {
  [K in keyof Tuple]: Tuple[K] extends PutOperation
    ? // biome-ignore lint/suspicious/noConfusingVoidType: LangGraph's type has it.
      void
    : Tuple[K] extends SearchOperation
      ? SearchItem[]
      : Tuple[K] extends GetOperation
        ? Item | null
        : Tuple[K] extends ListNamespacesOperation
          ? string[][]
          : never;
};
