import type { z } from 'zod';
import { Failure, isRefusal } from '../../../util/failures.ts';
import type { Answering } from './answering-processes.ts';
import { checkIds } from './check-ids.ts';
import type { CircuitOptions, CircuitState } from './circuit.ts';
import { type HttpClient, openHttpClient, type StreamShape, type Take } from './http-client.ts';
import { type Capabilities, common } from './probe.ts';
import { ableServers, noServerResponds, sendToOne, type VllmRequest } from './send-to-one.ts';
import type { Send } from './send-to-server.ts';
import { VllmServer } from './server.ts';
import { isTokenChunk } from './token-chunk.ts';
import {
  type ChatAnswer,
  type ChatChunk,
  type CompletionChunk,
  chatAnswer,
  chatChunk,
  completionChunk,
  detokenizeAnswer,
  type EmbeddingAnswer,
  embeddingAnswer,
  type TokenizeAnswer,
  tokenizeAnswer,
} from './wire.ts';

/** vLLM servers, asked over HTTP for the models that they serve. */
export type VllmServers = {
  /** The base models that servers list, by name. Those of a server that is away stay as it listed them. */
  models(): VllmModel[];
  /** The servers as they are now, in the order of their addresses. */
  states(): VllmServerState[];
  /**
   * Streams the answer of `POST /v1/completions`. A request that no token has come for goes to another server if its own is lost.
   * Resolves at the end of the answer, or where `take` returns true. @throws Failure, and what `take` throws
   */
  complete(request: VllmRequest, take: Take<CompletionChunk>): Promise<void>;
  /** The same in one piece, which alone can have `prompt_logprobs`. */
  completeWhole(request: VllmRequest): Promise<CompletionChunk>;
  /** The same for `POST /v1/chat/completions`. */
  chat(request: VllmRequest, take: Take<ChatChunk>): Promise<void>;
  /** The same in one piece, which alone can have `prompt_logprobs` or beams. */
  chatWhole(request: VllmRequest): Promise<ChatAnswer>;
  /** The answer of `POST /v1/embeddings`. @throws Failure */
  embed(request: VllmRequest): Promise<EmbeddingAnswer>;
  /** The answer of `POST /tokenize`. @throws Failure */
  tokenize(request: VllmRequest): Promise<TokenizeAnswer>;
  /** The text of `POST /detokenize`. @throws Failure */
  detokenize(request: VllmRequest): Promise<string>;
  /**
   * Loads an adapter into every server of the model that responds. Others load it with its first request, as after a restart.
   * The folder must be at this path on the servers' machines, and stay there until the adapter is unloaded.
   * @throws Failure
   */
  loadAdapter(adapter: VllmAdapter): Promise<void>;
  /** Refuses new requests for it, and resolves when it is unloaded, after the requests that use it have ended. */
  unloadAdapter(name: string): Promise<void>;
  /** What all servers of a model can do that respond. It was asked at each start of a server. @throws Failure */
  capabilities(model: string): Promise<Capabilities>;
  /** Looks at all servers now. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** `name` is what requests use; a name is never used for other weights. */
export type VllmAdapter = { model: string; name: string; path: string };

export type VllmModel = {
  name: string;
  /** The addresses that list it. */
  servers: string[];
  /** Where its files are on the servers: usually one folder or one name. */
  roots: string[];
  /** The most tokens that a sequence may have, on any of the servers. Null if they do not say. */
  contextLength: number | null;
};

export type VllmServerState = {
  address: string;
  circuit: CircuitState;
  /** Why it gets no requests, or only some. It continues "The server ...". */
  reason: string | null;
  /** When the circuit changed last. */
  since: Date;
  /** Requests of everybody at the last check. */
  running: number;
  waiting: number;
  /** Requests of this process now. */
  inFlight: number;
  models: string[];
  /** Adapters that this process has loaded. */
  adapters: string[];
  version: string | null;
  /** Adapters are not loaded into several processes behind one address. */
  answering: Answering;
  /** Whether adapters can be loaded while it runs. Null until it was asked. */
  loadsAdapters: boolean | null;
};

type VllmServersOptions = {
  addresses: readonly string[];
  /** Sent as a bearer token. */
  apiKey: string | null;
  /** Whether the logprobs of prompts may be asked for, which ends some servers. */
  scoresPrompts?: boolean;
  limits?: Partial<VllmLimits>;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Called when `models` answers something else than before. */
  onModels?(): void;
};

/** Times are in milliseconds. */
type VllmLimits = {
  connectMsMax: number;
  /** For small requests, such as checks. */
  answerMsMax: number;
  /** Until the first chunk, which includes waiting for a turn. */
  firstMsMax: number;
  /** Between two chunks. */
  stallMsMax: number;
  loadMsMax: number;
  probeMsMax: number;
  /** Between two checks of a server. */
  checkMs: number;
  circuit: CircuitOptions;
  /** How many servers a request is sent to. */
  attemptsMax: number;
  connectionsMax: number;
  /** How many adapters this process loads into a server. */
  adaptersMax: number;
};

const defaultLimits: VllmLimits = {
  connectMsMax: 5_000,
  answerMsMax: 10_000,
  firstMsMax: 600_000,
  stallMsMax: 120_000,
  loadMsMax: 120_000,
  probeMsMax: 120_000,
  checkMs: 5_000,
  circuit: { failuresMax: 3, firstMs: 1_000, waitMsMax: 60_000 },
  attemptsMax: 3,
  connectionsMax: 1024,
  adaptersMax: 64,
};

/** Resolves when each server was looked at. Those that are away are looked at again later. @throws if an address is not one */
export async function openVllmServers(options: VllmServersOptions): Promise<VllmServers> {
  const limits = { ...defaultLimits, ...options.limits };
  const http = openHttpClient({ ...limits, apiKey: options.apiKey });
  const servers = addressesOf(options.addresses).map((address) => makeServer(address, http, limits, options));
  await checkAll();
  for (const { address, circuit } of servers) {
    if (circuit.state === 'open')
      options.log.warn({ address, reason: circuit.reason }, 'a vLLM server does not respond');
  }

  /** The adapters that were loaded here, by name. */
  const adapters = new Map<string, VllmAdapter>();
  const { attemptsMax, firstMsMax, stallMsMax } = limits;
  const sending = { servers, pathOf: (name: string) => adapters.get(name)?.path, attemptsMax };
  const closing = new AbortController();

  async function checkAll(): Promise<void> {
    await Promise.all(servers.map((server) => server.check()));
  }

  function stream<Chunk>(
    path: string,
    request: VllmRequest,
    shape: StreamShape<Chunk>,
    take: Take<Chunk>,
    check: Check<Chunk> = unchecked,
  ): Promise<void> {
    const body = { ...bodyOf(request), stream: true, stream_options: { include_usage: true } };
    const signal = AbortSignal.any([request.signal, closing.signal]);
    const send: Send<Chunk> = (address, either, takeOne) => {
      const see = check(address);
      return http.stream(address, { path, body, signal: either, firstMsMax, stallMsMax }, shape, (chunk) => {
        see(chunk);
        return takeOne(chunk);
      });
    };
    return sendToOne(sending, { ...request, signal }, send, take);
  }

  async function whole<Answer>(
    path: string,
    request: VllmRequest,
    schema: z.ZodType<Answer>,
    check: Check<Answer> = unchecked,
  ): Promise<Answer> {
    const signal = AbortSignal.any([request.signal, closing.signal]);
    const answers: Answer[] = [];
    const send: Send<Answer> = async (address, either, take) => {
      const asked = { path, body: bodyOf(request), signal: either, timeoutMs: firstMsMax };
      const answer = await http.askFor(address, asked, schema);
      check(address)(answer);
      take(answer);
    };
    await sendToOne(sending, { ...request, signal }, send, (answer) => answers.push(answer) > 0);
    return answers[0]!;
  }

  return {
    models: () => modelsOf(servers),
    states: () => servers.map(stateOf),
    complete: (request, take) => stream('/v1/completions', request, completionShape, take, checkOf(request)),
    completeWhole: (request) => whole('/v1/completions', request, completionChunk, checkOf(request)),
    chat: (request, take) => stream('/v1/chat/completions', request, { schema: chatChunk }, take),
    chatWhole: (request) => whole('/v1/chat/completions', request, chatAnswer),
    embed: (request) => whole('/v1/embeddings', request, embeddingAnswer),
    tokenize: (request) => whole('/tokenize', request, tokenizeAnswer),
    detokenize: async (request) => (await whole('/detokenize', request, detokenizeAnswer)).prompt,
    async loadAdapter(adapter) {
      adapters.set(adapter.name, adapter);
      try {
        await loadEverywhere(servers, adapter);
      } catch (error) {
        adapters.delete(adapter.name);
        throw error;
      }
    },
    async unloadAdapter(name) {
      adapters.delete(name);
      await Promise.all(servers.map((server) => server.adapters.unload(name)));
    },
    async capabilities(model) {
      const asked = responding(ableServers(servers, { model }, undefined), model);
      const { loadsAdapters, ...same } = common(await Promise.all(asked.map((server) => server.capabilities(model))));
      return { ...same, loadsAdapters: loadsAdapters && asked.every(({ answering }) => answering.kind !== 'several') };
    },
    check: checkAll,
    async close() {
      closing.abort(new Failure('unavailable', 'The server is stopping.'));
      await Promise.all(servers.map((server) => server.close()));
      await http.close();
    },
  };
}

/** @throws Failure if no server could load it, or one refuses it */
async function loadEverywhere(servers: readonly VllmServer[], adapter: VllmAdapter): Promise<void> {
  const { model, name, path } = adapter;
  const able = responding(ableServers(servers, { model, adapter: name }, path), model);
  const loaded = await Promise.allSettled(able.map(async (server) => (await server.adapters.hold(adapter)).release()));
  const failures = loaded.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const refusal = failures.find(isRefusal);
  if (refusal || failures.length === able.length) throw refusal ?? failures[0];
}

/** @throws Failure if none does */
function responding(servers: readonly VllmServer[], model: string): VllmServer[] {
  const found = servers.filter(({ circuitState }) => circuitState !== 'open');
  if (found.length === 0) throw noServerResponds(model);
  return found;
}

/** @throws if one is not an address of HTTP */
function addressesOf(addresses: readonly string[]): string[] {
  const found = addresses.map((address) => {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || !['http:', 'https:'].includes(url.protocol))
      throw new Error(`${address} is not an address of a vLLM server, such as http://vllm:8000.`);
    if (url.username !== '' || url.password !== '')
      throw new Error(`The address of the vLLM server ${url.host} contains a user name or a password. Use an API key.`);
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '');
  });
  return [...new Set(found)];
}

