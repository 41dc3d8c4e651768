import { resolve } from 'node:path';
import type { Params } from '../admin/operations.ts';
import { type Config, ConfigError } from '../config.ts';
import { askServer } from './ask.ts';
import { showProgress } from './progress-line.ts';
import { describeSftPreview } from './sft-preview.ts';
import { type StartOptions, startJob } from './start-job.ts';

export type SftOptions = {
  /** True if there is no file. */
  sft?: string | true;
  dataset?: string;
  holdOut: number;
  batchSize?: number;
  epochs: number;
  schedule: 'constant' | 'linear' | 'cosine';
  warmUp: number;
  lastTurn?: true;
  show: number;
};

type Options = SftOptions &
  StartOptions & { project: string; model: string; base?: string; from?: string; limit: number; learningRate?: number };

/** @returns the exit code */
export async function trainSupervised(config: Config, options: Options): Promise<number> {
  const source = sourceOf(options);
  const wanted = {
    project: options.project,
    model: options.model,
    base: options.base ?? null,
    batchSize: options.batchSize ?? null,
    learningRate: options.learningRate ?? null,
    epochs: options.epochs,
    schedule: options.schedule,
    warmupSteps: options.warmUp,
    heldOutShare: options.holdOut,
    trainsLastAnswer: options.lastTurn ?? false,
  };
  const line = showProgress(process.stderr);
  const asked = askServer(config, 'sft.preview', { ...wanted, source, examples: options.show }, line.show);
  const { chosen, ...preview } = await asked.finally(line.end);
  process.stdout.write(describeSftPreview(preview, process.stdout));
  if (preview.steps === 0) {
    process.stderr.write('There is no conversation to learn from.\n');
    return 1;
  }
  const started = source.kind === 'calls' ? { kind: 'chosen' as const, callIds: chosen } : source;
  return startJob(config, options, () =>
    askServer(config, 'sft.start', { ...wanted, source: started, allowsSuiteRows: options.allowSuiteRows ?? false }),
  );
}

/** @throws ConfigError unless there is one source */
function sourceOf({ sft, dataset, from, limit }: Options): Params<'sft.preview'>['source'] {
  const sources = [typeof sft === 'string', dataset !== undefined, from !== undefined].filter(Boolean).length;
  if (sources !== 1) {
    throw new ConfigError(
      'Name one source of conversations: --sft FILE, --sft --dataset NAME, or --sft --from FILTER.',
    );
  }
  if (typeof sft === 'string') return { kind: 'file', path: resolve(sft) };
  return dataset === undefined ? { kind: 'calls', from: from!, limit } : { kind: 'dataset', name: dataset };
}
