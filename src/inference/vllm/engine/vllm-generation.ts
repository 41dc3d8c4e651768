import type { RunningGeneration } from '../../../engine/engine.ts';
import { finishOf } from '../../../engine/sampling/finish.ts';
import type { Sink } from '../../../engine/scheduling/generation.ts';
import type { Decoding, GenerationRequest } from '../../../engine/scheduling/generation-request.ts';
import { isAgainstServer } from '../servers/failures.ts';
import type { VllmRequest } from '../servers/send-to-one.ts';
import type { VllmServers } from '../servers/vllm-servers.ts';
import type { CompletionChunk } from '../servers/wire.ts';
import { plainFailure } from './plain-failure.ts';
import {
  answerFault,
  finishOfServer,
  positionLogprobs,
  promptScores,
  type ReadToken,
  tokensOf,
} from './read-tokens.ts';
import { beamsBody, scoresBody, sequenceBody } from './sequence-body.ts';

export type GenerationOptions = {
  servers: Pick<VllmServers, 'complete' | 'completeWhole'>;
  model: string;
  /** The name that the servers know the adapter by. */
  adapter: string | null;
  /** Whether the logprobs of the servers are those of the model for these sampling parameters, if nothing constrains the output. */
  hasModelLogprobs: boolean;
  /** Whether they are those of the distribution that tokens are drawn from. */
  hasDrawnLogprobs: boolean;
  /** Whether those of the model can be asked for once more. */
  scoresPrompts: boolean;
};

type Sampling = Decoding & { kind: 'sampling' };

/** Which tokens may come next: any, or the first of the reasoning or of the constrained text, or only what the constraint allows. */
type Phase = 'free' | 'opening' | 'constrained';

/** What ends the reading of an answer: the next tokens are constrained, or the sequence ends. */
type Taken = 'constrained' | 'end';

type Reading = { body: Record<string, unknown>; top: number | null; countsCached: boolean };

/** A request for tokens, at vLLM servers. Each of its sequences is a request of its own, which ends when its sequence does. */
export function startVllmGeneration(
  options: GenerationOptions,
  request: GenerationRequest,
  sink: Sink,
): RunningGeneration {
  const stop = new AbortController();
  const generation = new VllmGeneration(options, request, sink, stop);
  generation.run().then(
    () => sink.end(null),
    (error) => sink.end(plainFailure(error) as Error),
  );
  return { cancel: () => stop.abort(new Error('The generation was aborted.')) };
}

class VllmGeneration {
  readonly #options: GenerationOptions;
  readonly #request: GenerationRequest;
  readonly #sink: Sink;
  readonly #stop: AbortController;
  readonly #affinity: string;
  #hasBegun = false;
  /** How many tokens of the prompt a server had kept of earlier requests, as far as it is known. */
  #cachedTokens = 0;

  constructor(options: GenerationOptions, request: GenerationRequest, sink: Sink, stop: AbortController) {
    this.#options = options;
    this.#request = request;
    this.#sink = sink;
    this.#stop = stop;
    this.#affinity = request.beginning();
  }

