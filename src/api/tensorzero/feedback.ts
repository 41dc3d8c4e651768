import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tensorzero/feedback.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerOf } from '../../services/owner.ts';

export function tensorZeroFeedback({
  identity,
  services: { tensorZero },
}: Context): Handler<typeof contract.tensorZeroFeedback> {
  return async ({ params: { entity, project }, body, caller }) => {
    const owner = await ownerOf({ identity }, caller, `${entity}/${project}`, 'write');
    const feedback_id = await tensorZero.giveFeedback({
      ...owner,
      ...{ metricName: body.metric_name, value: body.value, tags: body.tags, isDryRun: body.dryrun === true },
      ...{ inferenceId: body.inference_id, episodeId: body.episode_id },
    });
    return { feedback_id };
  };
}
