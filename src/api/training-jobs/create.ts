import type { Context } from '../../context.ts';
import type { trainingJobCreate as endpoint } from '../../contract/training-jobs/create.ts';
import { rlConfigFault } from '../../domain/training/rl-settings.ts';
import type { Handler } from '../../http/bind.ts';
import { invalidField } from '../../util/failures.ts';
import { findTrainedModel } from '../trained-model.ts';

export function trainingJobCreate(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ body, caller }) => {
    const config = body.experimental_config;
    const fault = config && rlConfigFault(config);
    if (fault) throw invalidField(`experimental_config.${fault.key}`, fault.message);
    const { model } = await findTrainedModel(context, caller, body.model_id);
    return context.services.training.jobs.createRl({
      model,
      groups: body.trajectory_groups,
      config: config ?? {},
      createdBy: caller.userId,
      allowsSuiteRows: body.allow_suite_rows,
    });
  };
}
