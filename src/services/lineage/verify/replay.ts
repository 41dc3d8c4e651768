import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { chatRequestOf } from '../../../chat/responses/chat-request.ts';
import { recordedMarks, recordedRequest, responseOpName } from '../../../chat/responses/recorded.ts';
import type { ModelReference, TextGeneration } from '../../../chat/types.ts';
import { chatRequest } from '../../../contract/chat/request.ts';
import { completionInputs } from '../../../contract/completions/inputs.ts';
import { keepTreeOf } from '../../../contract/keep-tree.ts';
import { textCompletionRequest } from '../../../contract/text-completions/request.ts';
import { validate } from '../../../contract/validate.ts';
import type { DrawnChoice } from '../../../domain/lineage/compare-answers.ts';
import type { Caller } from '../../../identity/identity.ts';
import { parseJson } from '../../../util/json/parse.ts';
import { chatBody } from '../../completions/own/from-own-model.ts';
import { openReplay } from '../../completions/own/open-request.ts';
import type { OpenedRequest } from '../../completions/own/opened-request.ts';
import { chatOpName, startChat } from '../../completions/own/own-chat.ts';
import { promptsOf, startText, textOpName } from '../../completions/own/own-text.ts';
import type { Deps } from '../../deps.ts';
import type { Project } from '../../owner.ts';
import type { Responses } from '../../responses/responses.ts';
import { withinContext } from '../../responses/truncation.ts';
import type { AnswerRecord, StoredAnswer } from './stored-answer.ts';

export type ReplayDeps = Pick<Deps, 'inference'> & { responses: Pick<Responses, 'input'> };

/** An answer that was drawn again. */
export type Replayed = {
  engine: TextGeneration['origin']['engine'];
  choices: (DrawnChoice & { promptIds: readonly number[] })[];
};

type Asked = { answer: StoredAnswer; model: ModelReference; project: Project; caller: Caller; signal: AbortSignal };

/**
 * Sends the recorded request once more, with the recorded sampling values and seed, on the path that it took. Nothing is recorded.
 * @returns null for a request that cannot be made again from its call, such as one with a published prompt
 * @throws Failure
 */
export async function replay(deps: ReplayDeps, asked: Asked): Promise<Replayed | null> {
  const { answer, model, project, caller } = asked;
  const { call, record } = answer;
  if (!isSeed(record.sampling.seed)) return null;
  const tenant = [caller.userId, project.name] as const;
  const request = openReplay(deps, { model, tenant, startedAt: call.startedAt });
  switch (call.opName) {
    case chatOpName:
      return chat(request, { ...readAs(chatRequest, call.inputs), ...drawn(record) }, asked.signal);
    case textOpName:
      return completion(request, asked);
    case responseOpName:
      return response(deps, request, asked);
    default:
      return tracedCompletion(request, asked);
  }
}

function isSeed(digits: string | null): digits is string {
  return digits !== null && /^-?\d{1,20}$/.test(digits);
}

/** The values that the answer was drawn with, whoever gave them then. */
function drawn({ sampling }: AnswerRecord, seed = sampling.seed) {
  const { max_tokens, seed: _, ...values } = sampling;
  return { ...values, seed: BigInt(seed!), max_tokens, max_completion_tokens: null };
}

async function chat(
  request: OpenedRequest,
  body: Parameters<typeof startChat>[1]['body'],
  signal: AbortSignal,
): Promise<Replayed> {
  const { generation, answer, events } = await startChat(request, { id: randomUUID(), body }, signal);
  for await (const _ of events);
  const { promptIds, origin } = generation;
  return { engine: origin.engine, choices: answer.choices.map((each) => ({ promptIds, ...tokensOf(each) })) };
}

/** Of several prompts, only the first one's number of tokens is recorded. That of the others follows from the same rules. */
async function completion(request: OpenedRequest, { answer: { call, record }, signal }: Asked): Promise<Replayed> {
  const body = readAs(textCompletionRequest, call.inputs);
  const { prompts, returned } = promptsOf(body);
  const seeds = (record.seeds ?? []).filter(isSeed);
  const again = prompts.map((prompt, index) => {
    const { max_tokens: tokens, ...values } = drawn(record, seeds[index]);
    return { ...prompt, ...values, max_tokens: index === 0 ? tokens : prompt.max_tokens };
  });
  const { generations, answer, events } = await startText(
    request,
    { id: randomUUID(), body, prompts: again, returned },
    signal,
  );
  for await (const _ of events);
  return {
    engine: generations[0]!.origin.engine,
    choices: answer.choices.map((each, index) => ({
      promptIds: generations[Math.floor(index / returned)]!.promptIds,
      ...tokensOf(each),
    })),
  };
}

/** @returns null if the conversation before it is gone */
async function response(
  { responses }: ReplayDeps,
  request: OpenedRequest,
  { answer: { call, record }, caller, signal }: Asked,
): Promise<Replayed | null> {
  const marks = recordedMarks(call.attributes);
  const body = recordedRequest(call.inputs);
  if (marks === null || body === null) return null;
  const { id, earlier } = marks;
  const items = await responses.input(caller, { id, earlier, request: body }).catch(() => null);
  if (items === null) return null;
  const generation = await withinContext(
    body.truncation,
    items,
    (chosen, either) => request.generate({ ...chatRequestOf(body, chosen), ...drawn(record) }, either),
    signal,
  );
  const choice = { ids: [] as number[], logprobs: [] as number[] };
  for await (const event of generation.events) {
    if (event.kind !== 'choice') continue;
    choice.ids.push(...event.ids);
    choice.logprobs.push(...event.logprobs.map(({ logprob }) => logprob));
  }
  return { engine: generation.origin.engine, choices: [{ promptIds: generation.promptIds, ...choice }] };
}

/** A request to any model by its name, whose call is not this server's own (`completions/create`). */
async function tracedCompletion(
  request: OpenedRequest,
  { answer: { call, record }, signal }: Asked,
): Promise<Replayed | null> {
  const inputs = completionInputs.safeParse(parsed(completionInputs, call.inputs));
  if (!inputs.success || inputs.data.prompt !== null || inputs.data.template_vars !== null) return null;
  const body = chatBody(inputs.data, inputs.data.messages, record.model.name);
  return chat(request, { ...body, ...drawn(record) }, signal);
}

function tokensOf({ ids, logprobs }: { ids: number[]; logprobs: { logprob: number }[] }): DrawnChoice {
  return { ids, logprobs: logprobs.map(({ logprob }) => logprob) };
}

/** The body of a request. @throws ValidationError if another client wrote the call */
function readAs<Schema extends typeof chatRequest | typeof textCompletionRequest>(schema: Schema, inputs: string) {
  return validate(schema, parsed(schema, inputs), 'inputs') as z.output<Schema>;
}

function parsed(schema: Parameters<typeof keepTreeOf>[0], inputs: string): unknown {
  const keep = keepTreeOf(schema);
  return parseJson(inputs, keep === undefined ? {} : { keep });
}
