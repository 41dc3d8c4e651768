import type { Context } from '../../context.ts';
import { fineTuningEndpoints } from '../../contract/fine-tuning/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { fineTuningJobCancel } from './cancel.ts';
import { fineTuningJobCheckpoints } from './checkpoints.ts';
import { fineTuningJobCreate } from './create.ts';
import { fineTuningJobEvents } from './events.ts';
import { fineTuningJobList } from './list.ts';
import { fineTuningJobPause } from './pause.ts';
import { fineTuningJobRead } from './read.ts';
import { fineTuningJobResume } from './resume.ts';

export function fineTuningRoutes(context: Context): Route[] {
  return routesOf(fineTuningEndpoints, {
    fineTuningJobCreate: fineTuningJobCreate(context),
    fineTuningJobList: fineTuningJobList(context),
    fineTuningJobRead: fineTuningJobRead(context),
    fineTuningJobCancel: fineTuningJobCancel(context),
    fineTuningJobPause: fineTuningJobPause(context),
    fineTuningJobResume: fineTuningJobResume(context),
    fineTuningJobEvents: fineTuningJobEvents(context),
    fineTuningJobCheckpoints: fineTuningJobCheckpoints(context),
  });
}
