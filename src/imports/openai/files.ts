import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { uploadPurposes } from '../../contract/uploaded-files/uploaded-file.ts';
import { openAiId } from '../../domain/openai-ids.ts';
import { invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { openTextFile } from '../read-file.ts';
import type { Definition } from './definitions.ts';
import type { Import } from './import.ts';
import { recordsOf } from './records.ts';

const faultsMax = 5;

/** Uploads a file of lines, unless it is uploaded already. @throws Failure that names the invalid lines */
export async function importData(work: Import, path: string, known: Definition<'file'>[]): Promise<void> {
  const { context, owner, report } = work;
  const { uploadedFiles } = context.services;
  const { digest, purpose } = await checkData(path);
  const name = basename(path).replace(/\.gz$/i, '');
  const info = infoOf(name, known);
  const source = info?.id ?? idInName(name);
  const sourceId = source ?? `sha256:${digest}`;
  const before = await uploadedFiles.findImported(owner.project.id, sourceId);
  const file = before ?? (await upload());
  report.files[before ? 'known' : 'added']++;
  report.importedFiles.push({ name: file.name, source, id: openAiId('file-', file.id) });

  async function upload() {
    const content = await uploadedFiles.store(owner.project.id, bytesOf(path));
    return uploadedFiles.list(content, {
      name: info?.filename ?? name,
      purpose: uploadPurposes.find((each) => each === info?.purpose) ?? purpose,
      createdBy: owner.caller.userId,
      expiresAfterSeconds: null,
      sourceId,
    });
  }
}

/** The id of the file that an imported one has here; null if it was not imported. */
export async function sourceFileId({ context, owner }: Import, id: string): Promise<string | null> {
  const found = await context.services.uploadedFiles.findImported(owner.project.id, id);
  return found && openAiId('file-', found.id);
}

/** What the list of files says of a file: by its id in its name, or by its name if only one has it. */
function infoOf(name: string, known: Definition<'file'>[]): Definition<'file'> | null {
  const id = idInName(name);
  const byId = known.find((file) => file.id === id);
  if (byId) return byId;
  const ofName = known.filter(({ filename }) => filename === name);
  return ofName.length === 1 ? ofName[0]! : null;
}

function idInName(name: string): string | null {
  return /^(file-[\w-]+)(\.\w+)*$/.exec(name)?.[1] ?? null;
}

/** @throws Failure if a line is invalid */
async function checkData(path: string): Promise<{ digest: string; purpose: 'evals' | 'fine-tune' }> {
  const hash = createHash('sha256');
  const faults: string[] = [];
  let count = 0;
  let purpose: 'evals' | 'fine-tune' | null = null;
  for await (const { place, value } of recordsOf(path)) {
    purpose ??= Object.hasOwn(value, 'item') ? 'evals' : 'fine-tune';
    const fault = purpose === 'evals' ? rowFault(value) : exampleFault(value);
    if (fault === null) continue;
    if (faults.length < faultsMax) faults.push(`${place}: ${fault}`);
    count++;
  }
  if (count > faults.length) faults.push(`and ${count - faults.length} more`);
  if (faults.length > 0) throw invalidInput(`${basename(path)} was not imported. ${faults.join('; ')}`);
  for await (const bytes of bytesOf(path)) hash.update(bytes);
  return { digest: hash.digest('hex'), purpose: purpose ?? 'fine-tune' };
}

function rowFault({ item, sample }: Record<string, unknown>): string | null {
  if (!isObject(item)) return 'item is not an object';
  return sample === undefined || sample === null || isObject(sample) ? null : 'sample is not an object';
}

/** Jobs validate the lines completely. */
function exampleFault({ messages, input, preferred_output, non_preferred_output }: Record<string, unknown>) {
  if (preferred_output === undefined) return areMessages(messages) ? null : 'messages is not a list of messages';
  if (!isObject(input) || !areMessages(input.messages)) return 'input.messages is not a list of messages';
  if (!areMessages(preferred_output)) return 'preferred_output is not a list of messages';
  return areMessages(non_preferred_output) ? null : 'non_preferred_output is not a list of messages';
}

function areMessages(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isObject(each) && 'role' in each);
}

async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  for await (const text of (await openTextFile(path)).text) yield Buffer.from(text);
}
