import type { RawSpan } from '../raw-span.ts';
import type { MappedSpan } from './mapper.ts';

/** Where the conventions of other things than models begin: requests over the network, queues, databases. */
const otherThings = ['http', 'url', 'rpc', 'db', 'messaging', 'faas', 'graphql', 'aws', 'cloudevents', 'dns'];

/** Whether a span that says nothing of its kind may be a step of a program, and not a request or a query. */
export function mayBeStep({ kind, attributes: { tree } }: RawSpan): boolean {
  return ['INTERNAL', 'UNSPECIFIED'].includes(kind) && !otherThings.some((root) => tree.has(root));
}

/** A step around calls of models and agents is a chain, though nothing on the span itself says so. */
export function asStep(call: MappedSpan): MappedSpan {
  const { attributes } = call;
  const rest = attributes === '{}' ? '' : `${attributes.slice(1, -1)},`;
  return { ...call, kind: 'chain', mayBeStep: false, attributes: `{${rest}${stepKind}}` };
}

/** The call that was derived again, a step again where its stored attributes say that it is one. */
export function asStepAgain(call: MappedSpan, stored: string): MappedSpan {
  return call.mayBeStep && stored.endsWith(`${stepKind}}`) ? asStep(call) : call;
}

const stepKind = '"kind":"chain"';
