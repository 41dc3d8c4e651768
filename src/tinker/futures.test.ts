import { describe, expect, test } from 'vitest';
import { invalidInput, unacceptable } from '../util/failures.ts';
import { Futures } from './futures.ts';
import { NumberedRequests } from './numbered-requests.ts';
import { checkName, readPath, writePath } from './paths.ts';

const limits = { pendingMax: 2, pendingBytesMax: 100, resultBytesMax: 10_000 };
const signal = new AbortController().signal;
const result = { json: () => ({ a: 1 }), protobuf: null };

describe('futures', () => {
  const open = (defects: unknown[] = []) => new Futures(limits, (error) => defects.push(error));

  test('return what a request came to, as often as they are asked', async () => {
    const futures = open();
    const id = futures.start('me', 0, async () => result);
    for (let i = 0; i < 2; i++)
      expect(await futures.retrieve('me', id, 1000, signal)).toEqual({ kind: 'done', result });
  });

  test('are pending until then, and wait no longer than they may', async () => {
    const futures = open();
    const { promise, resolve } = Promise.withResolvers<typeof result>();
    const id = futures.start('me', 0, () => promise);
    expect(await futures.retrieve('me', id, 1, signal)).toEqual({ kind: 'pending' });
    const waiting = futures.retrieve('me', id, 10_000, signal);
    resolve(result);
    expect(await waiting).toMatchObject({ kind: 'done' });
  });

  test('are those of their user', async () => {
    const futures = open();
    const id = futures.start('me', 0, async () => result);
    expect(await futures.retrieve('another', id, 10, signal)).toEqual({ kind: 'gone' });
    expect(await futures.retrieve('me', 'unknown', 10, signal)).toEqual({ kind: 'gone' });
  });

  test('say whose fault a failure is, and keep defects for the log', async () => {
    const defects: unknown[] = [];
    const futures = open(defects);
    const outcomeOf = async (error: Error) => {
      const id = futures.start('me', 0, () => Promise.reject(error));
      return futures.retrieve('me', id, 1000, signal);
    };
    expect(await outcomeOf(invalidInput('No.'))).toEqual({ kind: 'failed', error: 'No.', category: 'user' });
    expect(await outcomeOf(unacceptable('No.'))).toMatchObject({ category: 'user' });
    expect(await outcomeOf(new Error('a secret'))).toEqual({
      ...{ kind: 'failed', category: 'server' },
      error: 'The request failed. The reason is in the log of the server.',
    });
    expect(defects).toEqual([new Error('a secret')]);
  });

  test('are bounded in number and in bytes', () => {
    const never = () => new Promise<never>(() => {});
    const many = open();
    many.start('me', 0, never);
    many.start('me', 0, never);
    expect(() => many.start('me', 0, never)).toThrow('Too many requests are under way');
    const large = open();
    large.start('me', 90, never);
    expect(() => large.start('me', 20, never)).toThrow('Too many requests are under way');
  });

  test('forget results to make room', async () => {
    const futures = open();
    const large = { json: () => ({}), protobuf: new Uint8Array(3000) };
    const first = futures.start('me', 0, async () => large);
    await futures.retrieve('me', first, 1000, signal);
    const second = futures.start('me', 0, async () => large);
    await futures.retrieve('me', second, 1000, signal);
    expect(await futures.retrieve('me', first, 1, signal)).toEqual({ kind: 'gone' });
  });

  test('can be canceled by their user', async () => {
    const futures = open();
    const work = (canceled: AbortSignal) =>
      new Promise<never>((_, reject) => canceled.addEventListener('abort', () => reject(canceled.reason)));
    const id = futures.start('me', 0, work);
    futures.cancel('another', id);
    expect(await futures.retrieve('me', id, 1, signal)).toEqual({ kind: 'pending' });
    futures.cancel('me', id);
    expect(await futures.retrieve('me', id, 1000, signal)).toMatchObject({ error: 'The request was canceled.' });
  });
});

describe('numbered requests', () => {
  test('a repeated one is answered as the first, and starts nothing', () => {
    const requests = new NumberedRequests<number>();
    let started = 0;
    const start = () => ++started;
    expect([requests.answer(1, 'a', start), requests.answer(1, 'a', start), requests.answer(2, 'a', start)]).toEqual([
      1, 1, 2,
    ]);
    expect(() => requests.answer(1, 'b', start)).toThrow('Another request with the number 1 was sent before.');
    expect(requests.answer(null, 'a', start)).toBe(3);
    expect(requests.answer(null, 'a', start)).toBe(4);
  });

  test('one that cannot start can be sent again', () => {
    const requests = new NumberedRequests<number>();
    const refuse = () => {
      throw invalidInput('busy');
    };
    expect(() => requests.answer(1, 'a', refuse)).toThrow('busy');
    expect(requests.answer(1, 'b', () => 7)).toBe(7);
  });
});

test('paths are read as they are written', () => {
  const path = { runId: 'session:train:0', kind: 'sampler', name: 'step-1' } as const;
  expect(writePath(path)).toBe('tinker://session:train:0/sampler_weights/step-1');
  expect(readPath(writePath(path))).toEqual(path);
});

test.each([
  '',
  'tinker://',
  'tinker://a/weights',
  'tinker://a/others/b',
  'http://a/weights/b',
  'tinker://a/weights/b/c',
])('rejects the path %j', (path) => {
  expect(() => readPath(path)).toThrow('is not a path of weights');
});

test.each(['', '.', '..', 'a/b', 'ü', 'x'.repeat(129)])('rejects the name %j', (name) => {
  expect(() => checkName(name)).toThrow('path must have');
});
