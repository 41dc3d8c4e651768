import { accountEndpoints } from './accounts/endpoints.ts';
import { annotationQueueEndpoints } from './annotation-queues/endpoints.ts';
import { callEndpoints } from './calls/endpoints.ts';
import { catalogueEndpoints } from './catalogue/endpoints.ts';
import { chatEndpoints } from './chat/endpoints.ts';
import { checkpointEndpoints } from './checkpoints/endpoints.ts';
import { completionEndpoints } from './completions/endpoints.ts';
import { costEndpoints } from './costs/endpoints.ts';
import { embeddingEndpoints } from './embeddings/endpoints.ts';
import type { BodyShape, Endpoint } from './endpoint.ts';
import { evalResultEndpoints } from './eval-results/endpoints.ts';
import { evaluationRunEndpoints } from './evaluation-runs/endpoints.ts';
import { evaluationEndpoints } from './evaluations/endpoints.ts';
import { feedbackEndpoints } from './feedback/endpoints.ts';
import { fileEndpoints } from './files/endpoints.ts';
import { fineTuningEndpoints } from './fine-tuning/endpoints.ts';
import { gateEndpoints } from './gates/endpoints.ts';
import { graderEndpoints } from './graders/endpoints.ts';
import { imageEndpoints } from './images/endpoints.ts';
import { labelEndpoints } from './labels/endpoints.ts';
import { lineageEndpoints } from './lineage/endpoints.ts';
import { loopEndpoints } from './loops/endpoints.ts';
import { modelEndpoints } from './models/endpoints.ts';
import { objectEndpoints } from './objects/endpoints.ts';
import { openaiEvalItemEndpoints } from './openai-eval-items/endpoints.ts';
import { openaiEvalRunEndpoints } from './openai-eval-runs/endpoints.ts';
import { openaiEvalEndpoints } from './openai-evals/endpoints.ts';
import { otelEndpoints } from './otel/endpoints.ts';
import { policyEndpoints } from './policies/endpoints.ts';
import { predictionEndpoints } from './predictions/endpoints.ts';
import { projectEndpoints } from './projects/endpoints.ts';
import { refEndpoints } from './refs/endpoints.ts';
import { registryEndpoints } from './registry/endpoints.ts';
import { resourceEndpoints } from './resources/endpoints.ts';
import { responseEndpoints } from './responses/endpoints.ts';
import { scoreEndpoints } from './scores/endpoints.ts';
import { secretEndpoints } from './secrets/endpoints.ts';
import { serviceEndpoints } from './service/endpoints.ts';
import { sessionEndpoints } from './session/endpoints.ts';
import { suiteEndpoints } from './suites/endpoints.ts';
import { tableEndpoints } from './tables/endpoints.ts';
import { tensorZeroEndpoints } from './tensorzero/endpoints.ts';
import { textCompletionEndpoints } from './text-completions/endpoints.ts';
import { threadEndpoints } from './threads/endpoints.ts';
import { tinkerEndpoints } from './tinker/endpoints.ts';
import { tokenizationEndpoints } from './tokenization/endpoints.ts';
import { trainedModelEndpoints } from './trained-models/endpoints.ts';
import { trainingFromCallsEndpoints } from './training-from-calls/endpoints.ts';
import { trainingJobEndpoints } from './training-jobs/endpoints.ts';
import { uploadedFileEndpoints } from './uploaded-files/endpoints.ts';
import { wandbBodies } from './wandb/bodies.ts';

const groups = [
  serviceEndpoints,
  sessionEndpoints,
  accountEndpoints,
  secretEndpoints,
  projectEndpoints,
  callEndpoints,
  costEndpoints,
  feedbackEndpoints,
  objectEndpoints,
  labelEndpoints,
  otelEndpoints,
  refEndpoints,
  tableEndpoints,
  fileEndpoints,
  threadEndpoints,
  annotationQueueEndpoints,
  resourceEndpoints,
  evaluationEndpoints,
  suiteEndpoints,
  gateEndpoints,
  evaluationRunEndpoints,
  predictionEndpoints,
  scoreEndpoints,
  policyEndpoints,
  loopEndpoints,
  evalResultEndpoints,
  lineageEndpoints,
  completionEndpoints,
  imageEndpoints,
  registryEndpoints,
  catalogueEndpoints,
  chatEndpoints,
  textCompletionEndpoints,
  embeddingEndpoints,
  tokenizationEndpoints,
  responseEndpoints,
  modelEndpoints,
  trainedModelEndpoints,
  checkpointEndpoints,
  trainingJobEndpoints,
  trainingFromCallsEndpoints,
  tinkerEndpoints,
  tensorZeroEndpoints,
  graderEndpoints,
  uploadedFileEndpoints,
  fineTuningEndpoints,
  openaiEvalEndpoints,
  openaiEvalRunEndpoints,
  openaiEvalItemEndpoints,
] as const satisfies Record<string, Endpoint>[];

type Group = (typeof groups)[number];
type MembersOf<Each> = Each extends Record<string, Endpoint> ? Each[keyof Each] : never;
/** Every endpoint by its type, with its own path and schemas. */
export type ServedEndpoint = MembersOf<Group>;

/** All served endpoints, in the order of the documentation. Each group is listed in its `endpoints.ts`. */
export const endpoints: Endpoint[] = groups.flatMap((group): Endpoint[] => Object.values(group));

/** Identifies the body of an endpoint for another thread. */
export function keyOf({ method, path }: BodyShape): string {
  return `${method} ${path}`;
}

const shapes: BodyShape[] = [...endpoints, ...Object.values(wandbBodies)];
const byKey = new Map(shapes.map((shape) => [keyOf(shape), shape]));

export function bodyShapeAt(key: string): BodyShape {
  const shape = byKey.get(key);
  if (shape === undefined) throw new Error(`nothing is served at ${key}`);
  return shape;
}
