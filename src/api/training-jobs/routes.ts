import type { Context } from '../../context.ts';
import { trainingJobEndpoints } from '../../contract/training-jobs/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { trainingJobCancel } from './cancel.ts';
import { trainingJobCreate } from './create.ts';
import { trainingJobCreateSft } from './create-sft.ts';
import { trainingJobEvents } from './events.ts';
import { trainingJobList } from './list.ts';
import { trainingJobRead } from './read.ts';
import { trainingJobResume } from './resume.ts';
import { trainingJobRollouts } from './rollouts.ts';

export function trainingJobRoutes(context: Context): Route[] {
  return routesOf(trainingJobEndpoints, {
    trainingJobCreate: trainingJobCreate(context),
    trainingJobCreateSft: trainingJobCreateSft(context),
    trainingJobList: trainingJobList(context),
    trainingJobRead: trainingJobRead(context),
    trainingJobEvents: trainingJobEvents(context),
    trainingJobRollouts: trainingJobRollouts(context),
    trainingJobResume: trainingJobResume(context),
    trainingJobCancel: trainingJobCancel(context),
  });
}
