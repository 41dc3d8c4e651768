import { existsSync, readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DoublePiece,
  type DoubleRequest,
  type DoubleToken,
  finishOf,
  messageOf,
  piecesOf,
  promptIdsOf,
  textOf,
  tokensOf,
  tokensOfPieces,
  topOf,
} from './double-answers.ts';

/** What goes wrong with requests for completions and chats from now on. */
type Faults = {
  /** An error instead of an answer. */
  status: number | null;
  /** The request is refused in these words. */
  words: string | null;
  /** Before the first token, and between two. */
  firstMs: number;
  tokenMs: number;
  /** After so many chunks: the connection is closed, nothing more comes, or an error comes. */
  cutAfter: number | null;
  stallAfter: number | null;
  errorAfter: number | null;
  /** The ids of the first chunk are missing. */
  losesIds: boolean;
  /** The logprobs of the first chunk of a chat are missing. */
  losesLogprobs: boolean;
  /** Nothing is answered. */
  isFrozen: boolean;
  /** Of `/health`. */
  healthStatus: number;
};

const noFaults: Faults = {
  status: null,
  words: null,
  firstMs: 0,
  tokenMs: 0,
  cutAfter: null,
  stallAfter: null,
  errorAfter: null,
  losesIds: false,
  losesLogprobs: false,
  isFrozen: false,
  healthStatus: 200,
};

export type VllmDouble = {
  url: string;
  port: number;
  faults: Faults;
  received: { path: string; headers: IncomingHttpHeaders; body: any }[];
  /** The ids of the next choices, in order; then the usual ones. */
  scripts: number[][];
  /** How many tokens of their prompts the next answers report as cached, in order; then none do. */
  cached: number[];
  /** The pieces of the next choices of chats, in order; then those of `scripts`. */
  chatScripts: DoublePiece[][];
  /** Paths by name. */
  adapters: Map<string, string>;
  /** What `/metrics` reports in addition to the requests under way. */
  more: { running: number; waiting: number };
  /** Requests that are being answered. */
  running(): number;
  /** Connections that were opened. */
  connections(): number;
  /** A new process at the same address: it has no adapters, and connections are closed. */
  restart(): Promise<void>;
  /** Nothing listens at its address, until `restart`. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  model?: string;
  maxModelLength?: number;
  port?: number;
  apiKey?: string | null;
  maxLoraRank?: number;
  loadsAdapters?: boolean;
  /** Whether logprobs depend on the temperature. */
  isProcessed?: boolean;
  /** Whether `/metrics` has the start of the process. */
  hasStart?: boolean;
  /** Whether it embeds texts, rather than generate them. */
  embeds?: boolean;
};

