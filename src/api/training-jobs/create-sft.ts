import type { Context } from '../../context.ts';
import type { trainingJobCreateSft as endpoint } from '../../contract/training-jobs/create-sft.ts';
import { sftConfigFault } from '../../domain/training/sft-settings.ts';
import type { Handler } from '../../http/bind.ts';
import { invalidField, ValidationError } from '../../util/failures.ts';
import { findTrainedModel } from '../trained-model.ts';

export function trainingJobCreateSft(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ body, caller }) => {
    const { model_id: modelId, training_data_url: url, training_folder_url: folder, ...rest } = body;
    const { allow_suite_rows: allowsSuiteRows, ...configs } = rest;
    const address = url ?? folder;
    if (address === null) {
      throw new ValidationError([{ type: 'missing', loc: ['body', 'training_data_url'], msg: 'Field required' }]);
    }
    const fault = sftConfigFault(configs);
    if (fault) throw invalidField(fault.key, fault.message);
    const { model } = await findTrainedModel(context, caller, modelId);
    const config = { training_data_url: address, ...configs };
    return context.services.training.jobs.createSft({ model, config, caller, allowsSuiteRows });
  };
}
