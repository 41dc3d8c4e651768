import { beginningOf } from '../../chat/plan/beginning.ts';
import type { ModelReference, TextHalfRequest, Tokenized, TokenizerDescription } from '../../chat/types.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';
import { Failure } from '../../util/failures.ts';
import { modelUnavailable } from '../hosts/model-unavailable.ts';
import type { Inference } from '../inference.ts';
import type { OwnInference } from '../own/own-inference.ts';
import type { PeerRequest } from './messages.ts';
import { type PeerClient, PeerLost } from './peer-client.ts';
import { checkRunsNow } from './peer-server.ts';
import { type Candidate, overflowKey, route } from './route.ts';

type Options = {
  own: OwnInference;
  client: PeerClient;
  /** This process as it is now. */
  thisProcess(): OfferingProcess;
  /** The others that take requests of this one. */
  others(): readonly OfferingProcess[];
  /** Called with each conversation that is served here because another process was full. */
  onOverflow(conversation: string): void;
  /** Called for each request that another process has accepted. */
  onForwarded(id: string): void;
};

/** How one process is asked; null for this one. */
type Ask<Result> = (peer: OfferingProcess | null, how: { mayWait: boolean; isFirst: boolean }) => Promise<Result>;

/**
 * Runs each request where its model, its adapter and the beginning of its conversation are, in this process or another one
 * (`route.ts`). Another process serves it itself, or refuses it: it forwards nothing further.
 */
export function openPeerInference(options: Options): Inference {
  const { own, client, thisProcess, others, onOverflow, onForwarded } = options;

  const self = thisProcess().id;

  function candidatesOf(model: ModelReference, beginning: () => string): Candidate<OfferingProcess>[] {
    const all = [thisProcess(), ...others()];
    return all.length === 1 ? [] : route(all, model, beginning());
  }

  /**
   * Asks the candidates until one accepts: first those that can run the request at once, then those at which it waits. A candidate
   * that does not respond, or cannot open the model, is left out.
   */
  async function firstThatAccepts<Result>(
    model: ModelReference,
    candidates: Candidate<OfferingProcess>[],
    ask: Ask<Result>,
  ): Promise<Result> {
    // Alone with the files, or without any: this process says what is wrong.
    if (candidates.every(({ process }) => process.id === self)) return ask(null, { mayWait: true, isFirst: true });
    const left = new Set(candidates);
    let failure: Error | null = null;
    for (const mayWait of left.size === 1 ? [true] : [false, true]) {
      for (const candidate of left) {
        const { process, isFirst } = candidate;
        try {
          const isOwn = process.id === self;
          const result = await ask(isOwn ? null : process, { mayWait, isFirst });
          if (!isOwn) onForwarded(model.id);
          return result;
        } catch (error) {
          if (!isOfProcess(error)) throw error;
          failure = error;
          if (!isBusy(error)) left.delete(candidate);
        }
      }
    }
    if (failure instanceof Failure) throw failure;
    throw modelUnavailable(`No process that has the files of ${model.name} responds. Try again in a moment.`, {
      cause: failure,
    });
  }

  /** A request that needs only the text half of a model, at this process if it has the files. */
  async function textHalf<Answer>(
    model: ModelReference,
    request: TextHalfRequest,
    signal: AbortSignal,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    const candidates = candidatesOf(model, () => '');
    candidates.sort((a, b) => Number(b.process.id === self) - Number(a.process.id === self));
    return firstThatAccepts(model, candidates, async (peer) =>
      peer === null ? ask() : ((await client.ask(peer, { kind: 'textHalf', model, request }, signal)) as Answer),
    );
  }

  /** At the other processes that have the model open. */
  async function elsewhere(request: PeerRequest & { model: ModelReference }): Promise<void> {
    const { id } = request.model;
    const open = others().filter(({ offer }) => offer.open.some((each) => each.id === id));
    await Promise.allSettled(open.map((peer) => client.ask(peer, request)));
  }

  return {
    ...own,
    async generate(model, request, signal) {
      const beginning = memo(() => beginningOf(request.body));
      return firstThatAccepts(model, candidatesOf(model, beginning), async (peer, { mayWait, isFirst }) => {
        signal.throwIfAborted();
        const overflow = isFirst ? null : overflowKey(model, beginning());
        if (peer === null) {
          if (!mayWait) checkRunsNow(own, model.id);
          const generation = await own.generate(model, request, signal);
          if (overflow !== null) onOverflow(overflow);
          return generation;
        }
        const asked = { kind: 'generate', model, request, mayWait, overflow } as const;
        const { accepted, events } = await client.generate(peer, asked, signal);
        return { ...accepted, model, events };
      });
    },
    async embed(model, request, signal) {
      const candidates = candidatesOf(model, () => String(request.inputs[0]).slice(0, 512));
      return firstThatAccepts(model, candidates, async (peer, { mayWait }) => {
        signal.throwIfAborted();
        if (peer !== null) {
          return (await client.ask(peer, { kind: 'embed', model, request, mayWait }, signal)) as Awaited<
            ReturnType<Inference['embed']>
          >;
        }
        if (!mayWait) checkRunsNow(own, model.id);
        return own.embed(model, request, signal);
      });
    },
    tokenize: (model, request, signal) =>
      textHalf<Tokenized>(model, { kind: 'tokenize', ...request }, signal, () => own.tokenize(model, request, signal)),
    detokenize: (model, request, signal) =>
      textHalf<Tokenized>(model, { kind: 'detokenize', ...request }, signal, () =>
        own.detokenize(model, request, signal),
      ),
    describeTokenizer: (model, tenant, signal) =>
      textHalf<TokenizerDescription>(model, { kind: 'describe', tenant }, signal, () =>
        own.describeTokenizer(model, tenant, signal),
      ),
    async loadAdapter(model) {
      const here =
        route([thisProcess()], model, '').length > 0 || others().length === 0 || 'folder' in model.adapter.files;
      const forwarded = { kind: 'loadAdapter', model } as const;
      await Promise.all([here ? own.loadAdapter(model) : null, elsewhere(forwarded)]);
    },
    async unloadAdapter(model) {
      await Promise.all([own.unloadAdapter(model), elsewhere({ kind: 'unloadAdapter', model })]);
    },
  };
}

/** Whether another process may do better. */
function isOfProcess(error: unknown): error is Error {
  return error instanceof PeerLost || (error instanceof Failure && ['busy', 'unavailable'].includes(error.kind));
}

function isBusy(error: Error): boolean {
  return error instanceof Failure && error.kind === 'busy';
}

function memo<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
