import { joinResults, resultOf } from './results.ts';
import { type RunContext, runGraph } from './run.ts';
import type { StepRequest, StepResult } from './types.ts';

/** More at once is hardly faster, and a token pays for all others of its chunk, those after it included. */
const chunkTokensMax = 256;

/** What the logits of one chunk may take; reducing them takes three times as much again. */
const logitsBytesMax = 24 * 1024 ** 2;

/** Takes several tokens of one sequence. Room is made chunk by chunk, since a token pays for the rows allocated. */
export async function prefill(context: RunContext, request: StepRequest): Promise<StepResult> {
  const { sequence, tokens, wanted } = request;
  const results: StepResult[] = [];
  const chunkMax =
    wanted === 'all' && request.output !== 'states' ? Math.min(chunkTokensMax, rowsMax(context)) : chunkTokensMax;
  for (const { start, end } of chunks(tokens.length, chunkMax)) {
    const entry = context.cache.reserve(sequence.id, sequence.length + end);
    if (entry === null) return giveUp(context, request);
    const rows = wantedRows(request, start, end);
    const describes = request.output === 'states';
    const { top = 1, targets } = request.reduce ?? {};
    const outputs = await runGraph(context, {
      pool: entry.pool,
      firstSlot: entry.slot,
      entries: [entry],
      adapters: [sequence.adapterId],
      tokens: tokens.subarray(start, end),
      wanted: describes ? [] : rows,
      reduced: describes || request.reduce === undefined ? [] : rows.map((_, i) => i),
      top,
      targets: [...(wanted === 'all' ? (targets?.subarray(start, end) ?? []) : (targets ?? []))],
      wantsLogits: !describes && request.reduce === undefined && rows.length > 0,
      described: describes ? rows : [],
    });
    const part = { first: 0, count: rows.length, top };
    if (rows.length > 0) results.push(resultOf(context.config, request, outputs, part));
  }
  return results.length === 0 ? { kind: 'none' } : joinResults(results);
}

/** The last chunk is not a single token, which the graph computes otherwise: results do not depend on where chunks end. */
function* chunks(length: number, lengthMax: number): Generator<{ start: number; end: number }> {
  for (let start = 0; start < length; ) {
    const leavesOne = lengthMax > 2 && length - start === lengthMax + 1;
    const end = Math.min(start + lengthMax - (leavesOne ? 1 : 0), length);
    yield { start, end };
    start = end;
  }
}

/** Rows of the chunk whose logits are wanted. */
function wantedRows({ tokens, wanted }: StepRequest, start: number, end: number): number[] {
  if (wanted === 'all') return Array.from({ length: end - start }, (_, i) => i);
  return wanted === 'last' && end === tokens.length ? [end - start - 1] : [];
}

function rowsMax({ config }: RunContext): number {
  return Math.max(1, Math.floor(logitsBytesMax / (4 * config.vocabSize)));
}

function giveUp({ cache }: RunContext, { sequence }: StepRequest): StepResult {
  if (sequence.length === 0) cache.release(sequence.id);
  else cache.truncate(sequence.id, sequence.length);
  return { kind: 'cacheFull' };
}
