import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { type GraderFault, messagesFault } from '../graders/check-grader.ts';
import { templateFault } from '../graders/template.ts';
import { toolFault } from './sampling.ts';

/** The most rows of a run, as many as `eval_results/query` reads. */
export const rowsMax = 100_000;

/** What is wrong with a data source of the right shape; null if a run can use it. */
export function dataSourceFault(source: DataSource): GraderFault | null {
  return rowsFault(source) ?? (source.type === 'jsonl' ? null : samplingFault(source));
}

function rowsFault({ source }: DataSource): GraderFault | null {
  switch (source.type) {
    case 'file_content': {
      const { length } = source.content;
      if (length >= 1 && length <= rowsMax) return null;
      return { path: ['source', 'content'], message: `A run has 1 to ${rowsMax} rows (found ${length}).` };
    }
    case 'stored_completions':
      if (!source.limit || (source.limit >= 1 && source.limit <= rowsMax)) return null;
      return { path: ['source', 'limit'], message: `Input should be between 1 and ${rowsMax}` };
    case 'file_id':
    case 'responses':
      return null;
    default:
      return source satisfies never;
  }
}

/** Sources whose items have an input that a model can be asked. */
const hasInput = new Set<DataSource['source']['type']>(['stored_completions', 'responses']);

function samplingFault(data: Exclude<DataSource, { type: 'jsonl' }>): GraderFault | null {
  const { model, input_messages: input, sampling_params: sampling } = data;
  if (input && !model) return { path: ['model'], message: 'The model is required with input_messages.' };
  if (model && !input && !hasInput.has(data.source.type)) {
    return { path: ['input_messages'], message: 'The input_messages are required with a model.' };
  }
  for (const [i, tool] of (sampling?.tools ?? []).entries()) {
    const message = toolFault(tool);
    if (message !== null) return { path: ['sampling_params', 'tools', String(i)], message };
  }
  if (!input) return null;
  if (input.type === 'template') return messagesFault(input.template, ['input_messages', 'template']);
  const isReference = /^\s*item\b/.test(input.item_reference) && templateFault(`{{${input.item_reference}}}`) === null;
  if (isReference) return null;
  return {
    path: ['input_messages', 'item_reference'],
    message: `Expected a path below item, such as item.input (found ${JSON.stringify(input.item_reference).slice(0, 200)}).`,
  };
}
