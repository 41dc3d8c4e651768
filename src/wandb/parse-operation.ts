import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { ApiError } from '../contract/errors.ts';

/** The limits of one operation. The clients' own operations use less than a tenth of each. */
const operationLimits = {
  tokens: 2000,
  /** Fields with fragments expanded: comparing fields of one name takes quadratic time. */
  fields: 500,
  /** Each one may query the stores. */
  rootFields: 30,
  depth: 20,
  directives: 50,
  /** Values in a response about the schema itself, in which every list multiplies. */
  introspectedValues: 100_000,
} as const;

/**
 * Parses an operation, and rejects one that is cheap to send and expensive to validate or execute, before it is validated.
 * @throws ApiError 400 that names the limit, GraphQLError
 */
export function parseOperation(query: string): DocumentNode {
  const document = parseWithin(query);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const count = { fields: 0, rootFields: 0, directives: 0, introspectedValues: 0 };
  const add = (limit: keyof typeof count, more: number) => {
    count[limit] += more;
    if (count[limit] > operationLimits[limit]) throw beyond(limit);
  };

  function visitAll({ selections }: SelectionSetNode, depth: number, times: number): void {
    if (depth > operationLimits.depth) throw beyond('depth');
    for (const selection of selections) visit(selection, depth, times);
  }

  function visit(selection: SelectionNode, depth: number, times: number): void {
    add('directives', selection.directives?.length ?? 0);
    // A fragment that spreads itself would never end without the limits.
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragments.get(selection.name.value);
      add('fields', 1);
      if (fragment) visitAll(fragment.selectionSet, depth, times);
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      add('fields', 1);
      visitAll(selection.selectionSet, depth, times);
    } else {
      const name = selection.name.value;
      add('fields', 1);
      if (depth === 1) add('rootFields', 1);
      const isIntrospection = times > 0 || name === '__schema' || name === '__type';
      if (isIntrospection) add('introspectedValues', Math.max(times, 1));
      const below = isIntrospection ? Math.max(times, 1) * (introspectedLists.has(name) ? listLength : 1) : 0;
      if (selection.selectionSet) visitAll(selection.selectionSet, depth + 1, below);
    }
  }

  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) visitAll(definition.selectionSet, 1, 0);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION) visitAll(definition.selectionSet, 2, 0);
  }
  return document;
}

function parseWithin(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: operationLimits.tokens });
  } catch (error) {
    if (error instanceof GraphQLError && /more tha[nt] \d+ tokens/.test(error.message)) throw beyond('tokens');
    if (error instanceof RangeError) throw beyond('depth'); // the parser recurses
    throw error;
  }
}

const introspectedLists = new Set([
  'types',
  'fields',
  'inputFields',
  'enumValues',
  'possibleTypes',
  'interfaces',
  'args',
]);
/** Roughly the average length of such a list. */
const listLength = 10;

function beyond(limit: keyof typeof operationLimits): ApiError {
  const message = `The GraphQL operation has more than ${operationLimits[limit]} ${words[limit]}. Send several smaller ones.`;
  return new ApiError(400, message, { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
}

const words: Record<keyof typeof operationLimits, string> = {
  tokens: 'tokens',
  fields: 'fields, with its fragments written out',
  rootFields: 'fields at its root',
  depth: 'levels',
  directives: 'directives',
  introspectedValues: 'values of the schema to read',
};
