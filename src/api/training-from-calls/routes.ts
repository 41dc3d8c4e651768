import type { Context } from '../../context.ts';
import { trainingFromCallsEndpoints } from '../../contract/training-from-calls/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { FairGate } from '../../util/fair-gate.ts';
import { trainingRlPreview } from './rl-preview.ts';
import { trainingRlStart } from './rl-start.ts';
import { trainingSftPreview } from './sft-preview.ts';
import { trainingSftStart } from './sft-start.ts';

/** Each preview has a thread with a tokenizer. */
const previewsAtOnce = 2;

export function trainingFromCallsRoutes(context: Context): Route[] {
  const gate = new FairGate(previewsAtOnce);
  return routesOf(trainingFromCallsEndpoints, {
    trainingRlPreview: trainingRlPreview(context, gate),
    trainingRlStart: trainingRlStart(context),
    trainingSftPreview: trainingSftPreview(context, gate),
    trainingSftStart: trainingSftStart(context),
  });
}
