import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "../support/read-body.ts";

export interface ScriptedModel {
  /** The address without a path. */
  url: string;
  /** The bodies of the requests, as text. */
  requests: string[];
  /** The next answers; the last one is repeated. */
  answers: string[];
  close(): Promise<void>;
}

/**
 * Starts a model on loopback that says what the test tells it to, in the streams of Anthropic's
 * Messages API and of OpenAI's Responses API.
 */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const server = createServer(async (request, response) => {
    const sent = await readBody(request);
    if (!sent) return;
    const [path = ""] = (request.url ?? "").split("?");
    const tell = path.endsWith("/v1/messages") ? tellAnthropic : path.endsWith("/responses") ? tellOpenAi : undefined;
    if (!tell) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no such path"}}');
      return;
    }
    model.requests.push(sent.toString("utf8"));
    const [answer = ""] = model.answers.length > 1 ? model.answers.splice(0, 1) : model.answers;
    response.writeHead(200, { "content-type": "text/event-stream" });
    tell(response, answer);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const model: ScriptedModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answers: ["Noted."],
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}

function send(response: ServerResponse, type: string, fields: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
}

function tellAnthropic(response: ServerResponse, text: string): void {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "scripted", content: [], usage };
  send(response, "message_start", { message: { ...message, stop_reason: null, stop_sequence: null } });
  send(response, "content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  send(response, "content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  send(response, "content_block_stop", { index: 0 });
  const delta = { stop_reason: "end_turn", stop_sequence: null };
  send(response, "message_delta", { delta, usage: { output_tokens: 1 } });
  send(response, "message_stop", {});
}

function tellOpenAi(response: ServerResponse, text: string): void {
  const item = { type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text }] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  send(response, "response.created", { response: { id: "resp_1" } });
  send(response, "response.output_item.done", { output_index: 0, item });
  send(response, "response.completed", { response: { id: "resp_1", output: [item], usage } });
}
