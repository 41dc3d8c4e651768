import { newId } from '../contract/ids.ts';
import type { RecordCalls } from '../services/calls/record-calls.ts';
import type { Project } from '../services/owner.ts';
import { toJson } from '../util/json/write.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import type { TrainingOutput } from './training-output.ts';
import type { TrainingRequest } from './training-request.ts';

export type Recorder = Pick<RecordCalls, 'recordLater'>;

type Place = { project: Project; userId: string; runId: string; model: string };
type Ended = { inputs: object; output: object | null; failure?: string | undefined; startedAt: number };

/** Data beyond this are counted, not recorded: a batch may have more tokens than a trace is useful with. */
const recordedTokensMax = 100_000;
const bytesPerToken = 64;

/**
 * The calls of a run: one for each optimizer step, with those of its forward and backward passes below it, and one for each
 * checkpoint.
 */
export class RunTrace {
  readonly #recorder: Recorder;
  readonly #place: Place;
  #step: { id: string; traceId: string; startedAt: number; passes: number } | null = null;

  constructor(recorder: Recorder, place: Place) {
    this.#recorder = recorder;
    this.#place = place;
  }

  pass(request: TrainingRequest, startedAt: number, ended: { output: TrainingOutput } | { failure: string }): void {
    const { recorded, tokens } = dataToRecord(request);
    const { lossName, lossConfig, isForwardOnly, data } = request;
    const step = isForwardOnly ? null : this.#openStep(startedAt);
    if (step) step.passes++;
    const output = 'output' in ended ? ended.output : null;
    this.#record(`heddle.tinker.${isForwardOnly ? 'forward' : 'forward_backward'}`, step, tokens, {
      inputs: {
        model: this.#place.model,
        loss_fn: lossName,
        loss_fn_config: Object.fromEntries(lossConfig),
        data: recorded,
        ...(recorded.length < data.length && { data_omitted: data.length - recorded.length }),
      },
      output: output && {
        logprobs: output.logprobs.slice(0, recorded.length).map(({ values }) => Array.from(values)),
        metrics: output.metrics,
      },
      failure: 'failure' in ended ? ended.failure : undefined,
      startedAt,
    });
  }

  optimStep(params: object, startedAt: number, ended: { step: number; metrics: object } | { failure: string }): void {
    const { passes, ...step } = this.#openStep(startedAt);
    const failure = 'failure' in ended ? ended.failure : undefined;
    const output = failure === undefined ? ended : null;
    this.#write('heddle.tinker.step', step, null, 0, {
      inputs: { model: this.#place.model, adam_params: params, passes },
      ...{ output, failure, startedAt: step.startedAt },
    });
    this.#step = null;
  }

  checkpoint(op: 'save' | 'load', inputs: object, startedAt: number, output: object): void {
    const ended = { inputs: { model: this.#place.model, ...inputs }, output, startedAt };
    this.#record(`heddle.tinker.${op}`, null, 0, ended);
  }

  #openStep(startedAt: number) {
    this.#step ??= { id: newId(), traceId: newId(), startedAt, passes: 0 };
    return this.#step;
  }

  #record(opName: string, step: { id: string; traceId: string } | null, tokens: number, ended: Ended): void {
    this.#write(opName, { id: newId(), traceId: step?.traceId ?? newId() }, step?.id ?? null, tokens, ended);
  }

  #write(
    opName: string,
    { id, traceId }: { id: string; traceId: string },
    parentId: string | null,
    tokens: number,
    { inputs, output, failure, startedAt }: Ended,
  ): void {
    const { project, userId, runId } = this.#place;
    const endedAt = nowMicroseconds();
    const make = () => ({
      ...{ id, traceId, parentId, opName, startedAt, endedAt, threadId: null, turnId: null },
      inputs: toJson(inputs),
      attributes: toJson({ heddle: { tinker_run: runId } }),
      output: toJson(output),
      exception: failure,
      summary: toJson({}),
    });
    this.#recorder.recordLater({ projectId: project.id, userId }, make, 2000 + bytesPerToken * tokens);
  }
}

function dataToRecord({ data }: TrainingRequest): { recorded: object[]; tokens: number } {
  let tokens = 0;
  const recorded = [];
  for (const datum of data) {
    tokens += datum.tokens.length;
    if (tokens > recordedTokensMax && recorded.length > 0) break;
    const inputs = [...datum.inputs].map(([name, { values }]) => [name, Array.from(values)]);
    recorded.push({ tokens: Array.from(datum.tokens), ...Object.fromEntries(inputs) });
  }
  return { recorded, tokens };
}
