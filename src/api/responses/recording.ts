import type { FastifyBaseLogger } from 'fastify';
import type { ResponseRun } from '../../chat/responses/response-run.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { toApiError } from '../inference/generation-errors.ts';
import type { Trace, TracedAnswer } from '../inference/trace.ts';

type Options = {
  trace: Trace | null;
  /** The responses before it in its conversation. */
  earlier: string[];
  isStored: boolean;
  log: FastifyBaseLogger;
};

/**
 * Records a response as a call. `output` is the response as it is shown, with `prompt_token_ids`, `token_ids` and
 * `logprobs` beside its own fields; `attributes.heddle` has `sampling` and, under `response`, what is needed to find and
 * continue it.
 */
export class Recording {
  readonly run: ResponseRun;
  readonly #options: Options;
  #failure: Error | null = null;

  constructor(run: ResponseRun, options: Options) {
    this.run = run;
    this.#options = options;
  }

  /** Ends the response with an error. The client gets only a message that is safe to show. */
  fail(error: Error): void {
    this.#failure = error;
    this.run.fail(toApiError(error, this.#options.log).message);
  }

  cancel(reason: string): void {
    this.#failure = new Error(reason);
    this.run.cancel();
  }

  /** Writes the start; resolves when it is durable. @throws Failure if it cannot be stored */
  async begin(): Promise<void> {
    await this.#options.trace?.begin(this.#traced());
  }

  /** Writes what has ended. If it is stored, this resolves when it is durable. @throws Failure if it cannot be stored */
  async write(): Promise<void> {
    const { trace, isStored } = this.#options;
    if (isStored) await trace?.store(this.#traced(), this.#failure);
    else this.writeLater();
  }

  /** The same for an interrupted answer, which no request continues. */
  writeLater(): void {
    this.#options.trace?.end(this.#traced(), this.#failure);
  }

  #traced(): TracedAnswer {
    const { run } = this;
    const { settings } = run.generation;
    const { earlier, isStored } = this.#options;
    const { input_tokens_details: _, output_tokens_details: __, ...usage } = run.usage;
    return {
      output: () => ({ ...run.body(), ...run.tokens() }),
      attributes: () => ({
        sampling: { ...settings, seed: new JsonText(String(settings.seed)) },
        response: { id: run.head.id, stored: isStored, earlier },
      }),
      usage,
      bytes: run.bytes,
    };
  }
}