function makeServer(
  address: string,
  http: HttpClient,
  limits: VllmLimits,
  { log, onModels, scoresPrompts = true }: VllmServersOptions,
): VllmServer {
  const adapters = { loadedMax: limits.adaptersMax, loadMsMax: limits.loadMsMax };
  const server: VllmServer = new VllmServer(
    address,
    http,
    { ...limits, adapters, scoresPrompts },
    {
      onModels: () => onModels?.(),
      onNewProcess: () => log.info({ address }, 'a vLLM server was found'),
      onCircuit: () => {
        const { state, reason } = server.circuit;
        if (state === 'open') log.warn({ address, reason }, 'a vLLM server gets no requests');
        else log.info({ address, state }, 'a vLLM server gets requests');
      },
    },
  );
  return server;
}

/** Checks the parts of one answer, in order. */
type Check<Part> = (address: string) => (part: Part) => void;
const unchecked = () => () => {};

const completionShape = { schema: completionChunk, isUsual: isTokenChunk };

function checkOf({ body }: VllmRequest): Check<CompletionChunk> | undefined {
  return body.return_token_ids ? checkIds : undefined;
}

function bodyOf({ model, adapter, body }: VllmRequest): Record<string, unknown> {
  return { ...body, model: adapter ?? model };
}

function modelsOf(servers: readonly VllmServer[]): VllmModel[] {
  const names = new Set(servers.flatMap(({ facts }) => facts?.models.map(({ id }) => id) ?? []));
  return [...names].sort().map((name) => {
    const serving = servers.filter((server) => server.serves(name));
    const listed = serving.flatMap(({ facts }) => facts!.models.filter(({ id }) => id === name));
    const lengths = listed.flatMap(({ max_model_len }) => max_model_len ?? []);
    return {
      name,
      servers: serving.map(({ address }) => address),
      roots: [...new Set(listed.flatMap(({ root }) => root ?? []))],
      contextLength: lengths.length === 0 ? null : Math.min(...lengths),
    };
  });
}

function stateOf({
  address,
  circuit,
  facts,
  inFlight,
  adapters,
  answering,
  loadsAdapters,
}: VllmServer): VllmServerState {
  const { state, reason, since } = circuit;
  const { running = 0, waiting = 0 } = facts?.metrics ?? {};
  return {
    ...{ address, circuit: state, reason, since, running, waiting, inFlight },
    models: facts?.models.map(({ id }) => id) ?? [],
    adapters: adapters.loaded,
    version: facts?.version ?? null,
    answering,
    loadsAdapters,
  };
}