/** A vLLM server without a model, in this process: the wire of version 0.32.0, with ids by a rule, and faults. */
export async function startVllmDouble(options: Options = {}): Promise<VllmDouble> {
  const { model = 'tiny', maxModelLength = 1024, apiKey = null, maxLoraRank = 16 } = options;
  const { loadsAdapters = true, isProcessed = false, hasStart = true, embeds = false } = options;
  const faults = { ...noFaults };
  const received: VllmDouble['received'] = [];
  const scripts: number[][] = [];
  const cached: number[] = [];
  const chatScripts: DoublePiece[][] = [];
  const adapters = new Map<string, string>();
  const more = { running: 0, waiting: 0 };
  let startedAt = 0;
  let underWay = 0;
  let connections = 0;
  let port = options.port ?? 0;
  let server: Server | null = null;

  async function start(): Promise<void> {
    startedAt = nextStart++;
    adapters.clear();
    server = createServer((request, response) => {
      response.on('error', () => {});
      answer(request, response).catch(() => response.destroy());
    });
    server.keepAliveTimeout = 5_000;
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server!.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    const stopping = server;
    server = null;
    if (!stopping) return;
    stopping.closeAllConnections();
    await new Promise((resolve) => stopping.close(resolve));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const path = request.url!;
    const body = sent === '' ? null : JSON.parse(sent);
    received.push({ path, headers: request.headers, body });
    if (faults.isFrozen) return closed(response);
    const asked = `${request.method} ${path}`;
    if (path.startsWith('/v1/') && apiKey !== null && request.headers.authorization !== `Bearer ${apiKey}`)
      return json(response, 401, { error: 'Unauthorized' });
    if (asked === 'GET /health') return void response.writeHead(faults.healthStatus).end();
    if (asked === 'GET /version') return json(response, 200, { version: '0.32.0' });
    if (asked === 'GET /metrics') return void response.writeHead(200, { 'content-type': 'text/plain' }).end(metrics());
    if (asked === 'GET /v1/models') return json(response, 200, { object: 'list', data: listed() });
    if (asked === 'POST /v1/load_lora_adapter' && loadsAdapters) return load(response, body);
    if (asked === 'POST /v1/unload_lora_adapter' && loadsAdapters) return unload(response, body);
    if (asked === 'POST /v1/completions' || asked === 'POST /v1/chat/completions') {
      underWay++;
      try {
        return await complete(response, body, path.includes('chat'));
      } finally {
        underWay--;
      }
    }
    if (asked === 'POST /tokenize') return json(response, 200, tokenized(body));
    if (asked === 'POST /detokenize') return json(response, 200, { prompt: body.tokens.map(textOf).join('') });
    if (asked === 'POST /v1/embeddings' && embeds) return json(response, 200, embedding(body));
    json(response, 404, { detail: 'Not Found' });
  }

  function tokenized({ return_token_strs, ...request }: DoubleRequest & { return_token_strs?: boolean }) {
    const tokens = promptIdsOf(request);
    const token_strs = return_token_strs ? tokens.map(textOf) : null;
    return { count: tokens.length, max_model_len: maxModelLength, tokens, token_strs };
  }

  function embedding({ input }: { input: (string | number[])[] }) {
    const texts = input.map((prompt) => promptIdsOf({ model, prompt }));
    const data = texts.map((ids, index) => ({ object: 'embedding', index, embedding: [ids.length, ids[0] ?? 0] }));
    return { object: 'list', model, data, usage: usageOf(texts.flat(), []) };
  }

  function metrics(): string {
    const label = `{engine="0",model_name="${model}"}`;
    return [
      ...(hasStart
        ? ['# TYPE process_start_time_seconds gauge', `process_start_time_seconds ${startedAt.toExponential()}`]
        : []),
      '# HELP vllm:num_requests_running Number of requests in model execution batches.',
      `vllm:num_requests_running${label} ${(underWay + more.running).toFixed(1)}`,
      `vllm:num_requests_waiting${label} ${more.waiting.toFixed(1)}`,
      `vllm:num_requests_waiting_by_reason{engine="0",model_name="${model}",reason="capacity"} ${more.waiting.toFixed(1)}`,
      '',
    ].join('\n');
  }

  function listed() {
    const created = Math.floor(Date.now() / 1000);
    const entry = (id: string, root: string, parent: string | null, max_model_len: number | null) => ({
      ...{ id, object: 'model', created, owned_by: 'vllm', root, parent, max_model_len },
      permission: [],
    });
    const loaded = [...adapters].map(([name, path]) => entry(name, path, model, null));
    return [entry(model, `/models/${model}`, null, maxModelLength), ...loaded];
  }

  function load(response: ServerResponse, { lora_name: name, lora_path: path }: Record<string, string>) {
    if (!name || !path) return problem(response, 400, "Both 'lora_name' and 'lora_path' must be provided.");
    if (name === model) return problem(response, 400, `The lora adapter '${name}' conflicts with a served base model.`);
    if (adapters.has(name)) {
      const hint = "If you want to load the adapter in place, set 'load_inplace' to True.";
      return problem(response, 400, `The lora adapter '${name}' has already been loaded. ${hint}`);
    }
    const file = join(path, 'adapter_config.json');
    if (!existsSync(file)) return problem(response, 404, `Loading lora ${name} failed: No adapter found for ${path}`);
    const { r } = JSON.parse(readFileSync(file, 'utf8'));
    if (r > maxLoraRank) {
      const reason = `LoRA rank ${r} is greater than max_lora_rank ${maxLoraRank}.`;
      const hint = 'please check the stack trace above for the root cause';
      return problem(response, 500, `Call to add_lora method failed: Worker failed with error '${reason}', ${hint}`);
    }
    adapters.set(name, path);
    response.writeHead(200).end(`Success: LoRA adapter '${name}' added successfully.`);
  }

  function unload(response: ServerResponse, { lora_name: name }: Record<string, string>) {
    if (!adapters.delete(name!)) return problem(response, 404, `The lora adapter '${name}' cannot be found.`);
    response.writeHead(200).end(`Success: LoRA adapter '${name}' removed successfully.`);
  }

  async function complete(response: ServerResponse, request: DoubleRequest, isChat: boolean): Promise<void> {
    if (faults.words !== null) return problem(response, 400, faults.words);
    if (faults.status !== null) return problem(response, faults.status, 'The server has a fault.');
    if (request.model !== model && !adapters.has(request.model))
      return problem(response, 404, `The model \`${request.model}\` does not exist. Valid aliases: ${model}.`);
    const { temperature = 1, max_tokens = 16, n = 1 } = request;
    if (temperature < 0) {
      const value = temperature.toFixed(1);
      const words = `temperature must be non-negative, got ${value}. (parameter=temperature, value=${value})`;
      return problem(response, 400, words);
    }
    const promptIds = promptIdsOf(request);
    if (max_tokens !== null && max_tokens > maxModelLength) {
      const words = `max_tokens=${max_tokens} cannot be greater than max_model_len=${maxModelLength}.`;
      const hint = `Please request fewer output tokens. (parameter=max_tokens, value=${max_tokens})`;
      return problem(response, 400, `${words} ${hint}`);
    }
    const room = maxModelLength - promptIds.length;
    if (room < 0) {
      const words = `This model's maximum context length is ${maxModelLength} tokens. However, your prompt contains ${promptIds.length} input tokens, which exceeds this limit even without any output tokens.`;
      const hint = `Please reduce the length of the input prompt. (parameter=input_tokens, value=${promptIds.length})`;
      return problem(response, 400, `${words} ${hint}`);
    }
    const scale = isProcessed && temperature > 0 ? temperature : 1;
    const pieces: DoublePiece[][] = [];
    const choices = Array.from({ length: n }, (_, index) => {
      const scripted = isChat ? chatScripts.shift() : undefined;
      const limited = { ...request, max_tokens: Math.min(max_tokens ?? room, room) };
      const tokens = scripted ? tokensOfPieces(scripted) : tokensOf(limited, index, scripts.shift());
      pieces.push(scripted ?? piecesOf(tokens));
      return tokens.map((token) => ({ ...token, logprob: token.logprob / scale }));
    });
    const usage = usageOf(promptIds, choices, cached.shift());
    await pause(response, faults.firstMs);
    const answering = { response, request, choices, pieces, promptIds, usage };
    if (request.stream) await (isChat ? streamChat(answering) : streamCompletion(answering));
    else json(response, 200, isChat ? wholeChat(answering) : wholeCompletion(answering));
  }

  type Answering = {
    response: ServerResponse;
    request: DoubleRequest;
    choices: DoubleToken[][];
    /** Of chats, for each choice. */
    pieces: DoublePiece[][];
    promptIds: number[];
    usage: object;
  };

  async function streamCompletion({ response, request, choices, promptIds, usage }: Answering): Promise<void> {
    await stream(response, request, usage, 'text_completion', function* () {
      for (let i = 0; choices.some((tokens) => i < tokens.length); i++) {
        for (const [index, tokens] of choices.entries()) {
          const token = tokens[i];
          if (!token) continue;
          const isLast = i === tokens.length - 1;
          const ids = faults.losesIds && i === 0 ? [] : [token.id];
          yield {
            choices: [
              {
                ...{ index, text: token.text, logprobs: logprobsOf(request, [token]) },
                ...(isLast ? finishOf(request, tokens) : { finish_reason: null, stop_reason: null }),
                prompt_token_ids: request.return_token_ids && i === 0 ? promptIds : null,
                token_ids: request.return_token_ids ? ids : null,
              },
            ],
          };
        }
      }
    });
  }

  async function streamChat({ response, request, choices, pieces, promptIds, usage }: Answering): Promise<void> {
    await stream(response, request, usage, 'chat.completion.chunk', function* () {
      for (const [index, tokens] of choices.entries()) {
        const first = { index, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null };
        yield { choices: [first], prompt_token_ids: request.return_token_ids ? promptIds : null, prompt_text: null };
        let sent = 0;
        for (const [i, { ids, delta }] of pieces[index]!.entries()) {
          const isLast = i === pieces[index]!.length - 1;
          const own = tokens.slice(sent, sent + ids.length);
          sent += ids.length;
          const logprobs = faults.losesLogprobs && i === 0 ? null : chatLogprobsOf(request, own);
          const choice = { index, delta, logprobs };
          const finish = isLast ? chatFinishOf(request, tokens, pieces[index]!) : { finish_reason: null };
          const token_ids = faults.losesIds && i === 0 ? [] : ids;
          yield { choices: [{ ...choice, ...finish, ...(request.return_token_ids ? { token_ids } : {}) }] };
        }
      }
    });
  }

  async function stream(
    response: ServerResponse,
    { model: name, stream_options }: DoubleRequest,
    usage: object,
    object: string,
    chunks: () => Generator<object>,
  ): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    const more = { id: `cmpl-${nextId++}`, object, created: Math.floor(Date.now() / 1000), model: name };
    const send = (event: object | string) =>
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    function* withUsage(): Generator<object> {
      yield* chunks();
      if (stream_options?.include_usage) yield { choices: [], usage, system_fingerprint: 'vllm-0.32.0-double' };
    }
    let sent = 0;
    for (const chunk of withUsage()) {
      if (sent === faults.cutAfter) {
        await pause(response, 10); // what was written arrives first
        return void response.destroy();
      }
      if (sent === faults.errorAfter) {
        send({ error: { message: 'The engine has a fault.', type: 'InternalServerError', param: null, code: 500 } });
        send('[DONE]');
        return void response.end();
      }
      if (sent === faults.stallAfter) return closed(response);
      send({ ...more, ...chunk });
      sent++;
      await pause(response, faults.tokenMs);
    }
    send('[DONE]');
    response.end();
  }

  function wholeCompletion({ request, choices, promptIds, usage }: Answering): object {
    return {
      ...{ id: `cmpl-${nextId++}`, object: 'text_completion', created: Math.floor(Date.now() / 1000) },
      model: request.model,
      choices: choices.map((tokens, index) => ({
        ...{ index, text: tokens.map((token) => token.text).join(''), logprobs: logprobsOf(request, tokens) },
        ...finishOf(request, tokens),
        token_ids: request.return_token_ids ? tokens.map(({ id }) => id) : null,
        prompt_logprobs: promptLogprobsOf(request, promptIds),
        prompt_token_ids: request.return_token_ids ? promptIds : null,
      })),
      usage,
    };
  }

  function wholeChat({ request, choices, pieces, promptIds, usage }: Answering): object {
    return {
      ...{ id: `chatcmpl-${nextId++}`, object: 'chat.completion', created: Math.floor(Date.now() / 1000) },
      model: request.model,
      choices: choices.map((tokens, index) => ({
        index,
        message: messageOf(pieces[index]!),
        ...{ logprobs: chatLogprobsOf(request, tokens), ...chatFinishOf(request, tokens, pieces[index]!) },
        token_ids: request.return_token_ids ? tokens.map(({ id }) => id) : null,
      })),
      usage,
      prompt_logprobs: promptLogprobsOf(request, promptIds),
      prompt_token_ids: request.return_token_ids ? promptIds : null,
    };
  }

  await start();
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, faults, received, scripts, chatScripts, cached, adapters, more },
    running: () => underWay,
    connections: () => connections,
    async restart() {
      await stop();
      await start();
    },
    stop,
    close: stop,
  };
}

