import { trainingJobCancel } from './cancel.ts';
import { trainingJobCreate } from './create.ts';
import { trainingJobCreateSft } from './create-sft.ts';
import { trainingJobEvents } from './events.ts';
import { trainingJobList } from './list.ts';
import { trainingJobRead } from './read.ts';
import { trainingJobResume } from './resume.ts';
import { trainingJobRollouts } from './rollouts.ts';

/** The endpoints of this group, in the order of the documentation. `api/training-jobs/routes.ts` has a handler for each. */
export const trainingJobEndpoints = {
  trainingJobCreate,
  trainingJobCreateSft,
  trainingJobList,
  trainingJobRead,
  trainingJobEvents,
  trainingJobRollouts,
  trainingJobResume,
  trainingJobCancel,
};
