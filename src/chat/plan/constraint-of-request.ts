import type { ChatRequest } from '../../contract/chat/request.ts';
import type { Constraint } from '../../engine/grammars/constraint.ts';
import { BadRequest } from '../bad-request.ts';
import { type Tool, type ToolChoice, toolConstraint } from '../output/tool-choice.ts';
import { toolFormatOf } from '../output/tool-format.ts';
import { constraintOf } from '../structured/constraint.ts';
import { isChat, type TextRequest } from '../types.ts';
import type { Prompt } from './prompt.ts';

/** The constraint of the output (a required tool call, a format or a grammar), and the field it comes from. */
export function constraintOfRequest(
  body: ChatRequest | TextRequest,
  { template }: Prompt,
  { tools, choice }: { tools: Tool[]; choice: ToolChoice },
): { constraint: Constraint; param: string } | null {
  const { response_format: format, structured_outputs: outputs } = body;
  checkBackend(outputs?._backend ?? null);
  const parallel = !isChat(body) || body.parallel_tool_calls !== false;
  const forCalls = toolConstraint(toolFormatOf(template), choice, tools, parallel);
  const constraint = constraintOf(format as Parameters<typeof constraintOf>[0], outputs);
  if (forCalls && constraint) {
    throw new BadRequest(
      'tool_choice requires a call, and another field constrains the output. Use one.',
      'tool_choice',
    );
  }
  if (forCalls) return { constraint: forCalls, param: 'tools' };
  return constraint && { constraint, param: outputs ? 'structured_outputs' : 'response_format' };
}

/** There is one backend. */
function checkBackend(name: string | null): void {
  if (name === null || ['', 'auto', 'xgrammar'].includes(name)) return;
  throw new BadRequest(
    `structured_outputs._backend is ${JSON.stringify(name)}; only xgrammar is supported.`,
    'structured_outputs',
  );
}