let nextStart = 1_795_000_000.5;
let nextId = 1;

function logprobsOf({ logprobs, return_tokens_as_token_ids }: DoubleRequest, tokens: DoubleToken[]): object | null {
  if (typeof logprobs !== 'number') return null;
  const write = (id: number, text: string) => (return_tokens_as_token_ids ? `token_id:${id}` : text);
  return {
    text_offset: tokens.map(() => 0),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    tokens: tokens.map(({ id, text }) => write(id, text)),
    top_logprobs: tokens.map((token) => topOf(token, logprobs, (id) => write(id, ` t${id}`))),
  };
}

function chatLogprobsOf(
  { logprobs, top_logprobs: top = 0, return_tokens_as_token_ids }: DoubleRequest,
  tokens: DoubleToken[],
): object | null {
  if (!logprobs) return null;
  const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...Buffer.from(token)] });
  const write = (id: number, text = ` t${id}`) => (return_tokens_as_token_ids ? `token_id:${id}` : text);
  const content = tokens.map((token) => {
    const { id, text, logprob } = token;
    const others = top === 0 ? [] : Object.entries(topOf(token, top, (other) => write(other)));
    return {
      ...{ token: write(id, text), logprob, bytes: [...Buffer.from(text)] },
      top_logprobs: others.map(([other, value]) => entry(other, value)),
    };
  });
  return { content };
}

