import { fineTuningJobCancel } from './cancel.ts';
import { fineTuningJobCheckpoints } from './checkpoints.ts';
import { fineTuningJobCreate } from './create.ts';
import { fineTuningJobEvents } from './events.ts';
import { fineTuningJobList } from './list.ts';
import { fineTuningJobPause } from './pause.ts';
import { fineTuningJobRead } from './read.ts';
import { fineTuningJobResume } from './resume.ts';

/** The endpoints of this group, in the order of the documentation. `api/fine-tuning/routes.ts` has a handler for each. */
export const fineTuningEndpoints = {
  fineTuningJobCreate,
  fineTuningJobList,
  fineTuningJobRead,
  fineTuningJobCancel,
  fineTuningJobPause,
  fineTuningJobResume,
  fineTuningJobEvents,
  fineTuningJobCheckpoints,
};
