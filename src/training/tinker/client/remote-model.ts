import { randomBytes } from 'node:crypto';
import type { Adapter } from '../../../engine/adapters/adapter.ts';
import { openInTurn } from '../../../util/in-turn.ts';
import { readArchive } from '../archive/read-archive.ts';
import type { AdamParams, Datum, ServerLoss } from './datum.ts';
import { decodeLogprobs, encodeForwardBackward, protobufType } from './forward-backward-proto.ts';
import { readAnswer, resultOf } from './futures.ts';
import { type TinkerAnswer, TinkerFailure, type TinkerHttp, type TinkerRequest } from './http.ts';
import { readRefusal } from './server-full.ts';
import { splitData } from './split-data.ts';
import { createdAnswer, futureAnswer, outputAnswer, savedAnswer, stepAnswer } from './wire.ts';

/** A model in training on a Tinker server. Requests run in the order in which they are sent. */
export type RemoteModel = {
  id: string;
  /** Whether no request has been sent yet that uses it. */
  readonly isUntouched: boolean;
  /** The logprobs of all targets of each datum. */
  forward(data: readonly Datum[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Resolves once the request is sent; the result is `forward`'s, under the weights before any step. */
  forwardBackward(data: readonly Datum[], loss: ServerLoss, signal?: AbortSignal): Promise<Sent<Float32Array[]>>;
  optimStep(params: AdamParams, signal?: AbortSignal): Promise<Sent<StepMetrics>>;
  /** @returns the path of the state: the weights and those of the optimizer */
  saveState(): Promise<string>;
  /** Only before any other request. @throws TinkerFailure with the status 404 for a state that the server does not have */
  loadState(path: string, withOptimizer: boolean, signal?: AbortSignal): Promise<void>;
  /** The weights as the server exports them. */
  adapter(): Promise<Adapter>;
  /** Frees the model. */
  unload(signal?: AbortSignal): Promise<void>;
  /** Sends the last training request a second time, as after a lost answer. */
  repeatLast(): Promise<void>;
};

/** A request that is under way; others can be sent meanwhile. */
type Sent<Result> = { result: Promise<Result> };

/** Null: the server reports it, and it is not a number. */
type StepMetrics = Record<string, number | null>;

export type RemoteModelOptions = {
  baseModel: string;
  rank: number;
  seed: number;
  /** Whether a training request that is sent again counts once, so that one whose answer was lost can be. */
  countsRepeatsOnce: boolean;
};

/** @throws ServerFull, TinkerFailure */
export async function createRemoteModel(
  http: TinkerHttp,
  session: { id: string; modelNumber: number },
  options: RemoteModelOptions,
  signal?: AbortSignal,
): Promise<RemoteModel> {
  const { countsRepeatsOnce } = options;
  const id = await create().catch((error) => {
    throw readRefusal(error, http.host);
  });
  let sequence = 0;
  let isUntouched = true;
  let last: TinkerRequest | null = null;
  const inTurn = openInTurn();

  /** One after the other: a server runs requests as they arrive. */
  function inOrder<Result>(send: () => Promise<Result>): Promise<Result> {
    isUntouched = false;
    return inTurn(send);
  }

  async function create(): Promise<string> {
    const { baseModel, rank, seed } = options;
    const what = 'create_model';
    const created = await take(what, {
      ...{ type: what, session_id: session.id, model_seq_id: session.modelNumber, base_model: baseModel },
      lora_config: { rank, seed, train_attn: true, train_mlp: true, train_unembed: false },
    });
    const answer = readAnswer(http, what, await wait(what, created.request_id, signal), createdAnswer);
    const named = answer.model_id ?? created.model_id;
    if (named) return named;
    throw new TinkerFailure('unavailable', `The Tinker server ${http.host} has not named the model it created.`);
  }

  async function take(path: string, body: object, resend: TinkerRequest['resend'] = 'always') {
    return readAnswer(http, path, await http.send({ method: 'POST', path, body, resend, signal }), futureAnswer);
  }

  function wait(what: string, requestId: string, waitSignal?: AbortSignal): Promise<TinkerAnswer> {
    return resultOf(http, { requestId, what }, waitSignal);
  }

  function train<Result>(
    what: string,
    build: (sequenceId: number) => { path: string; body: object },
    read: (answer: TinkerAnswer) => Result,
    waitSignal?: AbortSignal,
  ): Promise<Sent<Result>> {
    return inOrder(async () => {
      const resend = countsRepeatsOnce ? 'always' : 'unsent';
      last = { method: 'POST', ...build(++sequence), resend, signal: waitSignal };
      const { request_id } = readAnswer(http, what, await http.send(last), futureAnswer);
      const result = wait(what, request_id, waitSignal).then(read);
      result.catch(() => {}); // it may fail before somebody waits for it
      return { result };
    });
  }

  async function pass(
    data: readonly Datum[],
    loss: ServerLoss,
    isForwardOnly: boolean,
    waitSignal?: AbortSignal,
  ): Promise<Sent<Float32Array[]>> {
    const what = isForwardOnly ? 'forward' : 'forward_backward';
    const parts: Sent<Float32Array[]>[] = [];
    for (const part of splitData(data)) {
      waitSignal?.throwIfAborted();
      const body = (sequenceId: number) =>
        encodeForwardBackward({ modelId: id, sequenceId, data: part, loss, isForwardOnly });
      const read = (found: TinkerAnswer) => logprobsOf(http, what, found, part);
      parts.push(await train(what, (number) => ({ path: 'forward_backward', body: body(number) }), read, waitSignal));
    }
    const result = Promise.all(parts.map((part) => part.result)).then((found) => found.flat());
    result.catch(() => {});
    return { result };
  }

  /** A name that was never used: another request may have arrived whose answer was lost. */
  function save(path: 'save_weights' | 'save_weights_for_sampler'): Promise<{ name: string; path: string }> {
    return inOrder(async () => {
      const name = `heddle-${randomBytes(8).toString('hex')}`;
      const body = { type: path, model_id: id, path: name };
      const { request_id } = await take(path, body, 'unsent');
      return { name, path: readAnswer(http, path, await wait(path, request_id), savedAnswer).path };
    });
  }

  return {
    id,
    get isUntouched() {
      return isUntouched;
    },
    async forward(data, waitSignal) {
      const loss: ServerLoss = { name: 'cross_entropy' };
      return (await pass(data, loss, true, waitSignal)).result;
    },
    forwardBackward: (data, loss, waitSignal) => pass(data, loss, false, waitSignal),
    optimStep(params, waitSignal) {
      const body = { type: 'optim_step', model_id: id, adam_params: params };
      return train(
        'optim_step',
        (seq_id) => ({ path: 'optim_step', body: { ...body, seq_id } }),
        (found) => metricsOf(readAnswer(http, 'optim_step', found, stepAnswer)),
        waitSignal,
      );
    },
    saveState: async () => (await save('save_weights')).path,
    loadState: (path, optimizer, waitSignal) =>
      inOrder(async () => {
        const body = { type: 'load_weights', model_id: id, path, optimizer, seq_id: ++sequence };
        await wait('load_weights', (await take('load_weights', body, 'unsent')).request_id, waitSignal);
      }),
    async adapter() {
      const { name } = await save('save_weights_for_sampler');
      const path = `training_runs/${encodeURIComponent(id)}/checkpoints`;
      const accept = '*/*';
      const archive = await http.send({ method: 'GET', path: `${path}/${name}/archive`, accept, resend: 'always' });
      const adapter = await readArchive(archive.bytes);
      // It would stay on the server for ever. One that cannot delete it keeps it.
      await http.send({ method: 'DELETE', path: `${path}/sampler_weights/${name}`, resend: 'never' }).catch(() => {});
      return adapter;
    },
    async unload(waitSignal) {
      const body = { type: 'unload_model', model_id: id };
      const request: TinkerRequest = {
        method: 'POST',
        path: 'unload_model',
        body,
        resend: 'always',
        signal: waitSignal,
      };
      const sent = await inOrder(() => http.send(request));
      await wait('unload_model', readAnswer(http, 'unload_model', sent, futureAnswer).request_id, waitSignal);
    },
    async repeatLast() {
      await inOrder(() => http.send({ ...last!, resend: 'always' }));
    },
  };
}

function logprobsOf(http: TinkerHttp, what: string, answer: TinkerAnswer, data: readonly Datum[]): Float32Array[] {
  const found =
    answer.type === protobufType
      ? decodeLogprobs(answer.bytes)
      : readAnswer(http, what, answer, outputAnswer).loss_fn_outputs.map(({ logprobs }) =>
          Float32Array.from(logprobs.data, (value) => value ?? Number.NaN),
        );
  const isWhole = found.length === data.length && found.every((each, i) => each.length === data[i]!.tokens.length);
  if (isWhole) return found;
  throw new TinkerFailure('unavailable', `The Tinker server ${http.host} has not returned one logprob for each token.`);
}

function metricsOf({ metrics }: { metrics?: Record<string, number | string | null> | null }): StepMetrics {
  const finite = (value: number | string | null) =>
    typeof value === 'number' && Number.isFinite(value) ? value : null;
  return Object.fromEntries(Object.entries(metrics ?? {}).map(([name, value]) => [name, finite(value)]));
}
