import type { TextCompletionUnderWay } from '../../../chat/answers/text.ts';
import { TextAnswer } from '../../../chat/answers/text-answer.ts';
import type { GenerationEvent, TextGeneration, TextRequest } from '../../../chat/types.ts';
import type { TextCompletion } from '../../../contract/text-completions/completion.ts';
import type { TextCompletionRequest } from '../../../contract/text-completions/request.ts';
import { mergeIterables } from '../../../util/merge-iterables.ts';
import type { OpenedRequest } from './opened-request.ts';
import { readEvents } from './read-events.ts';
import { type RecordedAnswer, recordedOrigin, recordedSampling, recordedSeed } from './recorded-answer.ts';

export const textOpName = 'heddle.completions';

/** Prompts that a model of heddle's own continues. */
export type OwnText = TextCompletionUnderWay & {
  /** What has been read of it. */
  answer: TextAnswer;
  /** Each with the place of its prompt. When they end, however they end, the request is recorded. */
  events: AsyncIterable<[prompt: number, event: GenerationEvent]>;
};

type NewText = {
  id: string;
  body: TextCompletionRequest;
  /** A request for each prompt. */
  prompts: readonly TextRequest[];
  /** How many choices of each prompt are returned: the best ones. */
  returned: number;
};

/** The requests for the prompts of a completion, and how many choices of each are returned. */
export function promptsOf(body: TextCompletionRequest): Pick<NewText, 'prompts' | 'returned'> {
  const { n, best_of: best, max_tokens: tokens } = body;
  const each = { ...body, n: best ?? n ?? 1, max_tokens: tokens === 0 ? 1 : tokens };
  return { prompts: body.prompt.map((prompt) => ({ ...each, prompt })), returned: n ?? 1 };
}

/** Resolves when the requests of all prompts are accepted. @throws Failure */
export async function startText(
  request: OpenedRequest,
  { id, body, prompts, returned }: NewText,
  hungUp: AbortSignal,
): Promise<OwnText> {
  const ended = new AbortController();
  const signal = AbortSignal.any([hungUp, ended.signal]);
  const keepsLogprobs = prompts.some(({ n }) => (n ?? 1) > returned); // the best are found by them
  const starting = prompts.map((prompt) => request.generate(prompt, signal, { keepsLogprobs }));
  const generations = await Promise.all(starting).catch((error) => {
    ended.abort(); // of several prompts, the others may have been accepted
    for (const each of starting) each.catch(() => {});
    throw error;
  });
  const ids = body.return_token_ids === true || request.isForTraining;
  const shown = { ids, promptIds: ids, logprobs: body.logprobs !== null };
  const created = Math.floor(request.startedAt / 1_000_000);
  const text: TextCompletionUnderWay = { id, created, body, generations, returned, shown };
  const answer = new TextAnswer(text);
  const events = readEvents(eventsOf(generations, ended), {
    take: ([prompt, event]) => answer.take(prompt, event),
    end: (failure) => request.recordLater(recordedText(answer, text), failure),
  });
  return { ...text, answer, events };
}

/** The whole answer. @throws Failure */
export async function wholeText({ answer, events, shown }: OwnText): Promise<TextCompletion> {
  for await (const _ of events);
  return answer.completion(shown);
}

/** The events of all prompts. Leaving them cancels what has not ended. */
async function* eventsOf(generations: readonly TextGeneration[], ended: AbortController) {
  try {
    yield* mergeIterables(generations.map(({ events }) => events));
  } finally {
    ended.abort();
  }
}

/**
 * How a completion is stored in its call: `output` is the whole completion, with all ids and logprobs;
 * `attributes.heddle.sampling` has the values used for the first prompt, and `seeds` the seed of each prompt's first choice. Beside them
 * are `draws`, of all choices of the output, `engine` and `digests` (`recordedOrigin`).
 */
function recordedText(answer: TextAnswer, { generations }: TextCompletionUnderWay): RecordedAnswer {
  const settings = generations.map((each) => each.settings);
  const { prompt_tokens_details: _, ...usage } = answer.usage;
  return {
    output: () => answer.completion(everything),
    attributes: () => ({
      ...{ sampling: recordedSampling(settings[0]!), seeds: settings.map(recordedSeed) },
      ...recordedOrigin(generations[0]!, answer.choices),
    }),
    usage,
    bytes: answer.bytes,
  };
}

const everything = { ids: true, promptIds: true, logprobs: true };
