import { z } from 'zod';
import { parseHistoryRow, withTextForNonFinite } from '../domain/runs/history.ts';
import { stateOf } from '../domain/runs/state.ts';
import type { Identity } from '../identity/identity.ts';
import type { Run } from '../services/runs/runs.ts';
import type { Services } from '../services/services.ts';
import { notFound } from '../util/failures.ts';

type Context = { identity: Identity; services: Services };

const shownMax = 50;
/** More values than a terminal has columns, so that a curve shows means of them. */
const valuesMax = 2000;
const columnsMax = 100;

export const runsParams = z.object({ project: z.string().nullable() });
export const runParams = z.object({ project: z.string(), run: z.string() });

/** The newest runs of a project, or of all. */
export async function listRuns({ identity, services }: Context, { project }: z.output<typeof runsParams>) {
  const projectId = project === null ? null : await projectOf(identity, project);
  const runs = await services.runs.list({ projectId, afterId: null, limit: shownMax });
  return Promise.all(runs.map((run) => runLine(identity, run)));
}

/** A run with its configuration, its summary and the curves of its numbers. */
export async function showRun({ identity, services }: Context, { project, run: name }: z.output<typeof runParams>) {
  const run = await services.runs.find(await projectOf(identity, project), name);
  if (!run) throw notFound(`The project ${project} has no run ${name}.`);
  const logged = await services.artifacts.ofRun(run.id, 'logged');
  return {
    run: await runLine(identity, run),
    config: configOf(run),
    summary: withTextForNonFinite(parseHistoryRow(run.summary) ?? {}) as Record<string, unknown>,
    curves: await curvesOf(services, run),
    artifacts: logged.map(({ name: artifact, versionIndex, type }) => `${artifact}:v${versionIndex} (${type})`),
  };
}

async function projectOf(identity: Identity, project: string) {
  const owner = await identity.findOwner();
  if (!owner) throw notFound('There are no runs yet.');
  return identity.projectForRead(owner, project);
}

async function runLine(identity: Identity, run: Run) {
  return {
    run: run.name,
    name: run.displayName,
    project: await identity.projectName(run.projectId),
    state: stateOf(run),
    rows: run.historyLines,
    createdAt: run.createdAt.toISOString(),
    lastSeenAt: run.heartbeatAt.toISOString(),
  };
}

/** Clients wrap each setting with a description, and add what they keep for themselves. */
function configOf(run: Run): Record<string, unknown> {
  const config = withTextForNonFinite(parseHistoryRow(run.config) ?? {}) as Record<string, unknown>;
  const entries = Object.entries(config).filter(([key]) => !key.startsWith('_'));
  return Object.fromEntries(entries.map(([key, setting]) => [key, (setting as { value?: unknown } | null)?.value]));
}

/** The finite numbers of each column by name, those of the client itself left out. */
async function curvesOf(services: Services, run: Run): Promise<Record<string, number[]>> {
  const curves = new Map<string, number[]>();
  const stride = Math.max(1, Math.ceil(run.historyLines / valuesMax));
  let place = 0;
  for await (const row of services.runs.history(run)) {
    const isShown = place++ % stride === 0 || place === run.historyLines;
    for (const [column, value] of isShown ? Object.entries(row) : []) {
      if (typeof value !== 'number' || !Number.isFinite(value) || column.startsWith('_')) continue;
      const values = curves.get(column);
      if (values) values.push(value);
      else if (curves.size < columnsMax) curves.set(column, [value]);
    }
  }
  return Object.fromEntries([...curves].sort(([a], [b]) => (a < b ? -1 : 1)));
}
