import { responseId } from '../../chat/responses/ids.ts';
import type { OutputOptions } from '../../chat/responses/output-builder.ts';
import { ResponseRun } from '../../chat/responses/response-run.ts';
import type { TextGeneration } from '../../chat/types.ts';
import type { ResponseEvent } from '../../contract/responses/events.ts';
import type { ResponseRequest } from '../../contract/responses/request.ts';
import type { ResponseBody } from '../../contract/responses/response.ts';
import { Canceled } from '../../util/failures.ts';
import type { OpenedRequest } from '../completions/own/opened-request.ts';
import { type RecordedAnswer, recordedOrigin, recordedSampling } from '../completions/own/recorded-answer.ts';

export type NewResponse = {
  body: ResponseRequest;
  generation: TextGeneration;
  /** The responses before it in its conversation. */
  earlier: string[];
  shown: Omit<OutputOptions, 'responseId'>;
  faults: Faults;
};

/** What becomes of errors that no request waits for. */
type Faults = {
  /** Logs why a generation failed, and returns a message that is safe to show. */
  describe(error: Error): string;
  /** Logs why a response was not recorded. */
  lost(error: Error): void;
};

/**
 * A response that is being generated and recorded as a call. `output` is the response as it is shown, with
 * `prompt_token_ids`, `token_ids` and `logprobs` beside its own fields; `attributes.heddle` has `sampling`, `draws`, `engine`, `digests`
 * and, under `response`, what is needed to find and continue it.
 */
export class Recording {
  readonly run: ResponseRun;
  readonly #request: OpenedRequest;
  readonly #earlier: string[];
  readonly #faults: Faults;
  #failure: Error | null = null;

  constructor(request: OpenedRequest, { body, generation, earlier, shown, faults }: NewResponse) {
    const { call, startedAt } = request;
    const head = {
      id: call === null ? unrecordedId() : responseId({ callId: call.id, projectId: call.projectId }),
      createdAt: Math.floor(startedAt / 1_000_000),
      body,
      model: generation.model.name,
      isStored: call !== null && body.store !== false,
      sampling: generation.settings,
    };
    this.run = new ResponseRun(head, generation, shown);
    this.#request = request;
    this.#earlier = earlier;
    this.#faults = faults;
  }

  /**
   * The events of the response, except for the last. Before they end, a response that is stored is durable. Leaving them cancels
   * the response.
   * @throws Failure if the generation fails, or if the response cannot be stored
   */
  async *events(): AsyncGenerator<ResponseEvent[], void, undefined> {
    let isWritten = false;
    try {
      yield this.run.opening();
      for await (const event of this.run.generation.events) {
        const made = this.run.take(event);
        if (made.length > 0) yield made;
      }
      await this.#write();
      isWritten = true;
    } catch (error) {
      this.#fail(error as Error);
      this.#writeLater();
      isWritten = true;
      throw error;
    } finally {
      if (!isWritten) {
        this.#cancel('The client hung up.');
        this.#writeLater();
      }
    }
  }

  /** Writes the start of a response that no client waits for; resolves when it is durable. @throws Failure if it cannot be stored */
  async begin(): Promise<ResponseBody> {
    await this.#request.recordStart(this.#recorded());
    return this.run.body();
  }

  /** Reads a response that no client waits for to its end, or until it is stopped. */
  async finish(stopped: AbortSignal): Promise<void> {
    try {
      for await (const event of this.run.generation.events) this.run.take(event);
    } catch (error) {
      if (stopped.aborted) this.#cancel('The response was canceled.');
      else this.#fail(error as Error);
    }
    await this.#write().catch((error) => this.#faults.lost(error));
  }

  /** The client gets only a message that is safe to show. */
  #fail(error: Error): void {
    this.#failure = error;
    this.run.fail(this.#faults.describe(error));
  }

  #cancel(reason: string): void {
    this.#failure = new Canceled(reason);
    this.run.cancel();
  }

  async #write(): Promise<void> {
    if (this.run.head.isStored) await this.#request.record(this.#recorded(), this.#failure);
    else this.#writeLater();
  }

  /** For an interrupted answer, which no request continues. */
  #writeLater(): void {
    this.#request.recordLater(this.#recorded(), this.#failure);
  }

  #recorded(): RecordedAnswer {
    const { run } = this;
    const { input_tokens_details: _, output_tokens_details: __, ...usage } = run.usage;
    const { id, isStored } = run.head;
    return {
      output: () => ({ ...run.body(), ...run.tokens() }),
      attributes: () => ({
        sampling: recordedSampling(run.generation.settings),
        ...recordedOrigin(run.generation, run.choices),
        response: { id, stored: isStored, earlier: this.#earlier },
      }),
      usage,
      bytes: run.bytes,
    };
  }
}

function unrecordedId(): string {
  return `resp_${crypto.randomUUID().replaceAll('-', '')}`;
}
