import type { Scope } from "../../db/agent/schema/scope.ts";
import type { OriginClass, Role } from "../../db/agent/sessions/messages.ts";

export interface MessageInput {
  /** The sender's own id. A message with a known id is not stored again. */
  id?: string | undefined;
  role: Role;
  /** The speaker's name, without line ends. */
  name?: string | undefined;
  text: string;
  /** The speaker's own words; by default the whole text. */
  own?: string | undefined;
  at?: Date | undefined;
  /** Whether `at` had no offset: it is what clocks show in the agent's time zone, as if they showed UTC. */
  isClockTime?: boolean | undefined;
  /** The class of the message's author, if its sender knows it. */
  originClass?: OriginClass | undefined;
}

export interface AppendInput {
  messages: readonly MessageInput[];
  /** Whether the conversation is over. */
  end: boolean;
  /** Whether the user's statements are captured; by default as the agent's settings say. */
  capture?: boolean | undefined;
  /**
   * The scope of the conversation. The first append with a scope decides it, and captured facts get
   * the same scope.
   */
  scope?: Scope | undefined;
}
