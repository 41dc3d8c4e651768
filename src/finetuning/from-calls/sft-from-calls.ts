import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type SftJobConfig, sftJobConfig } from '../../contract/training-jobs/sft-config.ts';
import type { CallsFilter } from '../../domain/calls/calls-filter.ts';
import type { Operation } from '../../domain/query/operation.ts';
import type { Overlaps } from '../../domain/suites/overlap.ts';
import { sftConfigFault, sftSettings } from '../../domain/training/sft-settings.ts';
import type { Calls } from '../../services/calls/calls.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import { prepareInThread } from '../prepare/prepare.ts';
import type { TextPiece } from '../sft/prepare-sft.ts';
import { createTarget, findTarget, type StartedModel, type TargetDeps, type WantedModel } from '../target-model.ts';
import { type ChosenCalls, chooseConversations, conversationLines, type LeastScore } from './choose-conversations.ts';

/** Where conversations come from: a file on the server's machine, an address of the API, or stored calls. */
export type ConversationSource =
  | { kind: 'file'; path: string }
  | { kind: 'address'; address: string }
  | {
      kind: 'calls';
      filter: Partial<CallsFilter> | null;
      query: Operation | null;
      limit: number;
      score?: LeastScore | null;
      /** Whether calls that match rows of suites are left out, instead of shown. */
      leavesOutSuiteRows?: boolean;
    };

export type WantedSft = WantedModel & Pick<SftJobConfig, 'config' | 'experimental_config'>;

/** Supervised training on chats that are in the trace store, and for the command line also on files and addresses. */
export type SftFromCalls = {
  /** Prepares the conversations as a job would. Nothing is stored. @throws Failure */
  preview(wanted: WantedSft, source: ConversationSource, examples: number, signal: AbortSignal): Promise<SftPreview>;
  /** Queues a job. @param chosen the calls that a preview chose, where they are the source. @throws Failure */
  start(
    wanted: WantedSft & StartedModel,
    source: ConversationSource | { kind: 'chosen'; callIds: string[] },
  ): Promise<{ id: string }>;
};

/** A preview of a job's training data. */
type SftPreview = {
  model: string;
  base: string;
  /** The checkpoint that the job continues from; 0 for the base model. */
  step: number;
  /** Null where the source is not calls. */
  calls: Omit<ChosenCalls, 'callIds'> | null;
  conversations: number;
  heldOut: number;
  /** Conversations that share a trace, a thread or a user are on one side. */
  groups: { training: number; heldOut: number };
  tooLong: number;
  tokens: { trained: number; masked: number };
  steps: number;
  batchSize: number;
  epochs: number;
  learningRate: number | number[];
  warnings: string[];
  /** Rows of suites that the data matches: the job would be refused unless it allows them. */
  suites: Overlaps;
  examples: TextPiece[][];
  /** For `start`. */
  chosen: string[];
};

