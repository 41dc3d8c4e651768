import type { ChatLimits, EngineVersion } from '../../../chat/types.ts';
import type { AdapterId } from '../../../engine/adapter-id.ts';
import type { AdapterFiles } from '../../../engine/adapters/adapter-files.ts';
import type { RunningGeneration } from '../../../engine/engine.ts';
import { Grammars } from '../../../engine/grammars/grammars.ts';
import { isNeutral } from '../../../engine/sampling/is-neutral.ts';
import { type DrawKind, drawKindOf } from '../../../engine/scheduling/draw-kind.ts';
import type { EmbeddingRequest } from '../../../engine/scheduling/embedding-generation.ts';
import type { Sink } from '../../../engine/scheduling/generation.ts';
import type { Decoding, GenerationRequest } from '../../../engine/scheduling/generation-request.ts';
import type { HostEngine } from '../../hosts/host-engine.ts';
import { preparations } from '../../hosts/preparations.ts';
import type { ServerText } from '../../hosts/server-text.ts';
import type { ModelLoad } from '../../observer.ts';
import { openServerText } from '../server-text/server-text.ts';
import type { Capabilities } from '../servers/probe.ts';
import { openVllmServers, type VllmServers } from '../servers/vllm-servers.ts';
import { embedAtServers } from './embed-at-servers.ts';
import { withPlainFailures } from './plain-failure.ts';
import { lacks } from './refusals.ts';
import { openServedAdapters, type ServedAdapters } from './served-adapters.ts';
import { startVllmGeneration } from './vllm-generation.ts';

export type VllmStart = {
  addresses: readonly string[];
  apiKey: string | null;
  /** Whether the logprobs of prompts may be asked for. */
  scoresPrompts: boolean;
  /** The name of the model at the servers. */
  model: string;
  contextMax: number;
  /** Null without the files of the model here. */
  vocabSize: number | null;
  /** A folder that the servers see at the same path; null if none was set. */
  adaptersFolder: string | null;
};

/** Generates the tokens of one model at vLLM servers. */
export class VllmEngine implements HostEngine {
  readonly contextMax: number;
  readonly vocabSize: number;
  readonly fingerprint = null;
  readonly drawsOwnSeeds: boolean = true;
  readonly serverText: ServerText;
  readonly #model: string;
  readonly #servers: VllmServers;
  readonly #adapters: ServedAdapters;
  readonly #grammars: Grammars;

  constructor(start: VllmStart, servers: VllmServers, limits: ChatLimits) {
    const { model, adaptersFolder: folder } = start;
    this.contextMax = start.contextMax;
    this.vocabSize = start.vocabSize ?? Number.POSITIVE_INFINITY;
    this.#model = model;
    this.#servers = servers;
    this.#adapters = openServedAdapters({ model, folder, servers });
    this.#grammars = new Grammars(preparations(limits));
    const { contextMax, vocabSize } = this;
    this.serverText = openServerText({
      servers,
      model,
      contextMax,
      vocabSize,
      loadAdapter: (files) => this.#load(files),
    });
  }

  /** @throws Failure if no server responds */
  static async open(start: VllmStart, limits: ChatLimits): Promise<VllmEngine> {
    const { addresses, apiKey, scoresPrompts } = start;
    const servers = await openVllmServers({ addresses, apiKey, scoresPrompts, log: quiet });
    return new VllmEngine(start, servers, limits);
  }

  /** Servers report only their version. */
  get version(): EngineVersion {
    const versions = new Set(this.#servers.states().flatMap(({ version }) => version ?? []));
    const version = versions.size === 0 ? null : [...versions].join(', ');
    return { name: 'vllm', version, arithmetic: null, threads: null, batchInvariant: null };
  }

  /** Servers have queues of their own. */
  checkRoom(): void {}

  /** @throws Failure */
  async drawKind(request: GenerationRequest): Promise<DrawKind> {
    const kind = drawKindOf(request);
    if (kind !== 'adjusted') return kind;
    const { logprobs } = await withPlainFailures(() => this.#servers.capabilities(this.#model));
    return hasDrawnLogprobs(logprobs, request.decoding) ? kind : 'unreported';
  }

  /** @throws Failure */
  async prepare(request: GenerationRequest, signal: AbortSignal): Promise<(sink: Sink) => RunningGeneration> {
    const { adapter: files, constraint: held, decoding, tenant } = request;
    if (held && decoding.kind === 'sampling') {
      const { vocabulary, constraint, field } = held;
      await this.#grammars.check(vocabulary, constraint, { tenant, signal, field });
    }
    const adapter = files === null ? null : await this.#load(files);
    const { logprobs, ...can } = await withPlainFailures(() => this.#servers.capabilities(this.#model));
    if (!can.returnsTokenIds) throw lacks(this.#model, 'return_token_ids');
    if (held && !can.structuredOutputs) throw lacks(this.#model, held.field);
    if (request.promptLogprobs !== null && !can.promptLogprobs) throw lacks(this.#model, 'prompt_logprobs');
    const options = {
      ...{ servers: this.#servers, model: this.#model, adapter },
      scoresPrompts: can.promptLogprobs,
      hasModelLogprobs: logprobs === 'raw' || (logprobs === 'processed' && isUnchanged(decoding)),
      hasDrawnLogprobs: hasDrawnLogprobs(logprobs, decoding),
    };
    return (sink) => startVllmGeneration(options, request, sink);
  }

  async loadAdapter(files: AdapterFiles): Promise<void> {
    await this.#load(files);
  }

  unloadAdapter(id: AdapterId): Promise<void> {
    return this.#adapters.unload(id);
  }

  /** @throws Failure */
  async embed(
    { ids, adapter: files, normalizes, priority }: EmbeddingRequest,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const adapter = files === null ? null : await this.#load(files);
    const text = { model: this.#model, adapter, input: ids, normalizes, priority };
    return (await embedAtServers(this.#servers, text, signal)).vector;
  }

  /** Nothing is kept here. */
  async forgetPrompts(): Promise<void> {}

  async limitMemory(bytesMax: number): Promise<number> {
    return bytesMax;
  }

  async load(): Promise<Omit<ModelLoad, 'residentBytes'>> {
    const vllmServers = this.#servers.states();
    const serving = vllmServers.filter(({ models }) => models.includes(this.#model));
    return {
      running: serving.reduce((sum, { inFlight }) => sum + inFlight, 0),
      waiting: serving.reduce((sum, { waiting }) => sum + waiting, 0),
      ...{ cacheBytes: 0, cacheBytesMax: 0, guesses: { guessed: 0, right: 0 } },
      vllmServers,
    };
  }

  #load(files: AdapterFiles): Promise<string> {
    return withPlainFailures(() => this.#adapters.load(files));
  }

  async close(): Promise<void> {
    await Promise.all([this.#grammars.close(), this.#servers.close()]);
  }
}

/** Whether a server reports the logprobs of the distribution that it draws from. Raw ones are among the tokens that a constraint allows. */
function hasDrawnLogprobs(logprobs: Capabilities['logprobs'], decoding: Decoding): boolean {
  return logprobs === 'processed' || (logprobs === 'raw' && isUnchanged(decoding));
}

function isUnchanged(decoding: Decoding): boolean {
  return decoding.kind === 'beams' || isNeutral(decoding.parameters, decoding.badWords);
}

/** The server's own process logs what happens to servers. */
const quiet = { info() {}, warn() {} };
