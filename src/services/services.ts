import { type AnnotationQueues, openAnnotationQueues } from './annotation-queues/annotation-queues.ts';
import { type Artifacts, openArtifacts } from './artifacts/artifacts.ts';
import { type Calls, openCalls } from './calls/calls.ts';
import { type Completions, openCompletions } from './completions/completions.ts';
import { openObjectReader } from './completions/read-object.ts';
import { type Costs, openCosts } from './costs/costs.ts';
import type { Deps } from './deps.ts';
import { type Evaluations, openEvaluations } from './evaluations/evaluations.ts';
import { type OpenAIEvals, openOpenAIEvals } from './evaluations/openai-evals/openai-evals.ts';
import type { EvalJobRunner } from './evaluations/openai-evals/runs.ts';
import { type Feedback, openFeedback } from './feedback/feedback.ts';
import { type Files, openFiles } from './files/files.ts';
import { type FineTuning, openFineTuning } from './fine-tuning/fine-tuning.ts';
import { type Gates, openGates } from './gates/gates.ts';
import { type Images, openImages } from './images/images.ts';
import { type Labels, openLabels } from './labels.ts';
import { type Lineages, openLineages } from './lineage/lineages.ts';
import { type LoopChats, openLoopChats } from './loops/loop-chats.ts';
import { type Loops, openLoops, type TurnRunner } from './loops/loops.ts';
import { artifactResolver } from './models/artifact-model.ts';
import { type ModelExports, openModelExports } from './models/export/export-model.ts';
import { fineTunedResolver } from './models/fine-tuned-model.ts';
import { openServedModels, type ServedModelSettings, type ServedModels } from './models/served-models.ts';
import { type Objects, openObjects } from './objects/objects.ts';
import { openLivePolicies } from './policies/live-policies.ts';
import { openPolicies, type Policies } from './policies/policies.ts';
import { openPolicyRequests, type PolicyRequests } from './policies/policy-requests.ts';
import { openShadows } from './policies/shadows.ts';
import { openProjectActivity, type ProjectActivity } from './project-activity.ts';
import { openRefs, type Refs } from './refs/refs.ts';
import { openRegistry, type Registry } from './registry.ts';
import { openResources, type Resources } from './resources.ts';
import { openResponses, type Responses } from './responses/responses.ts';
import { openRuns, type Runs } from './runs/runs.ts';
import { openSecrets, type Secrets } from './secrets/secrets.ts';
import { openSignedBlobs, type SignedBlobs } from './signed-blobs.ts';
import { openSpans, type Spans } from './spans/spans.ts';
import { type HoldOut, openHoldOut } from './suites/hold-out.ts';
import { openSuites, type SuiteScanner, type Suites } from './suites/suites.ts';
import { openSweeps, type Sweeps } from './sweeps.ts';
import { openTables, type Tables } from './tables/tables.ts';
import { openTensorZero, type TensorZero } from './tensorzero/tensorzero.ts';
import { openThreads, type Threads } from './threads.ts';
import { artifactData } from './training/data/artifact-data.ts';
import { datasetData } from './training/data/dataset-data.ts';
import { inlineData } from './training/data/inline-data.ts';
import type { JobRunner } from './training/jobs.ts';
import { openTraining, type Training } from './training/training.ts';
import { openUploadedFiles, type UploadedFiles } from './uploaded-files.ts';

/**
 * Operations on a project, for handlers, jobs and the command line alike. A service takes ids of projects, which
 * `identity` gives only to callers who may use them, and checks everything else itself.
 */
export type Services = {
  calls: Calls;
  projects: ProjectActivity;
  threads: Threads;
  objects: Objects;
  labels: Labels;
  refs: Refs;
  resources: Resources;
  tables: Tables;
  files: Files;
  feedback: Feedback;
  annotationQueues: AnnotationQueues;
  costs: Costs;
  evaluations: Evaluations;
  suites: Suites;
  gates: Gates;
  holdOut: HoldOut;
  openaiEvals: OpenAIEvals;
  secrets: Secrets;
  models: ServedModels;
  exports: ModelExports;
  completions: Completions;
  policies: Policies;
  policyRequests: PolicyRequests;
  tensorZero: TensorZero;
  responses: Responses;
  lineages: Lineages;
  loops: Loops;
  loopChats: LoopChats;
  images: Images;
  registry: Registry;
  spans: Spans;
  training: Training;
  artifacts: Artifacts;
  runs: Runs;
  sweeps: Sweeps;
  signedBlobs: SignedBlobs;
  uploadedFiles: UploadedFiles;
  fineTuning: FineTuning;
};

