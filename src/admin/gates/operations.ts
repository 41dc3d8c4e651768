import { z } from 'zod';
import { gateRequest } from '../../contract/gates/create.ts';
import type { GateRecord } from '../../domain/gates/gate-record.ts';
import { reasonText } from '../../domain/gates/reason-text.ts';
import { whatItTests } from '../../domain/gates/verdict.ts';
import { runGateKind, startGate } from '../../jobs/tasks/run-gate.ts';
import type { Services } from '../../services/services.ts';
import { notFound } from '../../util/failures.ts';
import type { AdminContext } from '../admin-context.ts';
import { serverOwnerOf } from '../owner.ts';

const ofProject = z.object({ project: z.string() });
type Parts = Pick<AdminContext, 'identity' | 'jobs'> & { services: Services };

export const newGateParams = ofProject.extend({ request: gateRequest });

/** Plans a gate for the owner of the server, and starts it. */
export async function newGate(parts: AdminContext, { project, request }: z.output<typeof newGateParams>) {
  const owner = await serverOwnerOf(parts, project, 'write');
  return lineOf(await startGate(parts, request, owner));
}

export const gatesParams = ofProject.extend({ suite: z.string().nullable() });

/** The newest gates of a project. */
export async function listGates(parts: Parts, { project, suite }: z.output<typeof gatesParams>) {
  const owner = await serverOwnerOf(parts, project, 'read');
  return (await parts.services.gates.list({ suite, limit: 50, offset: 0 }, owner)).map(lineOf);
}

export const gateParams = ofProject.extend({ id: z.string() });
type GateParams = z.output<typeof gateParams>;

/** A gate with its evidence so far. */
export async function readGate({ identity, services }: Parts, params: GateParams) {
  const { gate, owner } = await gateOf({ identity, services }, params);
  const suite = await services.suites.read(gate.suiteName, owner);
  const { look, estimates, rows, threads, meanSquare } = await services.gates.progress(gate, 0);
  const { plan } = gate;
  return {
    ...lineOf(gate),
    plan,
    tests: whatItTests,
    reasons: look.verdict?.kind === 'reject' ? look.verdict.reasons.map((reason) => reasonText(plan, reason)) : [],
    suite: {
      ...{ name: suite.name, rows: suite.rowCount, alpha: suite.alpha },
      ...(await services.gates.use(suite, { plan, meanSquare })),
    },
    ...{ look, estimates, rows, threads },
  };
}

/** @returns whether it was still waiting or running */
export async function cancelGate({ identity, services, jobs }: Parts, params: GateParams) {
  const { gate } = await gateOf({ identity, services }, params);
  return { id: gate.id, canceled: await jobs.cancel(runGateKind, gate.id) };
}

/** The signed verdict as JSON. */
export async function readVerdict({ identity, services }: Parts, params: GateParams) {
  const { gate, owner } = await gateOf({ identity, services }, params);
  return services.gates.envelope(gate.id, owner);
}

/** A gate by its id, or the end of one among the newest. */
async function gateOf({ identity, services }: Pick<Parts, 'identity' | 'services'>, { project, id }: GateParams) {
  const owner = await serverOwnerOf({ identity }, project, 'read');
  const newest = await services.gates.list({ suite: null, limit: 1000, offset: 0 }, owner);
  const found = newest.filter((gate) => gate.id.endsWith(id));
  if (found.length === 1) return { gate: found[0]!, owner };
  if (found.length > 1) throw notFound(`${found.length} gates have an id that ends with ${id}: give more of it.`);
  return { gate: await services.gates.read(id, owner), owner };
}

function lineOf({ id, suiteName, number, candidate, incumbent, state, error, verdict, createdAt }: GateRecord) {
  return {
    ...{ id, suiteName, number, candidate, incumbent, state, error, verdict },
    createdAt: createdAt.toISOString(),
  };
}
