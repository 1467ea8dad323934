/**
 * A chain that remembers, with LangChain. Each run is a new conversation:
 *
 *   npm start                                      # in another terminal: Recollect
 *   node examples/langchain.ts "My name is Petra and I live in Oslo."
 *   node examples/langchain.ts "Where do I live?"
 *
 * The example needs no key: the model is LangChain's own mock, which repeats its prompt. Replace it
 * with your model.
 */
import { ChatPromptTemplate, MessagesPlaceholder } from "@langchain/core/prompts";
import { RunnablePassthrough, RunnableWithMessageHistory } from "@langchain/core/runnables";
import { FakeChatModel } from "@langchain/core/utils/testing";
import { createClient } from "recollect/client";
import { formatMemory, RecollectChatHistory, RecollectRetriever } from "recollect/langchain";

const { RECOLLECT_URL: url = "http://127.0.0.1:7420", RECOLLECT_API_KEY: key } = process.env;
const message = process.argv.slice(2).join(" ") || "My name is Petra and I live in Oslo.";

// By default, a turn continues without the memory after five seconds. This example waits longer,
// because the machine may be busy.
const memory = { client: createClient({ url, key }), agent: "petra", timeoutMs: 60_000 };
const retriever = new RecollectRetriever({ ...memory, search: { maxResults: 3 } });
const prompt = ChatPromptTemplate.fromMessages([
  new MessagesPlaceholder("history"),
  ["human", "{memory}\n\n{question}"],
]);
const answer = RunnablePassthrough.assign({
  memory: ({ question }: Record<string, string>) => retriever.pipe(formatMemory).invoke(question ?? ""),
})
  .pipe(prompt)
  .pipe(new FakeChatModel({}));
const chat = new RunnableWithMessageHistory({
  runnable: answer,
  getMessageHistory: (session: string) => new RecollectChatHistory({ ...memory, session }),
  inputMessagesKey: "question",
  historyMessagesKey: "history",
});
const { content } = await chat.invoke({ question: message }, { configurable: { sessionId: `chat-${Date.now()}` } });
console.log(content);
