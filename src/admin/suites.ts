import { z } from 'zod';
import type { Identity } from '../identity/identity.ts';
import type { Services } from '../services/services.ts';
import { serverOwnerOf } from './owner.ts';

type Parts = { identity: Identity; services: Pick<Services, 'suites'> };

const ofProject = z.object({ project: z.string() });
const ofSuite = ofProject.extend({ name: z.string() });

export const freezeSuiteParams = ofSuite.extend({
  dataset: z.string(),
  purpose: z.enum(['gate', 'held_out']),
  threadColumn: z.string().nullable(),
  alpha: z.number().gt(0).max(0.5),
});
export const listSuitesParams = ofProject;
export const showSuiteParams = ofSuite;

/** Freezes a suite, for the owner of the server. */
export async function freezeSuite(
  { identity, services }: Parts,
  { project, ...suite }: z.output<typeof freezeSuiteParams>,
) {
  const owner = await serverOwnerOf({ identity }, project, 'write');
  return described(await services.suites.freeze(suite, owner));
}

export async function listSuites({ identity, services }: Parts, { project }: z.output<typeof listSuitesParams>) {
  const suites = await services.suites.list(await serverOwnerOf({ identity }, project, 'read'));
  return suites.map(described);
}

const overlapsShown = 50;

/** A suite with the rows that models were trained on. */
export async function showSuite({ identity, services }: Parts, { project, name }: z.output<typeof showSuiteParams>) {
  const suite = await services.suites.read(name, await serverOwnerOf({ identity }, project, 'read'));
  return { suite: described(suite), ...(await services.suites.ofSuite(suite.id, overlapsShown)) };
}

function described({ table: _, frozenAt, scan, ...suite }: Awaited<ReturnType<Services['suites']['read']>>) {
  return {
    ...suite,
    frozenAt: frozenAt.toISOString(),
    scan: { ...scan, endedAt: scan.endedAt?.toISOString() ?? null },
  };
}
