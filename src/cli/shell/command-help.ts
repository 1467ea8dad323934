/** What stands below the help of a command, beside its summary and options. */
export interface CommandHelp {
  /** What has to be known before the first use. */
  about?: string;
  /** Lines to type, perhaps with what each does behind it. */
  examples: readonly string[];
  /** The command that most often comes next. */
  next: string;
}
