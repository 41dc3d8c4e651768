import { z } from 'zod';
import { objectText } from '../chat/exact-json.ts';
import { lax, problem } from '../wire.ts';

/** A function that the model may call. Tools that run on a server are rejected. */
const tool = z
  .looseObject({
    type: z.string().meta({ type: 'string', enum: ['function'] }),
    name: z.string().nullish(),
    description: z.string().nullish(),
    parameters: objectText(),
    strict: z.boolean().nullish(),
  })
  .meta({ id: 'ResponseTool' });

export const responseTools = z.array(tool).nullable().default(null);

type AllowedTools = { type: 'allowed_tools'; mode: 'auto' | 'required'; tools: { type?: string; name?: string }[] };
export type ResponseToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; name: string }
  | AllowedTools
  | { type: 'other'; of: string };

/** A keyword, one function by name, some of the tools, or a tool that runs on a server, which is rejected later. */
export const responseToolChoice = lax(
  'string',
  (value): ResponseToolChoice | null | ReturnType<typeof problem> => {
    if (value === null || value === 'none' || value === 'auto' || value === 'required') return value;
    const object = value as { type?: unknown; name?: unknown; mode?: unknown; tools?: unknown };
    if (typeof value !== 'object' || typeof object.type !== 'string') return unknownChoice();
    if (object.type === 'allowed_tools') return allowedTools(object) ?? unknownChoice();
    if (object.type !== 'function') return { type: 'other', of: object.type.slice(0, 100) };
    return typeof object.name === 'string' ? { type: 'function', name: object.name } : unknownChoice();
  },
  { type: ['string', 'object', 'null'] },
).default(null);

function unknownChoice() {
  return problem(
    'literal_error',
    "Input should be 'none', 'auto', 'required', a function by its name or allowed_tools",
  );
}

function allowedTools({ mode, tools }: { mode?: unknown; tools?: unknown }): AllowedTools | null {
  if (mode !== 'auto' && mode !== 'required') return null;
  if (!Array.isArray(tools) || !tools.every((each) => typeof each === 'object' && each !== null)) return null;
  return { type: 'allowed_tools', mode, tools };
}

export type ResponseTool = z.output<typeof tool>;
