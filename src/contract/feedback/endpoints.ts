import { feedbackAggregate } from './aggregate.ts';
import { feedbackBatchCreate } from './batch-create.ts';
import { feedbackCreate } from './create.ts';
import { feedbackPayloadSchema } from './payload-schema.ts';
import { feedbackPurge } from './purge.ts';
import { feedbackQuery } from './query.ts';
import { feedbackReplace } from './replace.ts';
import { feedbackStats } from './stats.ts';

/** The endpoints of this group, in the order of the documentation. `api/feedback/routes.ts` has a handler for each. */
export const feedbackEndpoints = {
  feedbackCreate,
  feedbackBatchCreate,
  feedbackQuery,
  feedbackPurge,
  feedbackReplace,
  feedbackStats,
  feedbackPayloadSchema,
  feedbackAggregate,
};
