import { hash } from 'node:crypto';
import { type DigestFault, Unverifiable } from '../../../domain/lineage/verification.ts';
import type { FileDigests, NamedDigest } from '../../../inference/model-reader.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { StoredAnswer } from './stored-answer.ts';

/**
 * Compares the digests of files with those that an answer recorded.
 * @param isOtherModel whether another model than the one that answered is asked: then only the tokens must mean the same
 * @throws Unverifiable with every file that differs
 */
export function checkDigests(
  { call, record: { digests } }: StoredAnswer,
  found: FileDigests,
  { isOtherModel }: { isOtherModel: boolean },
): void {
  const own = ownTemplate(call.inputs);
  const templates = new Set([...Object.values(found.templates), ...(own === null ? [] : [hash('sha256', own)])]);
  const isKnownTemplate = digests.template === null || templates.has(digests.template);
  const faults = [
    ...(isOtherModel ? [] : faultOf('weights', digests.weights, found.weights)),
    ...(isOtherModel ? [] : faultOf('adapter', digests.adapter, found.adapter)),
    ...faultOf('tokenizer', digests.tokenizer, found.tokenizer),
    ...(isKnownTemplate
      ? []
      : faultOf('template', digests.template, { names: ['chat template'], digest: found.templates.default ?? null })),
  ];
  if (faults.length > 0) throw new Unverifiable('digest', faults.map(faultMessage).join(' '), faults);
}

function faultOf(
  file: DigestFault['file'],
  recorded: string | null,
  found: (Omit<NamedDigest, 'digest'> & { digest: string | null }) | null,
): DigestFault[] {
  if (recorded === null || recorded === found?.digest) return [];
  return [{ file, names: found?.names ?? [], recorded, found: found?.digest ?? null }];
}

function faultMessage({ file, names, recorded, found }: DigestFault): string {
  const list =
    names.length > namesMax
      ? `${names.slice(0, namesMax).join(', ')} and ${names.length - namesMax} more`
      : names.join(', ');
  return `The SHA-256 of the ${file} (${list}) is ${found ?? 'not known'}; the answer recorded ${recorded}.`;
}

const namesMax = 5;

/** The template that a request brought itself. */
function ownTemplate(inputs: string): string | null {
  const template = parsePlain(inputs || '{}')?.chat_template;
  return typeof template === 'string' ? template : null;
}
