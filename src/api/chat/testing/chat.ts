import { expect } from 'vitest';
import { modelTextOfFolder } from '../../../chat/tokenizer/from-folder.ts';
import type { ChatChunk, ChatCompletion } from '../../../contract/chat/completion.ts';
import { tinyModel } from '../../../engine/registry/tiny-model.ts';
import type { TestAnswer, TestServer } from '../../testing/server.ts';

export const path = '/v1/chat/completions';
type Fields = Record<string, unknown>;

/** The request that all tests change: greedy and short. */
export const base = {
  model: 'heddle/tiny',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 8,
  temperature: 0,
};

export const user = (content: unknown) => ({ role: 'user', content });
export const assistant = (content: unknown) => ({ role: 'assistant', content });

/** Sends changes of the base request; what is set to undefined is left out. */
export function chatting(server: () => TestServer) {
  const send = (more: Fields = {}, headers: Record<string, string> = {}): Promise<TestAnswer> =>
    server().post(path, { ...base, ...more }, { headers });

  async function chat(more: Fields = {}, headers: Record<string, string> = {}): Promise<ChatCompletion> {
    const answer = await send(more, headers);
    if (answer.status !== 200) throw new Error(`refused: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  async function choice(more: Fields = {}) {
    return (await chat(more)).choices[0]!;
  }

  /** The contents of an error: the entries of a 422, the object of other errors. */
  async function refusal(more: Fields) {
    const { status, json } = await send(more);
    return { status, error: json?.error, detail: json?.detail };
  }

  /** The text of the prompt that a request becomes. */
  async function prompt(more: Fields = {}): Promise<string> {
    return decode(await promptIds(more));
  }

  async function promptIds(more: Fields = {}): Promise<number[]> {
    return (await chat({ max_tokens: 1, ...more, return_token_ids: true })).prompt_token_ids!;
  }

  /** A stream's frames, in order; `[DONE]` as text. */
  async function frames(more: Fields = {}): Promise<(ChatChunk | '[DONE]')[]> {
    return framesOf((await send({ ...more, stream: true })).text);
  }

  async function chunks(more: Fields = {}): Promise<ChatChunk[]> {
    return (await frames(more)).filter((each) => each !== '[DONE]');
  }

  return { send, chat, choice, refusal, prompt, promptIds, frames, chunks };
}

export function framesOf(text: string): (ChatChunk | '[DONE]')[] {
  const data = text.split('\n\n').filter((each) => each.startsWith('data: '));
  return data.map((each) => (each === 'data: [DONE]' ? '[DONE]' : JSON.parse(each.slice(6))));
}

const { tokenizer, eosId } = await modelTextOfFolder((await tinyModel()).path);

export const eos = eosId!;
export const decode = (ids: readonly number[]) => tokenizer.decode(ids);
/** The one token that a text is. */
export function tokenId(text: string): number {
  const ids = tokenizer.encode(text);
  if (ids.length !== 1) throw new Error(`${JSON.stringify(text)} is ${ids.length} tokens`);
  return ids[0]!;
}
export const encode = (text: string) => tokenizer.encode(text);

/** Keeps a model that knows little from writing nothing but spaces, where these are free. */
export const withoutSpaces = {
  logit_bias: Object.fromEntries(
    Array.from({ length: tokenizer.vocabularySize }, (_, id) => id)
      .filter((id) => !tokenizer.specialIds.has(id) && tokenizer.decode([id]).trim() === '')
      .map((id) => [id, -100]),
  ),
};

/** Holds the answer to a pattern, spelled in single characters. */
export function spelling(regex: string, alphabet: string): Fields {
  const allowed = [...new Set(alphabet)].map(tokenId);
  return { structured_outputs: { regex }, allowed_token_ids: [...allowed, eos] };
}

/** A refusal whose detail has an entry that ends in this place; `error` reports the first one to the SDKs. */
export function invalid(place: string, type?: string) {
  return {
    status: 422,
    error: {
      message: expect.any(String),
      type: 'invalid_request_error',
      param: expect.toSatisfy((param: unknown) => param === null || typeof param === 'string'),
      code: expect.stringMatching(/^(invalid_value|missing_required_parameter)$/),
    },
    detail: expect.arrayContaining([
      {
        loc: expect.toSatisfy((loc: string[]) => loc.join('.').endsWith(place)),
        msg: expect.any(String),
        type: type ?? expect.any(String),
      },
    ]),
  };
}

/** A refusal of a body of the wrong shape by one of OpenAI's own routes, which names the field. */
export function malformed(param: string, code = 'invalid_value') {
  return {
    status: 400,
    detail: undefined,
    error: {
      message: expect.stringContaining(param),
      type: 'invalid_request_error',
      param: expect.stringMatching(`^${param}`),
      code,
    },
  };
}

/** A refusal by the engine. */
export function bad(param: string | null = expect.anything(), message: RegExp = /./) {
  return {
    status: 400,
    detail: undefined,
    error: { message: expect.stringMatching(message), type: 'BadRequestError', param, code: 400 },
  };
}
