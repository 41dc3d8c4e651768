import { derivedId } from '../../domain/calls/ids.ts';
import type { TensorZeroSettings } from '../../domain/tensorzero/settings.ts';
import type { NewFeedback } from '../../services/feedback/prepare-feedback.ts';
import { invalidInput, isRefusal } from '../../util/failures.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { scoreFeedback } from '../score-feedback.ts';
import { booleanIn, idIn, jsonIn, mapIn, numberIn, requiredText, textIn, timeOf } from './columns.ts';
import type { Import, TableRow } from './import.ts';
import { assistantMessage, jsonMessage } from './messages.ts';
import { countsOf, refuse } from './report.ts';

type Level = 'inference' | 'episode';
type Given = {
  row: TableRow;
  id: string;
  target: string;
  level: Level | null;
  type: string;
  value: unknown;
  createdAt: number;
};
type Item = NewFeedback & { id: string };

/** Rows to fine-tune on, by function: the messages that led to an answer, and the demonstration of a better one. */
export type Demonstrations = Map<string, Map<string, string>>;

/** Writes rows of feedback on the calls of their inferences, or on all calls of their episodes, and reads back which there is. */
export async function writeFeedback(work: Import, rows: TableRow[], demonstrations: Demonstrations): Promise<void> {
  const { services, owner, report } = work;
  const settings = await services.tensorZero.settings(owner);
  const given = rows.flatMap((row) => {
    countsOf(report, row.table).rows++;
    return attempt(work, row, () => [read(row, settings)]) ?? [];
  });
  const targets = await findTargets(work, given);
  const items = new Map<Given, Item[]>();
  for (const each of given) {
    const callIds = targets(each);
    if (callIds.length === 0) {
      const what = each.level ?? 'inference or episode';
      refuse(report, `${each.row.place}: the ${what} ${each.target} is not in the project.`, each.row.table);
      continue;
    }
    const made = attempt(work, each.row, () => callIds.map((callId) => itemOf(work, each, callId)));
    if (made !== null) items.set(each, made);
  }
  const known = await services.feedback.known(owner.project, idsIn(items));
  const missing: [Given, Item[]][] = [];
  for (const [each, ofRow] of items) {
    const added = ofRow.filter(({ id }) => !known.has(id));
    if (added.length === 0) countsOf(report, each.row.table).known++;
    else missing.push([each, added]);
  }
  await addAll(work, missing);
  const stored = await services.feedback.known(owner.project, idsIn(items));
  for (const [each, ofRow] of items)
    if (ofRow.every(({ id }) => stored.has(id))) countsOf(report, each.row.table).stored++;
  await keepDemonstrations(work, [...items.keys()], demonstrations);
}

function idsIn(items: Map<Given, Item[]>): string[] {
  return [...items.values()].flatMap((ofRow) => ofRow.map(({ id }) => id));
}

function attempt<Value>({ report }: Import, row: TableRow, make: () => Value): Value | null {
  try {
    return make();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refuse(report, `${row.place}: ${error.message}`, row.table);
    return null;
  }
}

/** All together, or if one is refused, one half after the other, down to the row that is. */
async function addAll(work: Import, items: [Given, Item[]][]): Promise<void> {
  const { services, owner, report } = work;
  const [first] = items;
  if (first === undefined) return;
  try {
    await services.feedback.add(
      owner.caller,
      items.flatMap(([, ofRow]) => ofRow),
    );
    for (const [{ row }] of items) countsOf(report, row.table).added++;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { row } = first[0];
    if (items.length === 1) return refuse(report, `${row.place}: ${error.message}`, row.table);
    const half = Math.ceil(items.length / 2);
    await addAll(work, items.slice(0, half));
    await addAll(work, items.slice(half));
  }
}