export function openSftFromCalls(deps: TargetDeps & { calls: Calls }): SftFromCalls {
  const { calls, training } = deps;
  return {
    async preview(wanted, source, examples, signal) {
      const job = jobConfig(wanted, 'preview');
      const { settings, warnings } = sftSettings(job);
      const { base, step } = await findTarget(deps, wanted);
      const { project, caller } = wanted;
      const found = source.kind === 'calls' ? await chooseCalls(project, source, signal) : null;
      const { callIds: chosen, ...counts } = found ?? { callIds: [] };
      const request = {
        kind: 'sft' as const,
        settings,
        examples,
        base,
        seed: 0n,
        now: Date.now(),
      };
      const described = {
        model: `${project.name}/${wanted.model}`,
        base: base.name,
        step,
        calls: found && (counts as Omit<ChosenCalls, 'callIds'>),
        batchSize: settings.batchSize,
        epochs: settings.epochs,
        learningRate: settings.learningRate,
        chosen,
      };
      if (found && chosen.length === 0) return { ...described, ...nothing, warnings };
      const open = async () =>
        source.kind === 'calls' ? conversationLines(calls, project, chosen) : await linesOf(source, caller);
      const prepared = await prepareInThread(deps.modelReader, Readable.from(await open()), request, signal);
      const { rows, overlaps } = await deps.suites.preview(project.id, { open, counted: 'lines' }, signal);
      const { report, batches } = prepared;
      return {
        ...described,
        conversations: report.trajectories,
        heldOut: report.heldOut,
        groups: report.groups,
        tooLong: report.dropped,
        tokens: { trained: report.trainedTokens, masked: report.tokens - report.trainedTokens },
        steps: batches.length,
        warnings: [...warnings, ...prepared.warnings],
        suites: { rows, overlaps },
        examples: prepared.examples,
      };
    },

    async start(wanted, source) {
      const { model } = await createTarget(deps, wanted);
      const { project, caller } = wanted;
      const config = jobConfig(wanted, addressOf(source));
      const { id, allowsSuiteRows, startsFrom } = wanted;
      const job = { id, model, config, caller, allowsSuiteRows, startsFrom };
      if (source.kind === 'address') return training.jobs.createSft(job);
      if (source.kind === 'calls') throw invalidInput('A job trains on calls that a preview chose.');
      if (source.kind === 'file') return training.jobs.createSft(job, await linesOf(source, caller));
      const { callIds } = source;
      return training.jobs.createSft({ ...job, callIds }, conversationLines(calls, project, callIds));
    },
  };

  async function chooseCalls(
    project: WantedSft['project'],
    { leavesOutSuiteRows = false, ...source }: Extract<ConversationSource, { kind: 'calls' }>,
    signal: AbortSignal,
  ): Promise<ChosenCalls> {
    const found = await chooseConversations(calls, { project, ...source }, signal);
    if (!leavesOutSuiteRows || found.callIds.length === 0) return found;
    const open = async () => conversationLines(calls, project, found.callIds);
    const matching = await deps.suites.preview(project.id, { open, counted: 'lines' }, signal);
    return {
      ...found,
      callIds: found.callIds.filter((id) => !matching.callIds.has(id)),
      skipped: withSuiteRows(found.skipped, matching.rows),
    };
  }

  async function linesOf(source: Exclude<ConversationSource, { kind: 'calls' }>, caller: WantedSft['caller']) {
    if (source.kind === 'address') return training.jobs.openData(source.address, caller);
    const isFile = await stat(source.path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isFile) throw notFound(`There is no file ${source.path}.`);
    return createReadStream(source.path) as AsyncIterable<Uint8Array>;
  }
}

/** Adds how many were left out because they match rows of suites. */
export function withSuiteRows(skipped: ChosenCalls['skipped'], rows: number): ChosenCalls['skipped'] {
  if (rows === 0) return skipped;
  return [...skipped, { reason: 'it matches a row of a suite', count: rows }].sort((a, b) => b.count - a.count);
}

const nothing = {
  conversations: 0,
  heldOut: 0,
  groups: { training: 0, heldOut: 0 },
  tooLong: 0,
  steps: 0,
  suites: { rows: 0, overlaps: [] },
  tokens: { trained: 0, masked: 0 },
  examples: [],
};

/** The job's statistics of its data. */
function addressOf(source: Parameters<SftFromCalls['start']>[1]): string {
  switch (source.kind) {
    case 'file':
      return `file:${basename(source.path)}`;
    case 'address':
      return source.address;
    case 'calls':
    case 'chosen':
      return 'calls';
    default:
      return source satisfies never;
  }
}

/** @throws Failure for a value that no job can have */
function jobConfig({ config, experimental_config }: WantedSft, address: string): SftJobConfig {
  const fault = sftConfigFault({ config, experimental_config });
  if (fault) throw invalidInput(`The setting ${fault.key} is invalid: ${fault.message}.`);
  return sftJobConfig.parse({ training_data_url: address, config, experimental_config });
}
