import type { ChatRequest } from '../../contract/chat/request.ts';
import type { Constraint } from '../../engine/grammars/constraint.ts';
import type { Prelude } from '../../engine/scheduling/generation-request.ts';
import { invalidInput } from '../../util/failures.ts';
import { mayOpenReasoning, promptOpensReasoning, reasoningMark } from '../output/reasoning.ts';
import type { Tool } from '../output/tool.ts';
import { requiredCall, requiresCall, type ToolChoice } from '../output/tool-choice.ts';
import { reasons, toolFormatOf } from '../output/tool-format.ts';
import type { AnswerSchemas } from '../structured/checks/answer-checks.ts';
import { constraintOf, schemaToCheck } from '../structured/constraint.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { isChat, type TextRequest } from '../types.ts';
import type { Prompt } from './prompt.ts';

export type RequestConstraint = {
  constraint: Constraint;
  /** The field it comes from. */
  param: string;
  /** The schemas that a finished answer must satisfy; null for constraints without a schema. */
  schemas: AnswerSchemas | null;
};

/** The constraint of the output: a required tool call, a format or a grammar. */
export function constraintOfRequest(
  body: ChatRequest | TextRequest,
  { template }: Prompt,
  { tools, choice }: { tools: Tool[]; choice: ToolChoice },
): RequestConstraint | null {
  const parallel = !isChat(body) || body.parallel_tool_calls !== false;
  const forCalls = requiredCall(toolFormatOf(template), choice, tools, parallel);
  const constraint = constraintOfFormat(body, choice);
  if (!forCalls) return constraint;
  const { constraint: ofCalls, schemas } = forCalls;
  return { constraint: ofCalls, param: 'tools', schemas: { kind: 'calls', schemas } };
}

/** The constraint of the text of an answer: a format or a grammar. @throws Failure also if a call is required besides */
export function constraintOfFormat(body: ChatRequest | TextRequest, choice: ToolChoice): RequestConstraint | null {
  const { response_format: format, structured_outputs: outputs } = body;
  checkBackend(outputs?._backend ?? null);
  const constraint = constraintOf(format as Parameters<typeof constraintOf>[0], outputs);
  if (!constraint) return null;
  if (requiresCall(choice)) {
    throw invalidInput('tool_choice requires a call, and another field constrains the output. Use one.', {
      param: 'tool_choice',
    });
  }
  const schema = schemaToCheck(format as Parameters<typeof schemaToCheck>[0], outputs);
  const param = outputs ? 'structured_outputs' : 'response_format';
  return { constraint, param, schemas: schema === null ? null : { kind: 'content', schema } };
}

/** The reasoning of a model, which precedes the constrained text; null if it does not reason. */
export function preludeOf(body: ChatRequest | TextRequest, prompt: Prompt, tokenizer: Tokenizer): Prelude | null {
  if (!isChat(body) || !reasons(prompt.template)) return null;
  const isOpen = promptOpensReasoning(prompt.text);
  const mayOpen = mayOpenReasoning(prompt.text) && body.continue_final_message !== true;
  return { isOpen, openingId: mayOpen ? (tokenizer.idOf(reasoningMark) ?? null) : null };
}

/** There is only one backend. */
function checkBackend(name: string | null): void {
  if (name === null || ['', 'auto', 'xgrammar'].includes(name)) return;
  throw invalidInput(`structured_outputs._backend is ${JSON.stringify(name)}; only xgrammar is supported.`, {
    param: 'structured_outputs',
  });
}
