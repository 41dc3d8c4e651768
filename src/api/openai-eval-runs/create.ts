import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type { openaiEvalRunCreate as endpoint } from '../../contract/openai-eval-runs/create.ts';
import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { dataSourceFault } from '../../domain/openai-evals/check-data-source.ts';
import type { OpenAIEval } from '../../domain/openai-evals/eval.ts';
import { itemSchema } from '../../domain/openai-evals/row-schema.ts';
import type { Handler } from '../../http/bind.ts';
import type { Owner } from '../../services/owner.ts';
import { ownerForRead } from '../project.ts';
import { runAnswer } from './run-answer.ts';

type Deps = Pick<Context, 'config' | 'identity' | 'rules' | 'services'>;

export function openaiEvalRunCreate(context: Deps): Handler<typeof endpoint> {
  return async ({ params, body, caller, raw, whenHungUp }) => {
    const { name, data_source: dataSource, metadata } = body;
    const fault = dataSourceFault(dataSource);
    if (fault) throw invalidSource(fault.message, fault.path);
    const owner = await ownerForRead(context, { caller, raw });
    const of = await context.services.openaiEvals.find(params.eval_id, owner);
    await checkRows(context, of, dataSource, { owner, signal: whenHungUp() });
    const run = { name: name ?? null, dataSource, metadata: metadata ?? {} };
    const created = await context.services.openaiEvals.runs.create(of, run, owner);
    return runAnswer(context, created, { owner, raw });
  };
}

const rowsAtOnce = 2000;

/** Rows in the request must match the schema of the eval. @throws ApiError 400 */
async function checkRows(
  { rules }: Deps,
  of: OpenAIEval,
  { source }: DataSource,
  { owner, signal }: { owner: Owner; signal: AbortSignal },
): Promise<void> {
  const schema = itemSchema(of.dataSourceConfig);
  if (schema === null || source.type !== 'file_content') return;
  const items = source.content.map(({ item }) => item.text);
  for (let start = 0; start < items.length; start += rowsAtOnce) {
    const part = items.slice(start, start + rowsAtOnce);
    const fault = await rules.firstFault(schema, part, { project: owner.project.id, signal });
    if (fault === null) continue;
    const index = start + fault.index;
    throw invalidSource(`Row ${index + 1} does not match the item_schema of the eval: ${fault.message}.`, [
      ...['source', 'content', String(index), 'item'],
    ]);
  }
}

function invalidSource(message: string, path: string[]): ApiError {
  return new ApiError(400, message, { param: ['data_source', ...path].join('.'), code: 'invalid_data_source' });
}
