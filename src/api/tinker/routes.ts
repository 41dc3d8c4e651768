import type { Context } from '../../context.ts';
import { tinkerEndpoints } from '../../contract/tinker/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
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

export function tinkerRoutes(context: Context): Route[] {
  return routesOf(tinkerEndpoints, {
    tinkerClientConfig: tinkerClientConfig(),
    tinkerClientDynamicConfig: tinkerClientDynamicConfig(),
    tinkerClientHealth: tinkerClientHealth(),
    tinkerClientCapabilities: tinkerClientCapabilities(context),
    tinkerClientTelemetry: tinkerClientTelemetry(),
    tinkerSessionCreate: tinkerSessionCreate(context),
    tinkerSessionHeartbeat: tinkerSessionHeartbeat(context),
    tinkerSessionFinish: tinkerSessionFinish(context),
    tinkerSessionRead: tinkerSessionRead(context),
    tinkerSessionList: tinkerSessionList(context),
    tinkerModelCreate: tinkerModelCreate(context),
    tinkerModelInfo: tinkerModelInfo(context),
    tinkerModelUnload: tinkerModelUnload(context),
    tinkerForwardBackward: tinkerForwardBackward(context),
    tinkerForward: tinkerForward(context),
    tinkerOptimStep: tinkerOptimStep(context),
    tinkerSamplerCreate: tinkerSamplerCreate(context),
    tinkerSamplerJoin: tinkerSamplerJoin(context),
    tinkerSampler: tinkerSampler(context),
    tinkerSample: tinkerSample(context),
    tinkerWeightsSave: tinkerWeightsSave(context),
    tinkerWeightsSaveForSampler: tinkerWeightsSaveForSampler(context),
    tinkerWeightsSaveExternal: tinkerWeightsSaveExternal(context),
    tinkerWeightsLoad: tinkerWeightsLoad(context),
    tinkerWeightsInfo: tinkerWeightsInfo(context),
    tinkerFutureRetrieve: tinkerFutureRetrieve(context),
    tinkerFutureCancel: tinkerFutureCancel(context),
    tinkerRunList: tinkerRunList(context),
    tinkerRunRead: tinkerRunRead(context),
    tinkerRunCheckpoints: tinkerRunCheckpoints(context),
    tinkerCheckpointList: tinkerCheckpointList(context),
    tinkerCheckpointDelete: tinkerCheckpointDelete(context),
    tinkerCheckpointExpiry: tinkerCheckpointExpiry(context),
    tinkerCheckpointArchive: tinkerCheckpointArchive(context),
    tinkerCheckpointUrls: tinkerCheckpointUrls(context),
  });
}
