import { z } from 'zod';
import { argumentsText } from './exact-json.ts';

/** A part of a message's content; the model decides which kinds are read. */
const part = z.union([z.string(), z.looseObject({})]);

const content = z.union([z.string(), z.array(part), z.null()]).optional();

/** A call that the model made earlier. */
const toolCall = z.looseObject({ function: z.looseObject({ arguments: argumentsText() }).nullish() });

/**
 * One message of any role, including custom ones. Fields that are not named here are not passed to templates, so they
 * do no harm.
 */
const message = z
  .looseObject({
    role: z.string(),
    content,
    name: z.string().nullish(),
    tool_call_id: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
    reasoning: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    refusal: z.string().nullish(),
  })
  .meta({ id: 'ChatMessage' });

export const messages = z.array(message);
