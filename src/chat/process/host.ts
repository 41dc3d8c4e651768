import { openModel } from '../../engine/runtime/open-model.ts';
import type { LoadedModel } from '../../engine/runtime/types.ts';
import type { GrammarVocabulary } from '../../engine/grammars/grammar-requests.ts';
import type { GrammarSession } from '../../engine/grammars/grammar-session.ts';
import { Grammars, grammarVocabulary } from '../../engine/grammars/grammars.ts';
import { UntrustedTemplates } from '../templates/untrusted-templates.ts';
import { reasons } from '../output/tool-format.ts';
import { BeamTask } from '../../engine/scheduling/beam-generation.ts';
import type { Task } from '../../engine/scheduling/sequence.ts';
import { openModelText, type ServedText } from '../tokenizer/served-text.ts';
import { type Plan, planOf, toolsOf } from '../plan/plan.ts';
import { answerRole, echoedText, promptOf } from '../plan/prompt.ts';
import { PromptCache } from '../../engine/scheduling/prompt-cache.ts';
import { SamplingTask, type TaskOutlet } from '../../engine/scheduling/sampled-generation.ts';
import { Scheduler } from '../../engine/scheduling/scheduler.ts';
import type { Accepted, GenerateRequest, GenerationEvent, InferenceLimits, Tenant } from '../types.ts';

export type HostOptions = {
  path: string;
  cacheDirectory: string;
  limits: InferenceLimits;
  threads?: number;
  /** Called when the model can do nothing more, although nobody closed it. */
  onLost?: (cause: Error) => void;
};

/** A request that was found good and has not begun: whoever asked may be told before the first event comes. */
export type Prepared = {
  accepted: Accepted;
  start(outlet: { emit(event: GenerationEvent): void; end(error: Error | null): void }): Running;
};

export type Running = { cancel(): void };

/** One model with all that turns a request into tokens and tokens into an answer. */
export class Host {
  readonly #model: LoadedModel;
  readonly #text: ServedText;
  readonly #limits: InferenceLimits;
  readonly #scheduler: Scheduler;
  readonly #grammars: Grammars;
  readonly #templates: UntrustedTemplates;
  readonly #vocabularies = new Map<string, GrammarVocabulary>();

  constructor(model: LoadedModel, text: ServedText, limits: InferenceLimits, onStep: () => void) {
    this.#model = model;
    this.#text = text;
    this.#limits = limits;
    const pool = { processesMax: limits.preparersMax, waitingMax: limits.preparationsWaitingMax };
    this.#grammars = new Grammars(pool);
    this.#templates = new UntrustedTemplates(pool);
    this.#scheduler = new Scheduler(model, new PromptCache(model), limits, onStep);
  }

  /** Loads the weights on a thread of their own. @throws what is wrong with the files */
  static async open(options: HostOptions, onStep: () => void): Promise<Host> {
    const { path, cacheDirectory, threads, limits, onLost } = options;
    const given = { ...(threads === undefined ? {} : { threads }), ...(onLost === undefined ? {} : { onLost }) };
    const opening = openModel(path, { cacheDirectory, ...given });
    const reading = openModelText(path);
    const [model, text] = await Promise.allSettled([opening, reading]);
    if (text.status === 'fulfilled') return new Host(await opening, text.value, limits, onStep);
    if (model.status === 'fulfilled') await model.value.close();
    throw text.reason;
  }

  /**
   * Checks everything there is to check, so that what fails later is no mistake of the caller.
   * @throws BadRequest, Overloaded
   */
  async prepare(request: GenerateRequest, signal: AbortSignal): Promise<Prepared> {
    const { body, tenant } = request;
    const asker = { tenant, signal };
    this.#scheduler.checkRoom(tenant);
    toolsOf(body);
    const prompt = await promptOf(body, this.#text, this.#model.contextMax, (template, chat) =>
      this.#templates.render(template, chat, asker),
    );
    const plan = planOf(request, prompt, { model: this.#model, text: this.#text, limits: this.#limits });
    const sessions = await this.#openGrammars(plan, asker);
    const { promptIds, settings } = plan;
    return {
      accepted: {
        ...{ promptIds, settings, role: answerRole(body), echoed: echoedText(body) },
        reasons: reasons(prompt.template),
      },
      start: (outlet) => this.#start(plan, sessions, outlet),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#grammars.close(), this.#templates.close()]);
    await this.#model.close();
  }

  #start(plan: Plan, sessions: (GrammarSession | null)[], outlet: Omit<TaskOutlet, 'release'>): Running {
    const scheduler = this.#scheduler;
    const whole: TaskOutlet = { ...outlet, release: (lane) => scheduler.release(lane) };
    const task: Task = plan.usesBeams ? new BeamTask(plan, whole) : new SamplingTask(plan, sessions, whole);
    scheduler.add(task);
    return {
      cancel() {
        task.fail(new Error('The generation was aborted.'));
        scheduler.remove(task);
      },
    };
  }

  /** A grammar for each choice, compiled before anything is generated. */
  async #openGrammars(
    { constraint: held, seeds, spokenIds }: Plan,
    asker: { tenant: Tenant; signal: AbortSignal },
  ): Promise<(GrammarSession | null)[]> {
    if (!held) return [];
    const vocabulary = this.#vocabulary(spokenIds);
    await this.#grammars.check(vocabulary, held.constraint, held.param, asker);
    const opened = await Promise.allSettled(seeds.map(() => this.#grammars.open(vocabulary, held.constraint)));
    const failed = opened.find((each) => each.status === 'rejected');
    if (!failed) return opened.map((each) => (each as PromiseFulfilledResult<GrammarSession>).value);
    for (const each of opened) if (each.status === 'fulfilled') each.value.close();
    throw failed.reason;
  }

  #vocabulary(spokenIds: readonly number[]): GrammarVocabulary {
    const key = spokenIds.join();
    const known = this.#vocabularies.get(key);
    const vocabulary = known ?? grammarVocabulary(this.#text.tokenizer, this.#text.eosIds, spokenIds);
    this.#vocabularies.set(key, vocabulary);
    return vocabulary;
  }
}
