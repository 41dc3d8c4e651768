import { basename } from 'node:path';
import { z } from 'zod';
import type { Identity } from '../../identity/identity.ts';
import { type Imports, importSources } from '../../services/imports/imports.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Watch } from '../pull/progress.ts';

export const importParams = z.object({
  source: z.enum(importSources),
  path: z.string(),
  project: z.string().optional(),
});

type Parts = { identity: Identity; imports: Imports };

/** Imports as the owner, into a project of any entity or of the owner's; without a project into the one named for the tool. */
export async function importFile(
  { identity, imports }: Parts,
  { source, path, project }: z.output<typeof importParams>,
  watch: Watch,
) {
  const caller = await identity.findOwner();
  if (caller === null) throw invalidInput('This server has no owner yet. Start it once with `heddle serve`.');
  const given = project ?? source;
  const name = given.includes('/') ? given : `${caller.defaultEntity}/${given}`;
  const file = basename(path);
  const onProgress = (doneBytes: number, totalBytes: number) =>
    watch.report({ step: 'importing', file, doneBytes, totalBytes });
  const report = await imports.run({ source, path, project: name, caller, onProgress, signal: watch.signal });
  return { ...report, project: name };
}
