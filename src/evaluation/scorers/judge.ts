import { z } from 'zod';
import type { Completions } from '../../services/completions/completions.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { fillIn, promptSchema, readCompletionModel } from '../models/completion-model.ts';
import type { ReadVersion } from '../read-version.ts';
import type { Scored, Scorer } from './scorer.ts';

const judgeSchema = z.object({
  model: z.union([z.string(), z.record(z.string(), z.unknown())]),
  scoring_prompt: z.union([z.string(), z.record(z.string(), z.unknown())]),
  column_map: z.record(z.string(), z.string()).nullish(),
  enable_image_input_scoring: z.boolean().nullish(),
  enable_audio_input_scoring: z.boolean().nullish(),
  enable_video_input_scoring: z.boolean().nullish(),
});

/** Reads the value of an `LLMAsAJudgeScorer`: a model that gets a prompt with the output and the row, and whose answer is the score. */
export async function readJudge(
  value: unknown,
  context: { completions: Completions; readVersion: ReadVersion },
): Promise<Scorer['score']> {
  const parsed = judgeSchema.safeParse(value);
  if (!parsed.success) throw invalidInput(`The scorer is invalid: ${describeFaults(parsed.error)}`);
  const { model, scoring_prompt, column_map, ...media } = parsed.data;
  const medium = Object.entries(media).find(([, isOn]) => isOn);
  if (medium) throw invalidInput(`${medium[0]} is not supported: judges accept only text.`);
  const judge = readCompletionModel(await readPart(model, context.readVersion), context.completions, { isJudge: true });
  const messages = await promptMessages(scoring_prompt, context.readVersion);
  return async (scored, owner, signal) => {
    const filled = fillIn(messages, variablesOf(scored, column_map ?? {}));
    const { output, usage } = await judge.predict({ variables: {}, messages: filled }, owner, signal);
    return { score: output, usage };
  };
}

/** A part of an object, which the SDK publishes on its own or inside the object. */
async function readPart(part: string | Record<string, unknown>, readVersion: ReadVersion): Promise<unknown> {
  return typeof part === 'string' ? (await readVersion(part)).value : part;
}

async function promptMessages(prompt: string | Record<string, unknown>, readVersion: ReadVersion) {
  const isText = typeof prompt === 'string' && !prompt.startsWith('weave:///');
  if (isText) return [{ role: 'user', content: prompt }];
  const value = await readPart(prompt, readVersion);
  const parsed = promptSchema.safeParse(value);
  if (parsed.success) return parsed.data.messages;
  if (isObject(value) && typeof value.content === 'string') return [{ role: 'user', content: value.content }];
  throw invalidInput('The scoring_prompt is neither a string nor a MessagesPrompt.');
}

/** As in the SDK, which passes the row's columns, the whole row as `inputs`, and the output. */
function variablesOf({ row, output }: Scored, columnMap: Record<string, string>): Record<string, unknown> {
  const mapped = Object.entries(columnMap).map(([name, column]) => {
    if (Object.hasOwn(row, column)) return [name, row[column]] as const;
    throw invalidInput(`column_map maps ${name} to the column "${column}", which the row does not have.`);
  });
  return { inputs: row, ...row, ...Object.fromEntries(mapped), output };
}
