import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { objectOf, textAt } from './values.ts';

/** A message as LangChain serializes it (`lc`, `kwargs`) or as its `messages_to_dict` writes it (`type`, `data`); null for anything else. */
export function langChainMessage(sent: LosslessObject): LosslessObject | null {
  const kwargs = constructed(sent, /^(Human|AI|System|Tool|Function|Chat|Remove)Message(?:Chunk)?$/);
  if (kwargs) return new Map([...kwargs.members, ['type', kwargs.members.get('role') ?? kwargs.name.toLowerCase()]]);
  const data = objectOf(sent.get('data'));
  const type = textAt(sent, 'type');
  return data && type && data.has('content') && sent.size === 2 ? new Map([...data, ['type', type]]) : null;
}

/** The members of any other object that LangChain serialized, such as a prompt or an answer. */
export function langChainMembers(sent: LosslessObject): LosslessObject | null {
  return constructed(sent, /^(.+)$/)?.members ?? null;
}

function constructed(sent: LosslessObject, named: RegExp): { name: string; members: LosslessObject } | null {
  const id = sent.get('id');
  const members = objectOf(sent.get('kwargs'));
  if (!sent.has('lc') || !members || !Array.isArray(id)) return null;
  const [, name] = named.exec(String(id.at(-1) as LosslessJson)) ?? [];
  return name === undefined ? null : { name, members };
}
