import type { Context } from '../../context.ts';
import type * as contract from '../../contract/training-from-calls/sft-preview.ts';
import type { Handler } from '../../http/bind.ts';
import type { FairGate } from '../../util/fair-gate.ts';
import { callsSought, requestSignal, suitesAnswer, wantedModel } from './wanted.ts';

const examplesMax = 2;

export function trainingSftPreview(context: Context, gate: FairGate): Handler<typeof contract.trainingSftPreview> {
  return async ({ caller, body }) => {
    const { config, experimental_config } = body;
    const wanted = { ...(await wantedModel(context, caller, body)), config, experimental_config };
    const source = { kind: 'calls' as const, ...callsSought(body) };
    const signal = requestSignal();
    const found = await gate.run([caller.userId], () =>
      context.trainingFromCalls.sft.preview(wanted, source, examplesMax, signal),
    );
    const calls = found.calls ?? { matched: 0, read: 0, skipped: [] };
    return {
      ...{ model: found.model, base_model: found.base, step: found.step },
      ...{ matched: calls.matched, read: calls.read, skipped: calls.skipped },
      ...{ trained_tokens: found.tokens.trained, masked_tokens: found.tokens.masked },
      ...{ steps: found.steps, learning_rate: found.learningRate, warnings: found.warnings },
      ...suitesAnswer(found.suites),
      ...{ conversations: found.conversations, held_out: found.heldOut, too_long: found.tooLong },
      ...{ groups: found.groups.training, held_out_groups: found.groups.heldOut },
      ...{ batch_size: found.batchSize, epochs: found.epochs, chosen: found.chosen },
      examples: found.examples.map((pieces) =>
        pieces.map(({ text, isTrained }) => ({ text: shortened(text), is_trained: isTrained })),
      ),
    };
  };
}

const charactersMax = 4000;

/** The start and the end of long text. */
function shortened(text: string): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax / 2)} … ${text.slice(-charactersMax / 2)}`.toWellFormed();
}