  async run(): Promise<void> {
    const { decoding, promptLogprobs, promptIds } = this.#request;
    if (promptLogprobs !== null) {
      const logprobs = promptIds.length > 1 ? await this.#scores(promptIds, promptLogprobs) : [];
      this.#begin(logprobs);
    }
    if (decoding.kind === 'beams') return this.#beams(decoding);
    const sequences = decoding.seeds.map((seed, index) => this.#sequence(decoding, index, seed));
    const ends = await Promise.allSettled(
      sequences.map((each) =>
        each.catch((error) => {
          this.#stop.abort(error); // the others are of no use without it
          throw error;
        }),
      ),
    );
    if (ends.some(({ status }) => status === 'rejected')) throw this.#stop.signal.reason;
    if (this.#cachedTokens > 0) this.#sink.lateCachedTokens(this.#cachedTokens);
  }

  async #sequence(decoding: Sampling, index: number, seed: bigint): Promise<void> {
    const { constraint: held, topLogprobs } = this.#request;
    const output: number[] = [];
    let phase = firstPhase(this.#request);
    let late = 0;
    let isFirst = this.#request.promptLogprobs === null; // the next request finds the prompt that this one has computed
    while (true) {
      const isLate = topLogprobs !== null && (phase === 'constrained' || !this.#options.hasModelLogprobs);
      const constraint = phase === 'constrained' ? held!.constraint : null;
      const lateTop = this.#options.hasDrawnLogprobs ? 0 : null;
      const top = isLate ? lateTop : topLogprobs;
      const state = { seed, output, constraint, topLogprobs: top };
      const from = output.length;
      const asked = { body: sequenceBody(this.#request, decoding, state), top, countsCached: isFirst };
      const step = await this.#read(asked, (token) => {
        if (phase === 'opening' && token.id !== held!.prelude!.openingId) return 'constrained';
        if (phase === 'opening') phase = 'free';
        output.push(token.id);
        const finish = finishOf(output, this.#request.promptIds.length, this.#request.rules);
        const logprobs = isLate ? 'later' : token.logprobs;
        const isEnd = this.#sink.token(index, { ...token, logprobs, finish, drawnLogprob: this.#drawnLogprob(token) });
        if (finish || isEnd) return 'end';
        return held && phase === 'free' && !this.#sink.isInPrelude(index) ? 'constrained' : null;
      });
      isFirst = false;
      if (isLate) late += output.length - from;
      if (step === 'constrained') {
        phase = step;
        continue;
      }
      if (step !== 'end') this.#sink.sequenceEnded(index, step);
      if (late > 0) await this.#bringLogprobs(index, output, late, topLogprobs!);
      return;
    }
  }

  /**
   * Reads an answer until `take` returns something, or to its end. One that the server has ended, too, is read to its end, for the usage and
   * so that the connection is kept.
   * @returns what `take` has returned, or why the server has ended the sequence
   */
  async #read({ body, top, countsCached }: Reading, take: (token: ReadToken) => Taken | null) {
    const { rules } = this.#request;
    let taken: Taken | null = null;
    let finish: ReturnType<typeof finishOfServer> = null;
    try {
      await this.#options.servers.complete(this.#asking(body), ({ choices, usage }) => {
        if (usage && countsCached) this.#countCached(usage);
        for (const choice of choices) {
          const tokens = tokensOf(choice, top);
          if (!this.#hasBegun) this.#begin(null);
          for (const token of tokens) taken ??= take(token);
          if (taken === null) finish ??= finishOfServer(choice, rules.eosId);
          else if (!choice.finish_reason) return true;
        }
        return false;
      });
    } catch (error) {
      if (taken === null || !isAgainstServer(error)) throw error; // the answer is complete without its usage
    }
    const step = taken ?? finish;
    if (step === null) throw answerFault('has ended its answer without a reason');
    return step;
  }

  async #beams(decoding: Decoding & { kind: 'beams' }): Promise<void> {
    const { topLogprobs, rules } = this.#request;
    const body = beamsBody(this.#request, decoding);
    const { choices, usage } = await this.#options.servers.completeWhole(this.#asking(body));
    if (usage) this.#countCached(usage);
    if (!this.#hasBegun) this.#begin(null);
    for (const choice of choices.toSorted((a, b) => a.index - b.index)) {
      const finish = finishOfServer(choice, rules.eosId) ?? { finishReason: 'length', stopReason: null };
      const isEnd = tokensOf(choice, topLogprobs).some((token) =>
        this.#sink.token(choice.index, { ...token, drawnLogprob: null, finish: null }),
      );
      if (!isEnd) this.#sink.sequenceEnded(choice.index, finish);
    }
  }

  /**
   * Under a constraint, vLLM reports the logprobs of the tokens among those that the constraint allows. Those of the model come from a
   * request that has the answer in its prompt.
   */
  async #bringLogprobs(index: number, output: readonly number[], count: number, top: number): Promise<void> {
    const { promptIds } = this.#request;
    if (!this.#options.scoresPrompts) return this.#sink.lateLogprobs(index, null);
    try {
      const scores = await this.#scores([...promptIds, ...output], top);
      this.#sink.lateLogprobs(
        index,
        scores.slice(scores.length - count).map((each) => positionLogprobs(each, top)),
      );
    } catch {
      this.#stop.signal.throwIfAborted();
      this.#sink.lateLogprobs(index, null); // the answer is complete without them
    }
  }

  #drawnLogprob({ logprobs }: ReadToken): number | null {
    return this.#options.hasDrawnLogprobs ? (logprobs?.token.logprob ?? null) : null;
  }

  async #scores(ids: readonly number[], top: number) {
    const { choices } = await this.#options.servers.completeWhole(this.#asking(scoresBody(this.#request, ids, top)));
    return promptScores(choices[0] ?? { index: 0, text: '' }, ids);
  }

  #asking(body: Record<string, unknown>): VllmRequest {
    const { model, adapter } = this.#options;
    return { model, adapter, body, affinity: this.#affinity, signal: this.#stop.signal };
  }

  #begin(logprobs: Parameters<Sink['promptDone']>[0]['logprobs']): void {
    this.#hasBegun = true;
    this.#sink.promptDone({ cachedTokens: this.#cachedTokens, logprobs });
  }

  /** Servers report it only with `--enable-prompt-tokens-details`, and in a stream after all tokens. */
  #countCached({ prompt_tokens_details: details }: NonNullable<CompletionChunk['usage']>): void {
    this.#cachedTokens = Math.max(this.#cachedTokens, details?.cached_tokens ?? 0);
  }
}

function firstPhase({ constraint }: GenerationRequest): Phase {
  if (constraint === null || constraint.prelude?.isOpen) return 'free';
  return (constraint.prelude?.openingId ?? null) === null ? 'constrained' : 'opening';
}
