import { openModel } from '../runtime/open-model.ts';
import type { LoadedModel } from '../runtime/types.ts';
import type { GrammarVocabulary } from '../structured/grammar-requests.ts';
import { type GrammarSession, Grammars, grammarVocabulary } from '../structured/grammars.ts';
import { UntrustedTemplates } from '../text/chat/untrusted-templates.ts';
import { reasons } from '../text/output/tool-format.ts';
import { BeamTask } from './beam-task.ts';
import type { Task } from './lane.ts';
import { openModelText, type ServedText } from './model-text.ts';
import { type Plan, planOf, toolsOf } from './plan.ts';
import { answerRole, echoedText, promptOf } from './prompt.ts';
import { PromptCache } from './prompt-cache.ts';
import { SamplingTask, type TaskOutlet } from './sampling-task.ts';
import { Scheduler } from './scheduler.ts';
import type { Accepted, GenerateRequest, GenerationEvent, InferenceLimits } from './types.ts';

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
  readonly #grammars = new Grammars();
  readonly #templates = new UntrustedTemplates();
  readonly #vocabularies = new Map<string, GrammarVocabulary>();
  #arrivals = 0;

  constructor(model: LoadedModel, text: ServedText, limits: InferenceLimits, onStep: () => void) {
    this.#model = model;
    this.#text = text;
    this.#limits = limits;
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
  async prepare(request: GenerateRequest): Promise<Prepared> {
    const { body } = request;
    this.#scheduler.checkRoom();
    toolsOf(body);
    const prompt = await promptOf(body, this.#text, this.#model.contextMax, this.#templates);
    const plan = planOf(request, prompt, { model: this.#model, text: this.#text, limits: this.#limits });
    const sessions = await this.#openGrammars(plan);
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
    this.#grammars.close();
    this.#templates.close();
    await this.#model.close();
  }

  #start(plan: Plan, sessions: (GrammarSession | null)[], outlet: Omit<TaskOutlet, 'release'>): Running {
    const arrival = this.#arrivals++;
    const scheduler = this.#scheduler;
    const whole: TaskOutlet = { ...outlet, release: (lane) => scheduler.release(lane) };
    const task: Task = plan.usesBeams
      ? new BeamTask(plan, arrival, whole)
      : new SamplingTask(plan, arrival, sessions, whole);
    scheduler.add(task);
    return {
      cancel() {
        task.fail(new Error('The generation was aborted.'));
        scheduler.remove(task);
      },
    };
  }

  /** A grammar for each choice, compiled before anything is generated. */
  async #openGrammars({ constraint: held, seeds, spokenIds }: Plan): Promise<(GrammarSession | null)[]> {
    if (!held) return [];
    const vocabulary = this.#vocabulary(spokenIds);
    await this.#grammars.check(vocabulary, held.constraint, held.param);
    return Promise.all(seeds.map(() => this.#grammars.open(vocabulary, held.constraint)));
  }

  #vocabulary(spokenIds: readonly number[]): GrammarVocabulary {
    const key = spokenIds.join();
    const known = this.#vocabularies.get(key);
    const vocabulary = known ?? grammarVocabulary(this.#text.tokenizer, this.#text.eosIds, spokenIds);
    this.#vocabularies.set(key, vocabulary);
    return vocabulary;
  }
}
