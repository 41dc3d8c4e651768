import { z } from 'zod';
import { type LineageJson, lineageJson } from '../domain/lineage/lineage-json.ts';
import { verificationJson } from '../domain/lineage/verification-json.ts';
import type { Identity } from '../identity/identity.ts';
import type { Owner } from '../services/owner.ts';
import type { Services } from '../services/services.ts';
import { invalidInput, notFound } from '../util/failures.ts';
import { parsePlain } from '../util/json/parse.ts';
import { toJson } from '../util/json/write.ts';
import { serverOwnerOf } from './owner.ts';
import type { Watch } from './pull/progress.ts';

type Context = { identity: Identity; services: Services };

const project = z.string().nullable();

export const showParams = z.object({ project, callId: z.string().min(1), limit: z.int() });
export const newestParams = z.object({ project: z.string(), last: z.int() });
export const verifyParams = z.object({ project, callIds: z.array(z.string()).min(1), model: z.string().nullable() });

/** @throws Failure */
export async function showLineage(
  context: Context,
  { project: name, callId, limit }: z.output<typeof showParams>,
): Promise<{ project: string; lineage: LineageJson }> {
  const owner = await ownerOfCall(context, name, callId);
  const found = await context.services.lineages.trace({ ...owner, of: { callId }, limit, after: null });
  return { project: owner.project.name, lineage: parsePlain(toJson(lineageJson(found))) };
}

export async function newestAnswers(context: Context, { project: name, last }: z.output<typeof newestParams>) {
  const owner = await serverOwnerOf(context, name, 'read');
  return { callIds: await context.services.lineages.newestAnswers(owner.project, last) };
}

/** @throws Failure */
export async function verifyLineage(
  context: Context,
  { project: name, callIds, model }: z.output<typeof verifyParams>,
  { signal }: Pick<Watch, 'signal'>,
) {
  const owner = await ownerOfCall(context, name, callIds[0]!);
  const verified = context.services.lineages.verify({ ...owner, which: { callIds }, model, signal });
  const lines = [];
  for await (const each of verified) lines.push(verificationJson(each));
  return lines;
}

/** The project of a call, if none is named. @throws Failure if there is none, or several */
async function ownerOfCall(context: Context, name: string | null, callId: string): Promise<Owner> {
  if (name !== null) return serverOwnerOf(context, name, 'read');
  const ids = await context.services.lineages.projectsOf(callId);
  const names = (await Promise.all(ids.map((id) => context.identity.projectName(id)))).filter((each) => each !== null);
  if (names.length === 0) throw notFound(`No call has the id ${callId}.`);
  if (names.length > 1) throw invalidInput(`${names.join(' and ')} have a call ${callId}. Choose with --project.`);
  return serverOwnerOf(context, names[0]!, 'read');
}
