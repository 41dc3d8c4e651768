import { expectTypeOf, test } from 'vitest';
import type { callStart } from '../contract/calls/start.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { fileContent } from '../contract/files/content.ts';
import type { refsReadBatch } from '../contract/refs/read-batch.ts';
import type { tableQueryStats } from '../contract/tables/query-stats.ts';
import type { tableQueryStream } from '../contract/tables/query-stream.ts';
import type { JsonText } from '../util/json/json-text.ts';
import type { Handler } from './bind.ts';

/** Checked by `tsc`: a handler that answers something else than its contract does not compile. */
type AnswerOf<E extends Endpoint> = Awaited<ReturnType<Handler<E>>>;

test('an answer has the type of its schema', () => {
  expectTypeOf<{ count: number }>().toExtend<AnswerOf<typeof tableQueryStats>>();
  expectTypeOf<{ count: string }>().not.toExtend<AnswerOf<typeof tableQueryStats>>();
  expectTypeOf<{ total: number }>().not.toExtend<AnswerOf<typeof tableQueryStats>>();
  expectTypeOf<{ id: string }>().not.toExtend<AnswerOf<typeof callStart>>();
});

test('accepts JSON text in place of a value, but not in place of a stream', () => {
  expectTypeOf<{ vals: JsonText[] }>().toExtend<AnswerOf<typeof refsReadBatch>>();
  expectTypeOf<JsonText>().not.toExtend<AnswerOf<typeof tableQueryStream>>();
});

test('other answers than JSON have wrappers of their own', () => {
  expectTypeOf<AsyncGenerator<string>>().toExtend<AnswerOf<typeof tableQueryStream>>();
  expectTypeOf<{ rows: [] }>().not.toExtend<AnswerOf<typeof tableQueryStream>>();
  expectTypeOf<{ digest: string }>().not.toExtend<AnswerOf<typeof fileContent>>();
});
