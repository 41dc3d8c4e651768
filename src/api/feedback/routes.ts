import type { Context } from '../../context.ts';
import { feedbackEndpoints } from '../../contract/feedback/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { feedbackAggregate } from './aggregate.ts';
import { feedbackBatchCreate } from './batch-create.ts';
import { feedbackCreate } from './create.ts';
import { feedbackPayloadSchema } from './payload-schema.ts';
import { feedbackPurge } from './purge.ts';
import { feedbackQuery } from './query.ts';
import { feedbackReplace } from './replace.ts';
import { feedbackStats } from './stats.ts';

export function feedbackRoutes(context: Context): Route[] {
  return routesOf(feedbackEndpoints, {
    feedbackCreate: feedbackCreate(context),
    feedbackBatchCreate: feedbackBatchCreate(context),
    feedbackQuery: feedbackQuery(context),
    feedbackPurge: feedbackPurge(context),
    feedbackReplace: feedbackReplace(context),
    feedbackStats: feedbackStats(context),
    feedbackPayloadSchema: feedbackPayloadSchema(context),
    feedbackAggregate: feedbackAggregate(context),
  });
}
