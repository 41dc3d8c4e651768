import type { Context } from '../../context.ts';
import type * as contract from '../../contract/completions/create-stream.ts';
import type { Handler } from '../../http/bind.ts';
import type { ModelStream } from '../../services/completions/model-answer.ts';
import { type ModelCall, noAnswer } from '../../services/completions/model-call.ts';
import { Canceled } from '../../util/failures.ts';
import { idsOf, openTraced, problemOf } from './traced.ts';

export function completionsCreateStream(context: Context): Handler<typeof contract.completionsCreateStream> {
  const { completions } = context.services;
  return async ({ body, caller, raw, whenHungUp }) => {
    const traced = await openTraced(context, { body, caller, raw });
    const { owner, call } = traced;
    const signal = whenHungUp();
    try {
      await call?.start(); // first, since an answer that waits to be read can be lost
      const request = { ...owner, inputs: body.inputs, signal, keepsTokens: call !== null };
      const stream = await completions.stream(request);
      return lines(stream, call, call && { _meta: idsOf(traced, body) });
    } catch (error) {
      await call?.end(noAnswer, (error as Error).message);
      return only(line({ error: problemOf(error) }));
    }
  };
}

async function* lines({ chunks, record }: ModelStream, call: ModelCall | null, first: object | null) {
  let failure: string | null = hungUp;
  try {
    if (first) yield line(first);
    for await (const chunk of chunks) yield `${chunk}\n`;
    failure = null;
  } catch (error) {
    failure = error instanceof Canceled ? hungUp : (error as Error).message;
    yield line({ error: problemOf(error) });
  } finally {
    await call?.end(record(), failure);
  }
}

const hungUp = 'The client hung up.';

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

async function* only(text: string) {
  yield text;
}
