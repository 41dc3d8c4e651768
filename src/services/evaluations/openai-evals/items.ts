import type { ItemStatus } from '../../../contract/openai-eval-items/item.ts';
import type { OpenAIEvalRun } from '../../../domain/openai-evals/run.ts';
import type { StoredItem } from '../../../domain/openai-evals/stored-item.ts';
import type { Operand, Operation } from '../../../domain/query/operation.ts';
import { notFound } from '../../../util/failures.ts';
import { isObject, ownMember } from '../../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../../util/json/parse.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Owner } from '../../owner.ts';
import type { Evaluations } from '../evaluations.ts';

/** An output item as its trial records it, with its row. */
export type FoundItem = StoredItem & {
  item: Record<string, unknown>;
  /** Microseconds since 1970. */
  createdAt: number;
};

type Page = { after: string | null; limit: number; order: 'asc' | 'desc'; status: ItemStatus | null };

/** The output items of runs: the trials of their evaluations. */
export type OpenAIEvalItems = {
  /** In the order of the rows. An unknown `after` lists nothing. */
  list(run: OpenAIEvalRun, page: Page, owner: Owner): Promise<FoundItem[]>;
  /** @throws Failure if the run has no such item */
  find(run: OpenAIEvalRun, id: string, owner: Owner): Promise<FoundItem>;
};

export function openOpenAIEvalItems({
  calls,
  evaluations,
}: {
  calls: Calls;
  evaluations: Evaluations;
}): OpenAIEvalItems {
  async function query(
    { callId }: OpenAIEvalRun,
    conditions: Operation[],
    { limit, order }: Pick<Page, 'limit' | 'order'>,
    owner: Owner,
  ): Promise<FoundItem[]> {
    const pages = await calls.query({
      project: owner.project,
      filter: { parent_ids: [callId] },
      query: { kind: 'and', operands: [isItem, ...conditions] },
      sortBy: [{ field: 'attributes.openai_eval.index', direction: order }],
      limit,
      columns: new Set(['attributes', 'inputs', 'started_at'] as const),
    });
    const found = (await Array.fromAsync(pages)).flat().map(({ call }) => call);
    const examples = found.map(({ inputs }) => JSON.stringify(ownMember(parsePlain(inputs), 'example') ?? null));
    const { rows } = await evaluations.resolveRows(examples, owner);
    return found.map(({ attributes, startedAt }, i) => {
      const row = parseJson(rows[i]!, { keepsDigits: true });
      const item = ownMember(row, 'item');
      const stored = ownMember(parseJson(attributes, { keepsDigits: true }), 'openai_eval') as StoredItem; // as `runRow` wrote it
      return { ...stored, item: isObject(item) ? item : {}, createdAt: startedAt };
    });
  }

  async function findById(run: OpenAIEvalRun, id: string, owner: Owner): Promise<FoundItem | null> {
    const [found] = await query(run, [isEqual('id', { type: 'string', value: id })], { limit: 1, order: 'asc' }, owner);
    return found ?? null;
  }

  return {
    async list(run, { after, status, ...page }, owner) {
      const last = after === null ? null : await findById(run, after, owner);
      if (after !== null && last === null) return [];
      const conditions = [
        ...(status === null ? [] : [isEqual('status', { type: 'string', value: status })]),
        ...(last === null ? [] : [isBeyond(last.index, page.order)]),
      ];
      return query(run, conditions, page, owner);
    },

    async find(run, id, owner) {
      const found = await findById(run, id, owner);
      if (found !== null) return found;
      throw notFound(`No output item found with id '${id.slice(0, 200)}' in the run '${run.id}'.`);
    },
  };
}

const field = (name: string): Operand => ({ kind: 'field', path: `attributes.openai_eval.${name}` });

const isItem: Operation = {
  kind: 'eq',
  left: { kind: 'convert', input: field('index'), to: 'exists' },
  right: { kind: 'literal', literal: { type: 'bool', value: true } },
};

function isEqual(name: string, literal: { type: 'string'; value: string }): Operation {
  return { kind: 'eq', left: field(name), right: { kind: 'literal', literal } };
}

function isBeyond(index: number, order: 'asc' | 'desc'): Operation {
  const left: Operand = { kind: 'convert', input: field('index'), to: 'int' };
  const right: Operand = { kind: 'literal', literal: { type: 'int', value: BigInt(index) } };
  return { kind: order === 'asc' ? 'gt' : 'lt', left, right };
}