export type ServiceSettings = {
  /** Whether payloads are searched for credentials. */
  redacts: boolean;
  /** Private hosts of model providers, as in the setting. */
  providerHosts: string;
  /** How long addresses of uploads and downloads are valid. */
  signedUrlSeconds: number;
  /** The size that a file of a run or an artifact may have. */
  artifactFileMaxBytes: number;
} & ServedModelSettings;

export function openServices(
  deps: Deps,
  settings: ServiceSettings,
  runners: { training: JobRunner; evals: EvalJobRunner; suites: SuiteScanner; loops: TurnRunner },
): Services {
  const artifacts = openArtifacts(deps, { fileBytesMax: settings.artifactFileMaxBytes });
  const objects = openObjects(deps, settings);
  const tables = openTables(deps);
  const files = openFiles(deps);
  const calls = openCalls(deps, settings);
  const feedback = openFeedback(deps);
  const runs = openRuns(deps);
  const secrets = openSecrets(deps);
  const spans = openSpans(deps);
  const models = openServedModels(deps, settings, [artifactResolver(deps), fineTunedResolver(deps)]);
  const uploadedFiles = openUploadedFiles(deps);
  const resolvers = [inlineData, datasetData({ ...deps, objects, tables }), artifactData({ ...deps, artifacts })];
  const training = openTraining({ ...deps, runs }, runners.training, resolvers);
  const resources = openResources({ objects, tables, files });
  const evaluations = openEvaluations(deps, { calls, feedback });
  const responses = openResponses(deps, calls);
  const reader = openObjectReader(deps, objects);
  const live = openLivePolicies(deps);
  const shadows = openShadows(deps, calls);
  const policyRequests = openPolicyRequests({ ...deps, models, reader, secrets, live, shadows });
  const policies = openPolicies({ ...deps, live }, { ...deps, bases: deps.models, models, objects, reader, secrets });
  const suites = openSuites({ ...deps, objects, tables, uploadedFiles, resolvers }, runners.suites);
  const loopChats = openLoopChats({ objects });
  return {
    calls,
    projects: openProjectActivity(deps),
    threads: openThreads(deps),
    objects,
    labels: openLabels(deps),
    refs: openRefs(deps),
    tables,
    files,
    resources,
    feedback,
    annotationQueues: openAnnotationQueues(deps),
    costs: openCosts(deps),
    evaluations,
    gates: openGates(deps),
    suites,
    holdOut: openHoldOut({ calls, resources }),
    openaiEvals: openOpenAIEvals(deps, { calls, evaluations, responses, uploadedFiles }, runners.evals),
    secrets,
    models,
    exports: openModelExports(deps),
    completions: openCompletions(deps, { models, objects, secrets, calls, policyRequests }),
    policies,
    policyRequests,
    tensorZero: openTensorZero(deps, {
      ...{ calls, models, objects, reader, secrets, feedback, policies: policyRequests },
    }),
    responses,
    lineages: openLineages(deps, { calls, models, responses }),
    loops: openLoops({ ...deps, suites, policies, chats: loopChats }, runners.loops),
    loopChats,
    images: openImages(deps, { models, objects, secrets, files }),
    registry: openRegistry(deps),
    spans,
    training,
    fineTuning: openFineTuning({ ...deps, files: uploadedFiles, runner: runners.training, training }),
    artifacts,
    runs,
    sweeps: openSweeps(deps),
    uploadedFiles,
    signedBlobs: openSignedBlobs(deps, { validSeconds: settings.signedUrlSeconds }),
  };
}
