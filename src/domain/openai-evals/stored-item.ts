import type { ItemStatus } from '../../contract/openai-eval-items/item.ts';
import type { CountedItem } from './results.ts';

/**
 * An output item of a run as its trial records it, in the attribute `openai_eval`. What it evaluates is the example of the
 * trial.
 */
export type StoredItem = {
  id: string;
  /** The position of the row, from 0. */
  index: number;
  status: ItemStatus;
  results: {
    name: string;
    type: string | null;
    score: number;
    passed: boolean;
    sample: Record<string, unknown> | null;
  }[];
  sample: Record<string, unknown>;
  /** Counts of tokens by model, with those of graders. */
  usage: Record<string, object>;
};

/** The id of the output item that a trial records. */
export function itemIdOf(callId: string): string {
  return `outputitem_${callId.replaceAll('-', '')}`;
}

/** What counts of an item in the results of its run. */
export function countedItem({ status, results, usage }: StoredItem): CountedItem {
  return { status, usage, results: results.map(({ name, passed }) => ({ name, passed })) };
}
