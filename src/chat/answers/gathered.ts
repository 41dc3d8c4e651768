import type { ChoiceEvent, GenerationEvent } from '../types.ts';

export type GatheredChoice = Omit<ChoiceEvent, 'kind' | 'index'>;
type PromptEvent = GenerationEvent & { kind: 'prompt' };

/** The events of one generation, as far as they have arrived. */
export class Gathered {
  readonly choices: readonly GatheredChoice[];
  cachedTokens = 0;
  promptLogprobs: PromptEvent['promptLogprobs'] = null;
  echoedTokens: PromptEvent['echoedTokens'] = null;

  #counted: (GenerationEvent & { kind: 'counted' }) | null = null;

  constructor(choices: number) {
    this.choices = Array.from({ length: choices }, () => ({
      ...{ ids: [], logprobs: [], drawnLogprobs: [], deltas: [], finish: null },
    }));
  }

  take(event: GenerationEvent): void {
    if (event.kind === 'prompt') {
      this.cachedTokens = event.cachedTokens;
      this.promptLogprobs = event.promptLogprobs;
      this.echoedTokens = event.echoedTokens;
      return;
    }
    if (event.kind === 'cached') {
      this.cachedTokens = event.tokens;
      return;
    }
    if (event.kind === 'counted') {
      this.#counted = event;
      return;
    }
    const choice = this.choices[event.index]!;
    for (const id of event.ids) choice.ids.push(id);
    for (const entry of event.logprobs) choice.logprobs.push(entry);
    for (const logprob of event.drawnLogprobs) choice.drawnLogprobs.push(logprob);
    for (const delta of event.deltas) choice.deltas.push(delta);
    choice.finish = event.finish;
  }

  /** The tokens of all choices. */
  get tokens(): number {
    return this.#counted?.completion ?? this.choices.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** The tokens of the prompt, if the answer has none of their ids. */
  promptTokens({ promptIds }: { promptIds: readonly number[] }): number {
    return this.#counted?.prompt ?? promptIds.length;
  }
}
