import { answerRole } from '../../../chat/plan/prompt.ts';
import type { CheckedAnswer } from '../../../chat/structured/checks/answer-checks.ts';
import { isChat } from '../../../chat/types.ts';
import { isNeutral } from '../../../engine/sampling/is-neutral.ts';
import { isGreedy } from '../../../engine/sampling/parameters.ts';
import type { DrawKind } from '../../../engine/scheduling/draw-kind.ts';
import type { PreparedByServer } from '../../hosts/prepared.ts';
import { plainFailure } from '../engine/plain-failure.ts';
import { answerFault } from '../engine/read-tokens.ts';
import { chunksOf } from '../servers/chunks-of.ts';
import type { Asking } from './asking.ts';
import { echoedPrompt } from './echoed-prompt.ts';
import { hasModelLogprobs, lateLogprobs } from './model-logprobs.ts';
import { promptEntries } from './prompt-entries.ts';
import { chatBody, textBody } from './request-body.ts';
import { ofChatAnswer, ofChatChunk, ofCompletion, type ServerChunk } from './server-chunk.ts';
import { ServerGeneration } from './server-generation.ts';

/** Sends a request, and waits for the ids of its prompt. @param stop ends it at the server @throws Failure */
export async function acceptRequest(
  asking: Asking,
  signal: AbortSignal,
  stop: AbortController,
): Promise<PreparedByServer> {
  const { request, plan } = asking;
  const { body } = request;
  const chunks = partsOf(asking);
  const leave = () => void chunks.return(undefined);
  signal.addEventListener('abort', leave, { once: true }); // nobody may start it
  try {
    const { value: first } = await chunks.next();
    signal.throwIfAborted();
    if (!first?.promptIds) throw answerFault('has sent no ids of the prompt');
    const { promptIds, promptLogprobs } = first;
    const { prompt: top } = plan.promptLogprobs;
    const echoed = await echoedPrompt(asking, { promptIds, promptLogprobs });
    const prompt = {
      kind: 'prompt' as const,
      cachedTokens: 0, // servers report them after all others, if at all
      promptLogprobs: top === null ? null : promptEntries(promptLogprobs, promptIds, top),
      echoedTokens: echoed.tokens,
    };
    return {
      accepted: {
        promptIds,
        settings: plan.settings(promptIds.length),
        role: isChat(body) ? answerRole(body) : 'assistant',
        echoed: echoed.text,
        reasons: isChat(body), // perhaps: only the server knows
        fingerprint: null,
        draws: drawKindAtServer(asking),
      },
      start(reader) {
        signal.removeEventListener('abort', leave);
        const generation = new ServerGeneration(generationOptions(asking, promptIds), reader);
        const read = async () => {
          signal.throwIfAborted();
          await generation.read(prompt, withFirst(first, chunks));
        };
        read().then(
          () => generation.end(null),
          (error) => generation.end(plainFailure(error) as Error),
        );
        return { cancel: () => stop.abort(new Error('The generation was aborted.')) };
      },
    };
  } catch (error) {
    signal.removeEventListener('abort', leave);
    await chunks.return(undefined);
    throw error;
  }
}

/** Of other distributions than the model's, nothing is read of what servers may report. */
function drawKindAtServer({ plan, request: { body } }: Asking): DrawKind {
  if (body.use_beam_search) return 'beams';
  if (isGreedy(plan.parameters)) return 'greedy';
  return !plan.isConstrained && isNeutral(plan.parameters, body.bad_words) ? 'model' : 'unreported';
}

/** Beams and the logprobs of prompts are not streamed. */
async function* partsOf(asking: Asking): AsyncGenerator<ServerChunk> {
  const { servers, request, plan, ask } = asking;
  const { body } = request;
  const asksLogprobs = plan.topLogprobs !== null && hasModelLogprobs(asking);
  const isWhole = body.use_beam_search || plan.promptLogprobs.prompt !== null || plan.promptLogprobs.echoed !== null;
  if (isChat(body)) {
    const sent = ask(chatBody(body, plan, asksLogprobs));
    if (isWhole) yield ended(ofChatAnswer(await servers.chatWhole(sent)));
    else for await (const chunk of chunksOf(sent, servers.chat)) yield ofChatChunk(chunk);
    return;
  }
  const sent = ask(textBody(body, plan, asksLogprobs));
  if (isWhole) yield ended(ofCompletion(await servers.completeWhole(sent)));
  else for await (const chunk of chunksOf(sent, servers.complete)) yield ofCompletion(chunk);
}

/** Beams that were as long as they may be have no reason for their end. */
function ended(chunk: ServerChunk): ServerChunk {
  const cut = { finishReason: 'length' as const, stopReason: null };
  return { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, finish: choice.finish ?? cut })) };
}

async function* withFirst(first: ServerChunk, others: AsyncIterable<ServerChunk>): AsyncGenerator<ServerChunk> {
  yield first;
  yield* others;
}

function generationOptions(asking: Asking, promptIds: readonly number[]) {
  const { plan, fault } = asking;
  const { schemas, choices, stopTokenIds, topLogprobs } = plan;
  const asksAgain = topLogprobs !== null && !hasModelLogprobs(asking);
  return {
    ...{ choices, stopTokenIds },
    check: schemas === null ? null : (answer: CheckedAnswer) => fault(schemas, answer),
    lateLogprobs: asksAgain ? (ids: readonly number[]) => lateLogprobs(asking, promptIds, ids) : null,
  };
}
