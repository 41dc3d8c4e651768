import { z } from 'zod';
import { lax, problem } from '../wire.ts';
import { objectText } from './exact-json.ts';

/** A function that the model may call. */
const tool = z
  .looseObject({
    type: z.literal('function').default('function'),
    function: z.looseObject({
      name: z.string(),
      description: z.string().nullish(),
      parameters: objectText(),
    }),
  })
  .meta({ id: 'ChatTool' });

export const tools = z.array(tool).nullable().default(null);

export type ToolChoice = 'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } };

/** A keyword, or one function by name. Default: `auto` if there are tools, otherwise `none`. */
export const toolChoice = lax(
  'string',
  (value): ToolChoice | ReturnType<typeof problem> => {
    if (value === 'none' || value === 'auto' || value === 'required') return value;
    const name = (value as { type?: unknown; function?: { name?: unknown } } | null)?.function?.name;
    if (typeof name === 'string') return { type: 'function', function: { name } };
    return problem('literal_error', "Input should be 'none', 'auto', 'required' or a function by its name");
  },
  { type: ['string', 'object'] },
).optional();