/** vLLM says `stop` where a call of one tool was asked for. */
function chatFinishOf(request: DoubleRequest, tokens: DoubleToken[], pieces: readonly DoublePiece[]) {
  const finish = finishOf(request, tokens);
  const hasCalls =
    pieces.some(({ delta }) => delta.tool_calls !== undefined) && typeof request.tool_choice !== 'object';
  return hasCalls && finish.finish_reason === 'stop' ? { ...finish, finish_reason: 'tool_calls' } : finish;
}

function promptLogprobsOf({ prompt_logprobs }: DoubleRequest, ids: number[]): object | null {
  if (typeof prompt_logprobs !== 'number') return null;
  return ids.map((id, i) => (i === 0 ? null : { [id]: { logprob: -id / 100, rank: 1, decoded_token: ` t${id}` } }));
}

function usageOf({ length: prompt_tokens }: number[], choices: DoubleToken[][], cached_tokens?: number) {
  const completion_tokens = choices.reduce((sum, { length }) => sum + length, 0);
  const counts = { prompt_tokens, total_tokens: prompt_tokens + completion_tokens, completion_tokens };
  return { ...counts, ...(cached_tokens === undefined ? {} : { prompt_tokens_details: { cached_tokens } }) };
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function problem(response: ServerResponse, code: number, message: string): void {
  json(response, code, { error: { message, type: 'Error', param: null, code } });
}

/** @throws if the client leaves in the meantime */
async function pause(response: ServerResponse, ms: number): Promise<void> {
  if (ms === 0) return;
  const left = new AbortController();
  const leave = () => left.abort();
  response.once('close', leave);
  await sleep(ms, undefined, { signal: left.signal });
  response.off('close', leave);
}

function closed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', () => resolve()));
}
