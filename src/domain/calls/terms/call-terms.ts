import type { CallRow } from '../call-row.ts';
import { type DocumentTerms, documentTerms } from './document-terms.ts';

/** The terms and the numbers of all payloads of a call. */
export function callTerms({ attributes, inputs, output, summary }: Payloads): DocumentTerms {
  const documents = [
    documentTerms('attributes', attributes),
    documentTerms('inputs', inputs),
    documentTerms('output', output),
    documentTerms('summary', summary),
  ];
  return { terms: documents.flatMap(({ terms }) => terms), numbers: documents.flatMap(({ numbers }) => numbers) };
}

type Payloads = Pick<CallRow, 'attributes' | 'inputs' | 'output' | 'summary'>;
