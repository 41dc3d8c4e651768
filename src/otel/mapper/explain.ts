import type { Attributes } from '../attributes.ts';
import type { RawSpan } from '../raw-span.ts';
import { plainText, type Tree } from '../tree.ts';
import { labelSources, labelsOf, recognisedAttributes, recognisedSources } from './attributes-of.ts';
import { failureOf } from './exception.ts';
import { type Found, findFirst, type NamedSource } from './find.ts';
import { kindOf, kindSources } from './kind.ts';
import { titleOf } from './op-title.ts';
import { findInputs, findOutput, payloadSources } from './payloads.ts';
import { threadSources } from './thread.ts';
import { toolNameOf, toolNameSources } from './tool-name.ts';
import { usageOf, usageSources } from './usage.ts';

/** How a call was made from its span: which key of the span became which field, by which rule. */
export type SpanExplanation = {
  fields: { field: string; key: string; rule: string; value: string }[];
  /** Keys that a rule reads, but for which another key came first. */
  passedOver: string[];
  /** Keys that no rule reads: they are only in the raw span. */
  unread: string[];
};

type Field = SpanExplanation['fields'][number];

export function explainSpan(span: RawSpan): SpanExplanation {
  const fields = fieldsOf(span);
  const used = new Set(fields.map(({ key }) => keyOf(key)));
  const keys = [...leafKeys(span.attributes), ...eventKeys(span, used)];
  const rest = [...new Set(keys)].filter((key) => !isBelow(key, used) && !isAbove(key, used));
  const isKnown = (key: string) => isBelow(key, knownKeys) || isAbove(key, knownKeys);
  return {
    fields,
    passedOver: rest.filter(isKnown),
    unread: rest.filter((key) => !isKnown(key)),
  };
}

function fieldsOf(span: RawSpan): Field[] {
  const kind = kindOf(span);
  const fields: Field[] = [];
  const add = (field: string, found: Found | null) => {
    if (found) fields.push(line(field, found.source, found.value));
  };
  fields.push({
    field: 'op_name',
    key: 'name',
    rule: 'the name of the span, templates filled in',
    value: titleOf(span),
  });
  if (kind?.source) fields.push(line('attributes.kind', kind.source, kind.kind));
  else if (kind)
    fields.push({ field: 'attributes.kind', key: 'name', rule: 'name or content of the span', value: kind.kind });
  add('inputs', findInputs(span, kind?.kind ?? null));
  add('output', findOutput(span, kind?.kind ?? null));
  for (const [name, found] of usageOf(span)?.found ?? []) add(`summary.usage.${name}`, found);
  for (const [name, found] of [...recognisedAttributes(span), ...labelsOf(span)]) add(`attributes.${name}`, found);
  if (kind?.kind === 'tool' && !fields.some(({ field }) => field === 'attributes.tool_name')) {
    const { name, source } = toolNameOf(span);
    const rule = source ? source.convention : 'the name of the span';
    fields.push({ field: 'attributes.tool_name', key: source?.key ?? 'name', rule, value: name });
  }
  add('thread_id', findFirst(span, threadSources));
  const failure = failureOf(span);
  if (failure) {
    const rule = 'status, exception event or error';
    fields.push({ field: 'exception', key: failure.key, rule, value: cut(failure.message) });
  }
  for (const [key, field] of otherReaders) {
    if (leafKeys(span.attributes).some((each) => isBelow(each, new Set([key])))) {
      fields.push({ field, key, rule: 'read by its name', value: '' });
    }
  }
  return fields;
}

function line(field: string, source: NamedSource, value: Tree): Field {
  return { field, key: source.key, rule: source.convention, value: cut(plainText(value)) };
}

/** Keys that are read by name alone, whatever convention the span follows. */
const otherReaders: [key: string, field: string][] = [
  ['wandb.attributes', 'attributes'],
  ['wandb.is_turn', 'turn_id'],
  ['wandb.wb_run_id', 'wb_run_id'],
  ['wandb.wb_run_step', 'wb_run_step'],
  ['wandb.wb_run_step_end', 'wb_run_step_end'],
  ['wandb.display_name', 'display_name'],
  ['logfire.msg', 'display_name'],
  ['langfuse.startTime', 'started_at'],
  ['langfuse.endTime', 'ended_at'],
  ['weave.parent_call', 'parent_id'],
];

const knownKeys = new Set(
  [
    ...Object.values(payloadSources).flat(),
    ...kindSources,
    ...threadSources,
    ...toolNameSources,
    ...[...recognisedSources, ...labelSources, ...usageSources].flatMap(([, sources]) => sources),
  ].map(({ key }) => keyOf(key)),
);

/** The key of a source that reads only part of a value and names it: `output.value.raw (cached_tokens)`. */
function keyOf(key: string): string {
  return key.replace(/ \(\w+\)$/, '');
}

/** Whether a key is one of these, or below one of them. */
function isBelow(key: string, keys: Set<string>): boolean {
  for (let end = key.length; end > 0; end = key.lastIndexOf('.', end - 1)) {
    if (keys.has(key.slice(0, end))) return true;
  }
  return false;
}

/** Whether something inside the value at a key is read. */
function isAbove(key: string, keys: Set<string>): boolean {
  for (const each of keys) if (each.startsWith(`${key}.`)) return true;
  return false;
}

/** The keys as they were sent: nested keys joined with dots, while lists and JSON text count as one key. */
function leafKeys({ tree, sentAs }: Attributes, prefix = ''): string[] {
  return [...tree].flatMap(([name, value]) => {
    const key = prefix + name;
    const isObject = value instanceof Map && value.size > 0 && !sentAs.has(key);
    return isObject ? leafKeys({ tree: value, sentAs }, `${key}.`) : [key];
  });
}

/** The keys of events, as `NAME: KEY`; messages that became inputs or output count as read. */
function eventKeys({ events }: RawSpan, used: Set<string>): string[] {
  return events.flatMap(({ name, attributes }) =>
    leafKeys(attributes).flatMap((key) => {
      const isMessage =
        /^gen_ai\.(\w+\.message|choice)$/.test(name) &&
        [...used].some((each) => /^gen_ai\..*(messages|call)/.test(each));
      const isRead = isMessage || name === 'exception' || used.has(key);
      return isRead ? [] : [`${name}: ${key}`];
    }),
  );
}

const valueCharsMax = 80;

function cut(text: string): string {
  return text.length > valueCharsMax ? `${text.slice(0, valueCharsMax - 1)}…` : text;
}
