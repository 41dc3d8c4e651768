import { z } from 'zod';
import { notFound, unprocessable } from '../contract/errors.ts';
import { importTraces, importTracesParams } from '../imports/import-traces.ts';
import { importOpenAI, importOpenAIParams } from '../imports/openai/import-openai.ts';
import { importTensorZero, importTensorZeroParams } from '../imports/tensorzero/import-tensorzero.ts';
import type { AdminContext } from './admin-context.ts';
import { describeMonitors } from './describe-monitors.ts';
import { examine } from './doctor.ts';
import {
  cancelEvaluation,
  evaluationResults,
  evaluationStatus,
  resultsParams,
  startEvaluation,
  startParams,
  statusParams,
} from './evaluations/operations.ts';
import { exportModel, exportParams } from './export-model.ts';
import {
  cancelGate,
  gateParams,
  gatesParams,
  listGates,
  newGate,
  newGateParams,
  readGate,
  readVerdict,
} from './gates/operations.ts';
import { newestAnswers, newestParams, showLineage, showParams, verifyLineage, verifyParams } from './lineage.ts';
import {
  answerTurn,
  answerTurnParams,
  cancelTurn,
  deleteLoop,
  listLoops,
  loopParams,
  loopsParams,
  pauseLoop,
  pauseLoopParams,
  readLoop,
  resumeLoop,
  saveLoop,
  saveLoopParams,
  startTurn,
  turnParams,
  undoTurn,
  undoTurnParams,
} from './loops.ts';
import { parquetConverter } from './parquet-converter.ts';
import {
  judgeShares,
  listPolicies,
  policyEstimateParams,
  policyListParams,
  policyParams,
  policySetParams,
  policyUndoParams,
  setPolicy,
  showPolicy,
  undoPolicy,
} from './policies.ts';
import { listModels, pullModel, pullParams, removeModel } from './pull/operations.ts';
import type { Watch } from './pull/progress.ts';
import { listRuns, runParams, runsParams, showRun } from './runs.ts';
import { listSecrets, removeParams, removeSecret, setParams, setSecret } from './secrets.ts';
import { signInLink } from './sign-in.ts';
import { freezeSuite, freezeSuiteParams, listSuites, listSuitesParams, showSuite, showSuiteParams } from './suites.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { previewParams, previewTraining, startTraining, startTrainingParams } from './training/from-calls.ts';
import { cancelJob, eventsParams, jobParams, listJobs, readEvents, resumeJob } from './training/operations.ts';
import {
  previewSupervised,
  previewSupervisedParams,
  startSupervised,
  startSupervisedParams,
} from './training/supervised.ts';

