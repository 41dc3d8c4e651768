import { joinResults, resultOf } from './results.ts';
import { type RunContext, runGraph } from './run.ts';
import type { StepRequest, StepResult } from './types.ts';

/** Larger chunks are hardly faster, and the cost of a token grows with all tokens of its chunk, including later ones. */
const chunkTokensMax = 256;

/** Maximum memory for the logits of a chunk. Reducing them needs three times as much in addition. */
const logitsBytesMax = 24 * 1024 ** 2;

/** Computes several tokens of one sequence. Rows are allocated chunk by chunk, because the cost of a token grows with them. */
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

/** The last chunk never has a single token, because the graph would compute it with different rounding. */
function* chunks(length: number, lengthMax: number): Generator<{ start: number; end: number }> {
  for (let start = 0; start < length; ) {
    const leavesOne = lengthMax > 2 && length - start === lengthMax + 1;
    const end = Math.min(start + lengthMax - (leavesOne ? 1 : 0), length);
    yield { start, end };
    start = end;
  }
}

/** The rows of the chunk that need logits. */
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