function read(row: TableRow, settings: TensorZeroSettings | null): Given {
  const { columns, table } = row;
  const id = idIn(columns, 'id');
  const common = { row, id, createdAt: timeOf(columns, id) };
  switch (table) {
    case 'BooleanMetricFeedback':
    case 'FloatMetricFeedback': {
      const type = requiredText(columns, 'metric_name');
      const metric = settings && (ownMember(settings.metrics, type) as TensorZeroSettings['metrics'][string]);
      const value = table === 'BooleanMetricFeedback' ? booleanIn(columns, 'value') : numberIn(columns, 'value');
      if (value === null) throw invalidInput('value is missing.');
      return { ...common, type, value, target: idIn(columns, 'target_id'), level: metric?.level ?? null };
    }
    case 'CommentFeedback': {
      const level = requiredText(columns, 'target_type');
      if (level !== 'inference' && level !== 'episode') throw invalidInput(`target_type is ${level.slice(0, 60)}.`);
      return {
        ...common,
        type: 'comment',
        value: textIn(columns, 'value') ?? '',
        target: idIn(columns, 'target_id'),
        level,
      };
    }
    default:
      return {
        ...{ ...common, type: 'demonstration', value: jsonIn(columns, 'value') },
        ...{ target: idIn(columns, 'inference_id'), level: 'inference' },
      };
  }
}

/** Finds the calls that feedback is about. */
async function findTargets({ services, owner: { project } }: Import, given: Given[]) {
  const ids = [...new Set(given.filter(({ level }) => level !== 'episode').map(({ target }) => target))];
  const columns = new Set(['id', 'thread_id'] as const);
  const found = ids.length === 0 ? [] : await services.calls.find(ids, { project, columns: new Set(['id'] as const) });
  const inferences = new Set(found.map(({ call }) => call.id));
  const rest = given.filter(({ level, target }) => level === 'episode' || (level === null && !inferences.has(target)));
  const episodes = new Map<string, string[]>();
  const thread_ids = [...new Set(rest.map(({ target }) => target))];
  if (thread_ids.length > 0) {
    const pages = await services.calls.query({ project, filter: { thread_ids }, columns });
    for await (const page of pages)
      for (const { call } of page) episodes.set(call.threadId!, [...(episodes.get(call.threadId!) ?? []), call.id]);
  }
  return ({ level, target }: Given): string[] =>
    level !== 'episode' && inferences.has(target)
      ? [target]
      : level === 'inference'
        ? []
        : (episodes.get(target) ?? []);
}

/** Feedback on an episode is on each of its calls, with ids that follow from those of both. */
function itemOf(
  { owner: { project } }: Import,
  { row, id, target, type, value, createdAt }: Given,
  callId: string,
): Item {
  const tags = mapIn(row.columns, 'tags');
  const payload = { value, ...(Object.keys(tags).length === 0 ? {} : { tags }) };
  const ofCall = callId === target ? id : derivedId(id, callId);
  const item = scoreFeedback({ id: ofCall, type, callId, payload, createdAt }, { project: project.name });
  if (item.kind !== 'feedback') throw new Error('feedback is made of feedback');
  return item.feedback;
}

async function keepDemonstrations(
  { services, owner: { project } }: Import,
  given: Given[],
  kept: Demonstrations,
): Promise<void> {
  const shown = given.filter(({ type }) => type === 'demonstration');
  if (shown.length === 0) return;
  const columns = new Set(['id', 'inputs', 'attributes'] as const);
  const found = await services.calls.find(
    shown.map(({ target }) => target),
    { project, columns },
  );
  const byId = new Map(found.map(({ call }) => [call.id, call]));
  for (const { id, target, value } of shown) {
    const call = byId.get(target);
    if (call === undefined) continue;
    const [inputs, attributes] = [call.inputs, call.attributes].map((text) =>
      parseJson(text ?? '{}', { keepsDigits: true }),
    );
    const messages = ownMember(inputs, 'messages');
    const name = ownMember(ownMember(attributes, 'tensorzero'), 'function_name');
    if (!Array.isArray(messages) || typeof name !== 'string') continue;
    const answer = isObject(value) ? jsonMessage(value) : assistantMessage(value);
    if (!kept.has(name)) kept.set(name, new Map());
    kept.get(name)!.set(id, toJson({ messages: [...messages, answer] }));
  }
}
