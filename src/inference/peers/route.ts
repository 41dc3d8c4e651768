import { createHash } from 'node:crypto';
import type { ModelReference } from '../../chat/types.ts';
import type { OfferingProcess } from '../../domain/process-offer.ts';

/** A process that has the files of the model, and whether it is the first by the hash. */
export type Candidate<Process> = { process: Process; isFirst: boolean };

/**
 * The processes that can serve a request, in the order in which they are asked:
 * 1. the one that already keeps the conversation, because its own process was full,
 * 2. those that have the model open or have room for it, and likewise for the adapter,
 * 3. the others; each of these by rendezvous hashing: every process has a score for the model, the adapter and the
 *    beginning of the conversation, and when a process joins or leaves, only its own conversations move.
 */
export function route<Process extends OfferingProcess>(
  processes: readonly Process[],
  model: ModelReference,
  beginning: string,
): Candidate<Process>[] {
  const able = processes.filter(({ offer }) => hasFiles(offer, model));
  if (able.length <= 1) return able.map((process) => ({ process, isFirst: true }));
  const key = `${model.id} ${model.adapter?.id ?? ''} ${beginning}`;
  const scored = able.map((process) => ({ process, score: scoreOf(key, process.id), place: placeOf(process) }));
  scored.sort((a, b) => a.place - b.place || (a.score < b.score ? 1 : -1));
  const first = scored.find(({ place }) => place > 0) ?? scored[0];
  return scored.map(({ process }) => ({ process, isFirst: process === first?.process }));

  function placeOf({ offer }: Process): number {
    if (offer.overflow.includes(overflowKey(model, beginning))) return 0;
    return lacksRoom(offer, model) ? 2 : 1;
  }
}

/** Identifies a conversation that a process serves because another one was full. */
export function overflowKey(model: ModelReference, beginning: string): string {
  return digest(`${model.id} ${model.adapter?.id ?? ''} ${beginning}`).slice(0, 16);
}

function hasFiles({ files }: OfferingProcess['offer'], { id, adapter }: ModelReference): boolean {
  if (!files.includes(id)) return false;
  if (adapter === null || 'blobs' in adapter.files) return true;
  // A folder is one of this machine, which no other process can be asked to read.
  return 'model' in adapter.files && files.includes(adapter.files.model);
}

/** Whether serving the model would take the memory from other models, or other adapters. */
function lacksRoom({ open, withoutRoom }: OfferingProcess['offer'], { id, adapter }: ModelReference): boolean {
  const opened = open.find((each) => each.id === id);
  if (!opened) return withoutRoom.includes(id);
  return adapter !== null && !opened.hasRoomForAdapters && !opened.adapters.includes(adapter.id);
}

function scoreOf(key: string, process: string): string {
  return digest(`${process} ${key}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
