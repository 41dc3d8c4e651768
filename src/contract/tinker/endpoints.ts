import {
  tinkerCheckpointArchive,
  tinkerCheckpointDelete,
  tinkerCheckpointExpiry,
  tinkerCheckpointList,
  tinkerCheckpointUrls,
} from './checkpoint.ts';
import {
  tinkerClientCapabilities,
  tinkerClientConfig,
  tinkerClientDynamicConfig,
  tinkerClientHealth,
  tinkerClientTelemetry,
} from './client.ts';
import { tinkerForward, tinkerForwardBackward } from './forward.ts';
import { tinkerFutureCancel, tinkerFutureRetrieve } from './future.ts';
import { tinkerModelCreate, tinkerModelInfo, tinkerModelUnload } from './model.ts';
import { tinkerOptimStep } from './optim-step.ts';
import { tinkerRunCheckpoints, tinkerRunList, tinkerRunRead } from './run.ts';
import { tinkerSample } from './sample.ts';
import { tinkerSampler, tinkerSamplerCreate, tinkerSamplerJoin } from './sampler.ts';
import {
  tinkerSessionCreate,
  tinkerSessionFinish,
  tinkerSessionHeartbeat,
  tinkerSessionList,
  tinkerSessionRead,
} from './session.ts';
import {
  tinkerWeightsInfo,
  tinkerWeightsLoad,
  tinkerWeightsSave,
  tinkerWeightsSaveExternal,
  tinkerWeightsSaveForSampler,
} from './weights.ts';

/** The endpoints of this group, in the order of the documentation. `api/tinker/routes.ts` has a handler for each. */
export const tinkerEndpoints = {
  tinkerClientConfig,
  tinkerClientDynamicConfig,
  tinkerClientHealth,
  tinkerClientCapabilities,
  tinkerClientTelemetry,
  tinkerSessionCreate,
  tinkerSessionHeartbeat,
  tinkerSessionFinish,
  tinkerSessionRead,
  tinkerSessionList,
  tinkerModelCreate,
  tinkerModelInfo,
  tinkerModelUnload,
  tinkerForwardBackward,
  tinkerForward,
  tinkerOptimStep,
  tinkerSamplerCreate,
  tinkerSamplerJoin,
  tinkerSampler,
  tinkerSample,
  tinkerWeightsSave,
  tinkerWeightsSaveForSampler,
  tinkerWeightsSaveExternal,
  tinkerWeightsLoad,
  tinkerWeightsInfo,
  tinkerFutureRetrieve,
  tinkerFutureCancel,
  tinkerRunList,
  tinkerRunRead,
  tinkerRunCheckpoints,
  tinkerCheckpointList,
  tinkerCheckpointDelete,
  tinkerCheckpointExpiry,
  tinkerCheckpointArchive,
  tinkerCheckpointUrls,
};
