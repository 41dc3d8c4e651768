import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type { openaiEvalCreate as endpoint } from '../../contract/openai-evals/create.ts';
import { schemaFault } from '../../domain/json-schema.ts';
import type { Handler } from '../../http/bind.ts';
import { checkGrader } from '../graders/check.ts';
import { ownerForWrite } from '../project.ts';
import { evalAnswer } from './eval-answer.ts';

export function openaiEvalCreate(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ body, caller, raw }) => {
    const { name, data_source_config: config, testing_criteria: criteria, metadata } = body;
    for (const [i, criterion] of criteria.entries()) checkGrader(criterion, `testing_criteria.${i}`);
    const fault = config.type === 'custom' ? schemaFault(config.item_schema) : null;
    if (fault !== null) {
      throw new ApiError(400, `The item_schema is not a JSON Schema: ${fault}.`, {
        param: 'data_source_config.item_schema',
        code: 'invalid_schema',
      });
    }
    const owner = await ownerForWrite(context, { caller, raw });
    const created = { name: name ?? null, config, criteria, metadata: metadata ?? {} };
    return evalAnswer(await context.services.openaiEvals.create(created, owner));
  };
}