/** What the commands of `heddle` ask of a server, by name. Answers are JSON. */
const operations = {
  'keys.create': operation(
    z.object({ user: z.string().optional(), name: z.string().optional() }),
    async ({ identity }, { user, name }) => {
      const { key, ...record } = await identity.createKey({ user, name });
      return { ...keyLine(record), key };
    },
  ),

  'keys.list': operation(z.object({}), async ({ identity }) => (await identity.listKeys()).map(keyLine)),

  'keys.revoke': operation(z.object({ which: z.string().min(1) }), async ({ identity }, { which }) =>
    keyLine(await identity.revokeKey(which)),
  ),

  'signIn.link': operation(z.object({ user: z.string().optional() }), async ({ identity, address }, { user }) => ({
    link: await signInLink(identity, address ?? '', user),
  })),

  'users.create': operation(
    z.object({ name: z.string(), entity: z.string().optional() }),
    ({ identity }, { name, entity }) => identity.createUser(name, entity),
  ),

  'users.list': operation(z.object({}), ({ identity }) => identity.listUsers()),

  'models.pull': operation(pullParams, (context, params, watch) => pullModel(context, params, watch)),

  'models.list': operation(z.object({}), (context) => listModels(context)),

  'models.remove': operation(z.object({ name: z.string() }), (context, { name }) => removeModel(context, name)),

  'models.export': operation(exportParams, ({ services }, params, watch) => exportModel(services, params, watch)),

  'secrets.set': operation(setParams, ({ identity, services: { secrets } }, params) =>
    setSecret({ identity, secrets }, params),
  ),

  'secrets.list': operation(z.object({}), ({ services: { secrets } }) => listSecrets({ secrets })),

  'secrets.remove': operation(removeParams, ({ identity, services: { secrets } }, params) =>
    removeSecret({ identity, secrets }, params),
  ),

  import: operation(importTracesParams, ({ identity, services, config }, params, watch) =>
    importTraces({ identity, services, redacts: config.redactCredentials }, params, watch),
  ),

  'import.openai': operation(importOpenAIParams, (context, params, watch) => importOpenAI(context, params, watch)),

  'import.tensorzero': operation(importTensorZeroParams, (context, params, watch) =>
    importTensorZero({ ...context, convertParquet: parquetConverter(context) }, params, watch),
  ),

  'registry.list': operation(z.object({}), async ({ services: { registry } }) =>
    (await registry.list()).map((line) => ({ ...line, linkedAt: line.linkedAt.toISOString() })),
  ),

  'jobs.list': operation(z.object({}), ({ services }) => listJobs(services.training)),

  'jobs.events': operation(eventsParams, ({ services }, params) => readEvents(services.training, params)),

  'jobs.resume': operation(jobParams, ({ services }, params) => resumeJob(services.training, params)),
  'jobs.cancel': operation(jobParams, ({ services }, params) => cancelJob(services.training, params)),

  'train.preview': operation(previewParams, (context, params, watch) => previewTraining(context, params, watch)),

  'train.start': operation(startTrainingParams, (context, params) => startTraining(context, params)),

  'sft.preview': operation(previewSupervisedParams, (context, params, watch) =>
    previewSupervised(context, params, watch),
  ),

  'sft.start': operation(startSupervisedParams, (context, params) => startSupervised(context, params)),

  'suites.freeze': operation(freezeSuiteParams, (context, params) => freezeSuite(context, params)),

  'suites.list': operation(listSuitesParams, (context, params) => listSuites(context, params)),

  'suites.show': operation(showSuiteParams, (context, params) => showSuite(context, params)),

  'runs.list': operation(runsParams, (context, params) => listRuns(context, params)),

  'runs.show': operation(runParams, (context, params) => showRun(context, params)),

  'lineage.show': operation(showParams, (context, params) => showLineage(context, params)),

  'lineage.newest': operation(newestParams, (context, params) => newestAnswers(context, params)),

  'lineage.verify': operation(verifyParams, (context, params, watch) => verifyLineage(context, params, watch)),

  'eval.start': operation(startParams, (context, params) => startEvaluation(context, params)),

  'eval.status': operation(statusParams, (context, params) => evaluationStatus(context, params)),

  'eval.results': operation(resultsParams, (context, params) => evaluationResults(context, params)),

  'eval.cancel': operation(statusParams, (context, params) => cancelEvaluation(context, params)),

  'gate.start': operation(newGateParams, (context, params) => newGate(context, params)),

  'gate.list': operation(gatesParams, (context, params) => listGates(context, params)),

  'gate.read': operation(gateParams, (context, params) => readGate(context, params)),

  'gate.cancel': operation(gateParams, (context, params) => cancelGate(context, params)),

  'gate.verdict': operation(gateParams, (context, params) => readVerdict(context, params)),

  'gate.publicKey': operation(z.object({}), async ({ services }) => services.gates.publicKey()),

  'loop.save': operation(saveLoopParams, (context, params) => saveLoop(context, params)),

  'loop.list': operation(loopsParams, (context, params) => listLoops(context, params)),

  'loop.read': operation(loopParams, (context, params) => readLoop(context, params)),

  'loop.delete': operation(loopParams, (context, params) => deleteLoop(context, params)),

  'loop.pause': operation(pauseLoopParams, (context, params) => pauseLoop(context, params)),

  'loop.resume': operation(loopParams, (context, params) => resumeLoop(context, params)),

  'loop.start': operation(loopParams, (context, params) => startTurn(context, params)),

  'loop.answer': operation(answerTurnParams, (context, params) => answerTurn(context, params)),

  'loop.cancel': operation(turnParams, (context, params) => cancelTurn(context, params)),

  'loop.undo': operation(undoTurnParams, (context, params) => undoTurn(context, params)),

  top: operation(z.object({}), (context) => takeSnapshot(context)),

  'monitors.list': operation(z.object({}), (context) => describeMonitors(context)),

  'policies.list': operation(policyListParams, ({ identity, services: { policies } }, params) =>
    listPolicies({ identity, policies }, params),
  ),

  'policies.show': operation(policyParams, ({ identity, services: { policies } }, params) =>
    showPolicy({ identity, policies }, params),
  ),

  'policies.set': operation(policySetParams, ({ identity, services: { policies } }, params) =>
    setPolicy({ identity, policies }, params),
  ),

  'policies.undo': operation(policyUndoParams, ({ identity, services: { policies } }, params) =>
    undoPolicy({ identity, policies }, params),
  ),
  'policies.estimate': operation(policyEstimateParams, ({ identity, services: { policies } }, params) =>
    judgeShares({ identity, policies }, params),
  ),

  'spans.explain': operation(z.object({ callId: z.string().min(1) }), ({ services }, { callId }) =>
    services.spans.explainEverywhere(callId),
  ),

  remap: operation(z.object({ writes: z.boolean() }), ({ services }, options) => services.spans.remap(options)),

  /** What `heddle env` cannot know alone: the port that was taken, and whose projects there are. */
  env: operation(z.object({}), async ({ identity, address }) => {
    const owner = (await identity.listUsers()).find((user) => user.isOwner);
    return { address, entity: owner?.entities[0] ?? null };
  }),

  doctor: operation(z.object({}), (context) => examine(context)),
};

export type OperationName = keyof typeof operations;
export type Params<Name extends OperationName> = Parameters<(typeof operations)[Name]>[1];
export type OperationAnswer<Name extends OperationName> = Awaited<ReturnType<(typeof operations)[Name]>>;

/** Runs the operation of a name that came from outside. */
export async function perform(context: AdminContext, name: string, params: unknown, watch: Watch): Promise<unknown> {
  if (!Object.hasOwn(operations, name)) {
    throw notFound(
      `The server does not know the operation ${name}: it runs another version of heddle than this command.`,
    );
  }
  return operations[name as OperationName](context, params as never, watch); // each parses its own params
}

function operation<Schema extends z.ZodType, Result>(
  schema: Schema,
  run: (context: AdminContext, params: z.output<Schema>, watch: Watch) => Promise<Result>,
): (context: AdminContext, params: z.input<Schema>, watch: Watch) => Promise<Result> {
  return async (context, params, watch) => {
    const parsed = schema.safeParse(params);
    if (!parsed.success) throw unprocessable(z.prettifyError(parsed.error));
    return run(context, parsed.data, watch);
  };
}

function keyLine(key: {
  createdAt: Date;
  revokedAt: Date | null;
  id: string;
  user: string;
  name: string;
  ending: string;
}) {
  return { ...key, createdAt: key.createdAt.toISOString(), revokedAt: key.revokedAt?.toISOString() ?? null };
}
