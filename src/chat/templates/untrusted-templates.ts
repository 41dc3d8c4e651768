import { type Failure, invalidInput } from '../../util/failures.ts';
import { IsolationLost } from '../../util/workers/isolated-process.ts';
import { type PoolOptions, ProcessPool } from '../../util/workers/process-pool.ts';
import type { ChatPrompt } from './render.ts';
import type { RenderReply, RenderRequest } from './template-process.ts';

const processFile = new URL('./template-process.ts', import.meta.url);
const sourceMax = 1 << 18;
const limits = { heapMb: 256, memoryMb: 256, niceness: 10 };

type Requester = { tenant: readonly [string, ...string[]]; signal: AbortSignal };

/**
 * Renders the templates of requests. A template is a program: it runs in its own process, which is killed when it takes
 * too much time or memory.
 */
export class UntrustedTemplates {
  readonly #pool: ProcessPool<RenderRequest, RenderReply>;
  readonly #timeoutMs: number;

  constructor(options: PoolOptions & { timeoutMs?: number }) {
    this.#pool = new ProcessPool(processFile, limits, options);
    this.#timeoutMs = options.timeoutMs ?? 2_000;
  }

  /** @throws Failure */
  render(template: string, prompt: ChatPrompt, requester: Requester): Promise<string> {
    return this.#run({ template, prompt }, requester);
  }

  /**
   * Fills in a template of a text, by the rules of MiniJinja.
   * @param variables the JSON text of an object
   * @throws Failure
   */
  renderText(template: string, variables: string, requester: Requester): Promise<string> {
    return this.#run({ template, variables }, requester);
  }

  async #run(request: RenderRequest, { tenant, signal }: Requester): Promise<string> {
    const { length } = request.template;
    if (length > sourceMax) {
      throw invalidInput(`chat_template has ${length} characters; it may have at most ${sourceMax}.`, {
        param: 'chat_template',
      });
    }
    const call = { timeoutMs: this.#timeoutMs, signal };
    const reply = await this.#pool
      .run(tenant, (process) => process.call(request, call), signal)
      .catch((error: Error) => {
        throw error instanceof IsolationLost && error.reason !== 'closed' ? this.#refusal(error) : error;
      });
    if ('refused' in reply) throw invalidInput(reply.refused, reply.extra);
    return reply.text;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #refusal({ reason }: IsolationLost): Failure {
    const limit = reason === 'time' ? `longer than ${this.#timeoutMs} ms` : `more than ${limits.heapMb} MB of memory`;
    return invalidInput(`chat_template takes ${limit} to render.`, { param: 'chat_template' });
  }
}
