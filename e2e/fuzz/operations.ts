import type { JsonSchema } from './json-arbitrary.ts';

export type OpenApi = {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
};

type DescribedOperation = {
  tags: string[];
  security?: unknown[];
  parameters?: { in: 'path' | 'query'; name: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
};

/** One method of one path that the document describes. */
export type Operation = DescribedOperation & { name: string; method: string; path: string; group: string };

export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      group: described.tags[0]!,
    })),
  );
}
