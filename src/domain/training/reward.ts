import { invalidInput } from '../../util/failures.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { parseFeedbackOnCall } from '../feedback/field-on-call.ts';
import { type PathStep, parseFieldPath } from '../query/field-path.ts';

/** Where the rewards of calls are, with the text that says so. */
export type RewardPath = { text: string } & (
  | /** The score of a scorer, the answer to an annotation spec, or feedback of a type of its own. */
  { kind: 'score' }
  /** Feedback of one type, given as in a query. */
  | { kind: 'feedback'; type: string; path: PathStep[] }
  | { kind: 'field'; column: PayloadColumn; path: PathStep[] }
);

type PayloadColumn = (typeof columns)[number];
const columns = ['output', 'attributes', 'inputs', 'summary'] as const;

/** The parts of a call that can have its reward. Feedback is in order of its age, the oldest first. */
export type Rated = {
  feedback: { type: string; payload: unknown }[];
  field(column: PayloadColumn): unknown;
};

/** A number, or the reason why a value is not a number; null if there is no value. */
export type FoundReward = { reward: number } | { fault: string } | null;

/**
 * Parses `correct`, `correct.passed`, `output.scores.correct`, `feedback.[TYPE].payload.PATH`.
 * @throws Failure if it is invalid
 */
export function parseRewardPath(text: string): RewardPath {
  if (text.startsWith('feedback.')) {
    const { type, column, path } = parseFeedbackOnCall(text);
    if (type === null || column !== 'payload')
      throw invalidInput(`The reward ${text} is not a value of one feedback type.`);
    return { text, kind: 'feedback', type, path };
  }
  const [root, ...path] = parseFieldPath(text) as [PathStep, ...PathStep[]];
  const column = columns.find((each) => each === root.key);
  if (column) return { text, kind: 'field', column, path };
  if (text.trim() === '') throw invalidInput('The name of the reward must not be empty.');
  return { text, kind: 'score' };
}

/** The reward of a call. Of several pieces of feedback the newest counts; true is 1 and false is 0. */
export function rewardOf(path: RewardPath, rated: Rated): FoundReward {
  return asReward(valueAt(path, rated), path.text);
}

function valueAt(path: RewardPath, rated: Rated): unknown {
  switch (path.kind) {
    case 'field':
      return memberAt(rated.field(path.column), path.path);
    case 'feedback':
      return memberAt(rated.feedback.findLast(({ type }) => type === path.type)?.payload, path.path);
    case 'score':
      return scoreOf(path.text, rated.feedback);
    default:
      return path satisfies never;
  }
}

/** Names can have dots: the longest one that fits counts, and the rest is the path of a field. */
function scoreOf(wanted: string, feedback: Rated['feedback']): unknown {
  const fitting = feedback
    .map(({ type, payload }) => scored(type, payload))
    .filter(({ name }) => wanted === name || wanted.startsWith(`${name}.`));
  const longest = Math.max(...fitting.map(({ name }) => name.length));
  const newest = fitting.findLast(({ name }) => name.length === longest);
  const rest = wanted.slice(longest + 1);
  return rest === '' ? newest?.value : memberAt(newest?.value, parseFieldPath(rest));
}

function scored(type: string, payload: unknown): { name: string; value: unknown } {
  const [, kind, name] = /^wandb\.(runnable|annotation)\.(.+)$/s.exec(type) ?? [];
  if (name === undefined) return { name: type, value: payload };
  return { name, value: ownMember(payload, kind === 'runnable' ? 'output' : 'value') };
}

function memberAt(value: unknown, path: PathStep[]): unknown {
  return path.reduce((found, { key }) => ownMember(found, key), value);
}

function asReward(value: unknown, name: string): FoundReward {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return { reward: Number(value) };
  if (typeof value === 'number' && Number.isFinite(value)) return { reward: value };
  if (!isObject(value)) return { fault: `the reward is not a number or a boolean, but a ${kindOf(value)}` };
  const fields = Object.keys(value).slice(0, 5);
  const named = fields.map((field) => `${name}.${field}`).join(', ');
  return { fault: `the reward is an object: select one of its fields, such as ${named || `${name}.FIELD`}` };
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
