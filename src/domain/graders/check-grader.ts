import type { Grader, GraderOf, SingleGrader } from '../../contract/graders/grader.ts';
import type { TemplateMessage, TemplatePart } from '../../contract/graders/message.ts';
import { parseFormula } from './formula.ts';
import { GradeError } from './grade-error.ts';
import { templateFault } from './template.ts';

/** Where a grader is invalid, such as `graders.accuracy.labels`, and why. */
export type GraderFault = { path: string[]; message: string };

/** What is wrong with a grader of the right shape; null if it can be used. */
export function graderFault(grader: Grader): GraderFault | null {
  return grader.type === 'multi' ? multiFault(grader) : singleFault(grader);
}

/** The graders of a multi grader, by the names that its formula uses. */
export function gradersOf({ graders }: GraderOf<'multi'>): Record<string, SingleGrader> {
  return isSingle(graders) ? { [graders.name]: graders } : graders;
}

/** A record of graders has objects as its members; the `type` of a grader is a string. */
function isSingle(graders: GraderOf<'multi'>['graders']): graders is SingleGrader {
  return typeof graders.type === 'string';
}

function singleFault(grader: SingleGrader): GraderFault | null {
  switch (grader.type) {
    case 'string_check':
    case 'text_similarity':
      return firstTemplateFault({ input: grader.input, reference: grader.reference });
    case 'score_model':
      return rangeFault(grader) ?? messagesFault(grader.input, ['input']);
    case 'label_model':
      return labelsFault(grader) ?? messagesFault(grader.input, ['input']);
    case 'python':
      return {
        path: ['type'],
        message:
          'heddle does not run the Python code of graders. Use string_check, text_similarity, score_model, label_model or multi instead.',
      };
    default:
      return grader satisfies never;
  }
}

function multiFault(grader: GraderOf<'multi'>): GraderFault | null {
  const graders = gradersOf(grader);
  const entries = Object.entries(graders);
  if (entries.length === 0) return { path: ['graders'], message: 'A multi grader needs at least one grader.' };
  for (const [name, each] of entries) {
    const found = singleFault(each);
    if (found) return { path: ['graders', name, ...found.path], message: found.message };
  }
  try {
    const { names } = parseFormula(grader.calculate_output);
    const unknown = [...names].find((name) => !Object.hasOwn(graders, name));
    if (unknown === undefined) return null;
    const known = Object.keys(graders).join(', ');
    return {
      path: ['calculate_output'],
      message: `calculate_output uses ${unknown}, which is not among the graders: ${known}.`,
    };
  } catch (error) {
    if (error instanceof GradeError) return { path: ['calculate_output'], message: error.message };
    throw error;
  }
}

function rangeFault({ range }: GraderOf<'score_model'>): GraderFault | null {
  if (!range || range[0]! < range[1]!) return null;
  return { path: ['range'], message: `The range must begin below its end (found ${range.join(' to ')}).` };
}

function labelsFault({ labels, passing_labels }: GraderOf<'label_model'>): GraderFault | null {
  const unknown = passing_labels.find((label) => !labels.includes(label));
  if (unknown === undefined) return null;
  return { path: ['passing_labels'], message: `${JSON.stringify(unknown)} is not one of the labels.` };
}

/** What is wrong with the templates of messages; null if nothing is. */
export function messagesFault(messages: TemplateMessage[], path: string[]): GraderFault | null {
  for (const [i, { content }] of messages.entries()) {
    for (const part of Array.isArray(content) ? content : [content]) {
      const message = templateFault(templateOf(part));
      if (message !== null) return { path: [...path, String(i), 'content'], message };
    }
  }
  return null;
}

function templateOf(part: TemplatePart): string {
  if (typeof part === 'string') return part;
  return 'text' in part ? part.text : 'image_url' in part ? part.image_url : part.input_audio.data;
}

function firstTemplateFault(templates: Record<string, string>): GraderFault | null {
  for (const [name, template] of Object.entries(templates)) {
    const message = templateFault(template);
    if (message !== null) return { path: [name], message };
  }
  return null;
}
