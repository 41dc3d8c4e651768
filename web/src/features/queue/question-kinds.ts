/** The kinds of questions that can be made on the page; programs can use any JSON Schema. */
export const questionKinds = [
  { value: 'boolean', label: 'Yes or no' },
  { value: 'enum', label: 'One of several' },
  { value: 'rating', label: 'Rating from 1 to 5' },
  { value: 'number', label: 'Number' },
  { value: 'text', label: 'Text' },
] as const;

type QuestionKind = (typeof questionKinds)[number]['value'];

/** A question that is not published yet. `choices` are separated by commas. */
export type NewQuestion = { title: string; kind: QuestionKind; choices: string };

export function schemaOf({ kind, choices }: NewQuestion): object {
  switch (kind) {
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'string', enum: choicesOf(choices) };
    case 'rating':
      return { type: 'integer', minimum: 1, maximum: 5 };
    case 'number':
      return { type: 'number' };
    case 'text':
      return { type: 'string' };
    default:
      return kind satisfies never;
  }
}

/** What is missing; null if nothing is. */
export function faultOf({ title, kind, choices }: NewQuestion): string | null {
  if (title.trim() === '') return 'Write the question';
  return kind === 'enum' && choicesOf(choices).length < 2 ? 'Write at least two choices, separated by commas' : null;
}

function choicesOf(text: string): string[] {
  return [...new Set(text.split(',').map((each) => each.trim()))].filter(Boolean);
}
