import { randomUUID } from 'node:crypto';
import { badRequest, notFound } from '../../../contract/errors.ts';
import { parseHistoryRow } from '../../../domain/runs/history.ts';
import { readSweepConfig } from '../../../domain/sweeps/read-sweep-config.ts';
import { type SweepState, sweepStates } from '../../../domain/sweeps/sweep-state.ts';
import type { AgentCommand, SweepChanges } from '../../../services/sweeps.ts';
import { type GraphqlContext, type Input, projectOf, readProject, writeProject } from '../context.ts';
import { refuseUnsupported } from '../refuse-unsupported.ts';
import { sweepNode } from './nodes.ts';

type UpsertSweepInput = {
  id?: string | null;
  entityName?: string | null;
  projectName?: string | null;
  config?: string | null;
  description?: string | null;
  displayName?: string | null;
  state?: string | null;
  controller?: string | null;
  scheduler?: string | null;
  launchScheduler?: string | null;
  templateVariableValues?: string | null;
  priorRunsFilters?: string | null;
};
type AgentInput = { host: string; entityName?: string | null; projectName?: string | null; sweep: string };
type HeartbeatInput = { id: string; metrics?: string | null; runState?: string | null };

export const sweepMutations = {
  Mutation: {
    async upsertSweep(_root: unknown, { input }: Input<UpsertSweepInput>, context: GraphqlContext) {
      const { controller, scheduler, launchScheduler, priorRunsFilters, templateVariableValues } = input;
      const others = { controller, scheduler, launchScheduler, priorRunsFilters, templateVariableValues };
      refuseUnsupported('A sweep', Object.fromEntries(Object.entries(others).filter(([, value]) => value !== 'null')));
      const changes = changesOf(input);
      const sweep = input.id ? await changeSweep(context, input, changes) : await addSweep(context, input, changes);
      return { sweep: sweepNode(sweep), configValidationWarnings: [] };
    },

    /** An agent is not stored: its id says which sweep it works for. */
    async createAgent(_root: unknown, { input }: Input<AgentInput>, context: GraphqlContext) {
      const { host: _unused, sweep: id, ...project } = input;
      const sweep = await sweepOf(context, { ...project, id });
      return { agent: { id: `${sweep.id}:${randomUUID()}` } };
    },

    async agentHeartbeat(_root: unknown, { input }: Input<HeartbeatInput>, context: GraphqlContext) {
      const { id, metrics: _unused, runState } = input;
      const isBusy = Object.values(parseHistoryRow(runState ?? '{}') ?? {}).some((isActive) => isActive === true);
      const sweep = await context.sweeps.find(id.split(':')[0]!);
      // Agents repeat a rejected heartbeat forever, so the heartbeat of a deleted sweep is answered with exit.
      const command: AgentCommand =
        sweep && (await projectOf(context, sweep.projectId))
          ? await context.sweeps.nextCommand(sweep, { isBusy })
          : { type: 'exit' };
      return { agent: { id }, commands: JSON.stringify(toWire(command)) };
    },
  },
};

async function addSweep(context: GraphqlContext, input: UpsertSweepInput, changes: SweepChanges) {
  const { config, plan } = changes;
  if (config === undefined || plan === undefined) throw badRequest('The sweep needs a config.');
  const name = input.projectName || 'uncategorized'; // where clients put runs without a project
  const { id: projectId } = await writeProject(context, { name, entityName: input.entityName });
  const settings = { displayName: null, description: null, state: 'PENDING' as const, ...changes, config, plan };
  return context.sweeps.create({ projectId, ...settings });
}

async function changeSweep(context: GraphqlContext, input: UpsertSweepInput, changes: SweepChanges) {
  const sweep = await sweepOf(context, { ...input, id: input.id! });
  await context.sweeps.change(sweep, changes);
  return (await context.sweeps.find(sweep.id))!;
}

/** @throws ApiError 404 */
async function sweepOf(
  context: GraphqlContext,
  { id, entityName, projectName }: { id: string } & Pick<UpsertSweepInput, 'entityName' | 'projectName'>,
) {
  const project = await readProject(context, { name: projectName, entityName });
  const sweep = project && (await context.sweeps.find(id));
  if (!sweep || sweep.projectId !== project.id) throw notFound(`The project has no sweep ${id}.`);
  return sweep;
}

/** Null leaves a field as it is. */
function changesOf({ config, description, displayName, state }: UpsertSweepInput): SweepChanges {
  return {
    ...(config ? { config, plan: readSweepConfig(config) } : {}),
    ...(description ? { description } : {}),
    ...(displayName ? { displayName } : {}),
    ...(state ? { state: readState(state) } : {}),
  };
}

function readState(text: string): SweepState {
  const state = sweepStates.find((each) => each === text.toUpperCase());
  if (state === undefined)
    throw badRequest(`The state of a sweep is one of ${sweepStates.join(', ')} (found ${text}).`);
  return state;
}

/** Clients read the parameters as settings of a run, `{lr: {value: 0.1}}`. */
function toWire(command: AgentCommand): object[] {
  if (command.type === 'wait') return [];
  if (command.type === 'exit') return [{ type: 'exit' }];
  const { runName, program, point } = command;
  const args = Object.fromEntries(Object.entries(point).map(([key, value]) => [key, { value }]));
  return [{ type: 'run', run_id: runName, ...(program === null ? {} : { program }), args }];
}
