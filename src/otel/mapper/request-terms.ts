import { type Fees, feesOf } from '../../domain/usage/fees.ts';
import { mayHaveTerms, type RequestTerm, requestTerms, termsInAnswers } from '../../domain/usage/request-terms.ts';
import type { RawSpan } from '../raw-span.ts';
import { EmbeddedJson, opened, plainText, type TreeObject, valueAt, writeTree } from '../tree.ts';
import { unquote } from './unquoted.ts';

/**
 * The terms of a model request that change its price, as the span names them: those of the response, otherwise those
 * requested.
 */
export function termsOf({ attributes: { tree } }: RawSpan): [term: RequestTerm, word: string][] {
  const answers = answerRoots.flatMap((path) => objectAt(tree, path));
  const settings = settingsRoots.flatMap((path) => objectAt(tree, path));
  const found: [RequestTerm, string][] = [];
  for (const { term, ofResponse, ofRequest, name } of places) {
    const word =
      firstText(tree, ofResponse) ||
      answers.map((answer) => firstText(answer, termsInAnswers[term])).find((text) => text !== '') ||
      firstText(tree, ofRequest) ||
      settings.map((given) => firstText(given, name)).find((text) => text !== '');
    if (word) found.push([term, word]);
  }
  return found;
}

/** The fees in the response on a span. */
export function feesOfSpan({ attributes: { tree } }: RawSpan): Fees | null {
  for (const path of wholeAnswers) {
    const answer = tree.has(path[0]!) ? valueAt(tree, path) : undefined;
    if (!(answer instanceof EmbeddedJson || answer instanceof Map)) continue;
    const fees = feesOf(writeTree(answer));
    if (fees !== null) return fees;
  }
  return null;
}

const wholeAnswers = [
  ['output', 'value'],
  ['mlflow', 'spanOutputs'],
];

/** The attributes that name each term. */
const places = requestTerms.map((term) => ({
  term,
  ofResponse: [...attributesOf(term, 'response'), ['gen_ai', 'usage', term]],
  ofRequest: attributesOf(term, 'request'),
  name: [[term]],
}));

function attributesOf(term: RequestTerm, side: 'request' | 'response'): string[][] {
  return [
    ['gen_ai', 'openai', side, term],
    ['openai', side, term],
    ['gen_ai', side, term],
  ];
}

const answerRoots = [
  ...wholeAnswers,
  ['response_data'],
  ['gen_ai', 'completion'],
  ...['openai', 'azure', 'anthropic', 'google', 'vertex', 'googleVertex', 'bedrock'].map((provider) => [
    ...['ai', 'response', 'providerMetadata', provider],
  ]),
];

const settingsRoots = [
  ['llm', 'invocation_parameters'],
  ['langfuse', 'observation', 'model', 'parameters'],
  ['request_data'],
  ['mlflow', 'spanInputs'],
  ['input', 'value'],
];

/** None if there is no object, or if it is not parsed yet and mentions no unusual terms. */
function objectAt(tree: TreeObject, path: string[]): TreeObject[] {
  if (!tree.has(path[0]!)) return [];
  for (let end = 1; end <= path.length; end++) {
    const value = valueAt(tree, path.slice(0, end));
    if (value instanceof EmbeddedJson && !mayHaveTerms(value.text)) return [];
  }
  const found = opened(valueAt(tree, path));
  return found instanceof Map ? [found] : [];
}

function firstText(tree: TreeObject, paths: string[][]): string {
  for (const path of paths) {
    const value = tree.has(path[0]!) ? unquote(valueAt(tree, path)) : undefined;
    if (typeof value === 'string' && value !== '') return plainText(value).slice(0, wordMax);
  }
  return '';
}

const wordMax = 100;
