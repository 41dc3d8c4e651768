import { LRUCache } from 'lru-cache';
import { growsTo } from '../util/grows-to.ts';
import type { MappedSpan } from './mapper/mapped-span.ts';
import { spanKey } from './span-key.ts';

/**
 * Finds the spans that are steps around calls of models and agents. Only the spans inside them show that. Spans end
 * after the spans inside them, so the child is in the same export or arrived recently.
 */
export type StepFinder = {
  /** The keys of the steps among these calls. */
  settle(projectId: string, calls: MappedSpan[]): Set<string>;
};

export function openStepFinder(parentsMax = 50_000): StepFinder {
  /** Spans that have not arrived yet but contain such calls. */
  const awaited = new LRUCache<string, true>(growsTo(parentsMax));

  return {
    settle(projectId, calls) {
      const steps = new Set<string>();
      const byKey = new Map(calls.map((call) => [spanKey(call), call]));
      const isStep = (call: MappedSpan) => call.mayBeStep && !steps.has(spanKey(call));
      const inner = calls.filter(({ kind }) => kind !== '');
      for (const call of calls) {
        if (!isStep(call) || !awaited.delete(`${projectId}/${spanKey(call)}`)) continue;
        steps.add(spanKey(call));
        inner.push(call);
      }
      for (let call = inner.pop(); call; call = inner.pop()) {
        const parentKey = spanKey({ traceId: call.traceId, id: call.parentId });
        const parent = byKey.get(parentKey);
        if (parent && isStep(parent)) {
          steps.add(parentKey);
          inner.push(parent);
        } else if (!parent && call.parentId !== '') awaited.set(`${projectId}/${parentKey}`, true);
      }
      return steps;
    },
  };
}
