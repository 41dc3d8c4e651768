import { BadRequest } from '../../bad-request.ts';
import { type Isolated, IsolationLost, isolatedProcess } from '../../isolation/isolated.ts';
import type { ChatPrompt } from './render.ts';
import type { RenderReply, RenderRequest } from './template-process.ts';

const processFile = new URL('./template-process.ts', import.meta.url);
const sourceMax = 1 << 18;
const heapMb = 256;

/**
 * Renders templates that come with requests. A template is a program: it runs in a process of its own, which is killed
 * when it takes too long or too much memory, and started again for the next.
 */
export class UntrustedTemplates {
  readonly #timeoutMs: number;
  #process: Isolated | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: { timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? 2_000;
  }

  render(template: string, prompt: ChatPrompt): Promise<string> {
    if (template.length > sourceMax) {
      throw new BadRequest(`chat_template must not be longer than ${sourceMax} characters.`, 'chat_template');
    }
    // One at a time, so that a template that is killed takes no other with it.
    const text = this.#last.then(() => this.#render({ template, prompt }));
    this.#last = text.catch(() => {});
    return text;
  }

  close(): void {
    this.#process?.close();
  }

  async #render(request: RenderRequest): Promise<string> {
    if (!this.#process?.isAlive) this.#process = await startedProcess();
    try {
      const reply = (await this.#process.call(request, { timeoutMs: this.#timeoutMs })) as RenderReply;
      if ('refused' in reply) throw new BadRequest(reply.refused, reply.param);
      return reply.text;
    } catch (error) {
      if (!(error instanceof IsolationLost)) throw error;
      const why = error.reason === 'time' ? `longer than ${this.#timeoutMs} ms` : 'more memory than it may';
      throw new BadRequest(`chat_template takes ${why} to render.`, 'chat_template');
    }
  }
}

const startTimeoutMs = 30_000;

/** Started and ready, so that the time limit is the template's alone. */
async function startedProcess(): Promise<Isolated> {
  const started = isolatedProcess(processFile, { heapMb });
  const prompt: ChatPrompt = {
    messages: [{ role: 'user', content: '' }],
    addGenerationPrompt: false,
    continueFinalMessage: false,
    templateVariables: {},
    now: new Date(0),
  };
  await started.call({ template: '', prompt } satisfies RenderRequest, { timeoutMs: startTimeoutMs });
  return started;
}
