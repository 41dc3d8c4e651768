import type { RawSpan } from '../raw-span.ts';
import type { MappedSpan } from './mapped-span.ts';

/** Prefixes of conventions about things other than models: network requests, queues, databases. */
const otherThings = ['http', 'url', 'rpc', 'db', 'messaging', 'faas', 'graphql', 'aws', 'cloudevents', 'dns'];

/** Whether a span without a kind may be a step of a program, and not a request or a query. */
export function mayBeStep({ kind, attributes: { tree } }: RawSpan): boolean {
  return ['INTERNAL', 'UNSPECIFIED'].includes(kind) && !otherThings.some((root) => tree.has(root));
}

/** A step around calls of models and agents is a chain, although the span itself does not say so. */
export function asStep(call: MappedSpan): MappedSpan {
  const { attributes } = call;
  const rest = attributes === '{}' ? '' : `${attributes.slice(1, -1)},`;
  return { ...call, kind: 'chain', mayBeStep: false, attributes: `{${rest}${stepKind}}` };
}

/** The converted call, marked as a step again if its stored attributes say so. */
export function asStepAgain(call: MappedSpan, stored: string): MappedSpan {
  return call.mayBeStep && stored.endsWith(`${stepKind}}`) ? asStep(call) : call;
}

const stepKind = '"kind":"chain"';
