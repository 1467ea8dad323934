/** A hit with the properties by which its answer is compared with the answers of other hits. */
export interface DatedHit {
  readonly chunkId: string;
  readonly path: string;
  readonly text: string;
  readonly score: number;
  /** Set for a passage of a conversation, whose messages begin with the names of their speakers. */
  readonly session?: object | null | undefined;
  /** When the text was said, or the day that the document is of; undefined: not known. */
  readonly saidAt?: Date | undefined;
  /** The messages of a conversation, each with its time: a conversation may go on after weeks. */
  readonly around?: readonly { readonly text: string; readonly at: Date }[] | undefined;
  /** The user, the agent and the session to whom a conversation or a fact belongs; an empty part stands for all. Undefined for a file. */
  readonly scope?: { readonly user: string; readonly agent: string; readonly session: string } | undefined;
  /** For a fact: the person or thing that it is about, in the form in which subjects are compared. */
  readonly subject?: string | null | undefined;
  /** For a fact: its text and key, the text of the fact that it replaced, and the texts of earlier facts with its key. */
  readonly fact?:
    | {
        readonly text: string;
        readonly key?: string | null;
        readonly replaced: string | null;
        readonly former?: readonly string[];
      }
    | null
    | undefined;
}
