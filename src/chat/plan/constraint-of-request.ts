import type { ChatRequest } from '../../contract/chat/request.ts';
import { BadRequest } from '../bad-request.ts';
import { type Constraint, constraintOf } from '../structured/constraint.ts';
import { type Tool, type ToolChoice, toolConstraint } from '../output/tool-choice.ts';
import { toolFormatOf } from '../output/tool-format.ts';
import type { Prompt } from './prompt.ts';

/** The one thing that holds the output: a call that must be made, a format, or a grammar; and the field that says so. */
export function constraintOfRequest(
  body: ChatRequest,
  { template }: Prompt,
  { tools, choice }: { tools: Tool[]; choice: ToolChoice },
): { constraint: Constraint; param: string } | null {
  const { response_format: format, structured_outputs: outputs } = body;
  checkBackend(outputs?._backend ?? null);
  const parallel = body.parallel_tool_calls !== false;
  const forCalls = toolConstraint(toolFormatOf(template), choice, tools, parallel);
  const constraint = constraintOf(format as Parameters<typeof constraintOf>[0], outputs);
  if (forCalls && constraint) {
    throw new BadRequest(
      'tool_choice asks for a call, and the output is held to another form. Use one.',
      'tool_choice',
    );
  }
  if (forCalls) return { constraint: forCalls, param: 'tools' };
  return constraint && { constraint, param: outputs ? 'structured_outputs' : 'response_format' };
}

/** There is one way of holding output to a grammar. */
function checkBackend(name: string | null): void {
  if (name === null || ['', 'auto', 'xgrammar'].includes(name)) return;
  throw new BadRequest(
    `structured_outputs._backend is ${JSON.stringify(name)}; xgrammar is served.`,
    'structured_outputs',
  );
}
