import type { Context } from '../context.ts';
import type { Route } from '../http/bind.ts';
import { accountRoutes } from './accounts/routes.ts';
import { annotationQueueRoutes } from './annotation-queues/routes.ts';
import { callRoutes } from './calls/routes.ts';
import { catalogueRoutes } from './catalogue/routes.ts';
import { chatRoutes } from './chat/routes.ts';
import { checkpointRoutes } from './checkpoints/routes.ts';
import { completionRoutes } from './completions/routes.ts';
import { costRoutes } from './costs/routes.ts';
import { embeddingRoutes } from './embeddings/routes.ts';
import { evalResultRoutes } from './eval-results/routes.ts';
import { evaluationRunRoutes } from './evaluation-runs/routes.ts';
import { evaluationRoutes } from './evaluations/routes.ts';
import { feedbackRoutes } from './feedback/routes.ts';
import { fileRoutes } from './files/routes.ts';
import { fineTuningRoutes } from './fine-tuning/routes.ts';
import { gateRoutes } from './gates/routes.ts';
import { graderRoutes } from './graders/routes.ts';
import { imageRoutes } from './images/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import { lineageRoutes } from './lineage/routes.ts';
import { loopRoutes } from './loops/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { objectRoutes } from './objects/routes.ts';
import { openaiEvalItemRoutes } from './openai-eval-items/routes.ts';
import { openaiEvalRunRoutes } from './openai-eval-runs/routes.ts';
import { openaiEvalRoutes } from './openai-evals/routes.ts';
import { otelRoutes } from './otel/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import { predictionRoutes } from './predictions/routes.ts';
import { projectRoutes } from './projects/routes.ts';
import { refRoutes } from './refs/routes.ts';
import { registryRoutes } from './registry/routes.ts';
import { resourceRoutes } from './resources/routes.ts';
import { responseRoutes } from './responses/routes.ts';
import { scoreRoutes } from './scores/routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import { serviceRoutes } from './service/routes.ts';
import { sessionRoutes } from './session/routes.ts';
import { suiteRoutes } from './suites/routes.ts';
import { tableRoutes } from './tables/routes.ts';
import { tensorZeroRoutes } from './tensorzero/routes.ts';
import { textCompletionRoutes } from './text-completions/routes.ts';
import { threadRoutes } from './threads/routes.ts';
import { tinkerRoutes } from './tinker/routes.ts';
import { tokenizationRoutes } from './tokenization/routes.ts';
import { trainedModelRoutes } from './trained-models/routes.ts';
import { trainingFromCallsRoutes } from './training-from-calls/routes.ts';
import { trainingJobRoutes } from './training-jobs/routes.ts';
import { uploadedFileRoutes } from './uploaded-files/routes.ts';

const groups = [
  serviceRoutes,
  sessionRoutes,
  accountRoutes,
  secretRoutes,
  projectRoutes,
  callRoutes,
  costRoutes,
  feedbackRoutes,
  objectRoutes,
  labelRoutes,
  otelRoutes,
  refRoutes,
  tableRoutes,
  fileRoutes,
  threadRoutes,
  annotationQueueRoutes,
  resourceRoutes,
  evaluationRoutes,
  suiteRoutes,
  gateRoutes,
  evaluationRunRoutes,
  predictionRoutes,
  scoreRoutes,
  policyRoutes,
  loopRoutes,
  evalResultRoutes,
  lineageRoutes,
  completionRoutes,
  imageRoutes,
  registryRoutes,
  catalogueRoutes,
  chatRoutes,
  tensorZeroRoutes,
  textCompletionRoutes,
  embeddingRoutes,
  tokenizationRoutes,
  responseRoutes,
  modelRoutes,
  trainedModelRoutes,
  checkpointRoutes,
  trainingJobRoutes,
  trainingFromCallsRoutes,
  tinkerRoutes,
  graderRoutes,
  uploadedFileRoutes,
  fineTuningRoutes,
  openaiEvalRoutes,
  openaiEvalRunRoutes,
  openaiEvalItemRoutes,
];

/** Every endpoint with what answers it, group by group. */
export function routes(context: Context): Route[] {
  return groups.flatMap((routesOfGroup) => routesOfGroup(context));
}
