import type { UntrustedTemplates } from '../../chat/templates/untrusted-templates.ts';
import type { Block, Input, Role } from '../../domain/tensorzero/input.ts';
import { isTemplate, type VariantSettings } from '../../domain/tensorzero/settings.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import { toJson } from '../../util/json/write.ts';

export type Requester = { tenant: readonly [string, ...string[]]; signal: AbortSignal };

type Rendering = {
  templates: UntrustedTemplates;
  variant: VariantSettings;
  requester: Requester;
  /** Whether the policy's variant has a prompt, which comes first and replaces the template of the system message. */
  hasPrompt: boolean;
};

/** The messages that a variant's model gets, in OpenAI's form. @throws Failure */
export async function renderInput(rendering: Rendering, input: Input): Promise<Record<string, unknown>[]> {
  const system = await systemText(rendering, input.system);
  const messages: Record<string, unknown>[] = system === null ? [] : [{ role: 'system', content: system }];
  for (const { role, content } of input.messages) messages.push(...(await renderMessage(rendering, role, content)));
  return messages;
}

async function systemText(rendering: Rendering, system: Input['system']): Promise<string | null> {
  const { templates, wrappers } = rendering.variant;
  const hasTemplate = Object.hasOwn(templates, 'system');
  if (rendering.hasPrompt && hasTemplate) return null;
  if (!hasTemplate) {
    if (system === null || typeof system === 'string') return system;
    throw invalidInput('The system message has arguments, but the variant has no template for it.');
  }
  if (wrappers.includes('system')) {
    if (system !== null && typeof system !== 'string')
      throw invalidInput('The system message has arguments, but its template reads system_text.');
    return render(rendering, 'system', { system_text: system });
  }
  return render(rendering, 'system', typeof system === 'object' && system !== null ? system : {});
}

/** A message with results of tools is several messages. */
async function renderMessage(rendering: Rendering, role: Role, content: Block[]): Promise<Record<string, unknown>[]> {
  const messages: Record<string, unknown>[] = [];
  let parts: ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[] = [];
  const calls: unknown[] = [];
  let reasoning = '';
  const flush = () => {
    if (parts.length === 0 && calls.length === 0 && reasoning === '') return;
    const [first] = parts;
    const whole = parts.length === 0 ? null : parts.length === 1 && first?.type === 'text' ? first.text : parts;
    messages.push({
      ...{ role, content: whole },
      ...(calls.length === 0 ? {} : { tool_calls: calls.splice(0) }),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    });
    [parts, reasoning] = [[], ''];
  };
  for (const block of content) {
    switch (block.type) {
      case 'text':
      case 'raw_text':
      case 'template':
        parts.push({ type: 'text', text: await textOf(rendering, role, block) });
        break;
      case 'image':
        parts.push({ type: 'image_url', image_url: { url: block.url } });
        break;
      case 'thought':
        reasoning += block.text;
        break;
      case 'tool_call':
        calls.push({ id: block.id, type: 'function', function: { name: block.name, arguments: block.arguments } });
        break;
      case 'tool_result':
        flush();
        messages.push({ role: 'tool', tool_call_id: block.id, content: block.result });
        break;
      default:
        block satisfies never;
    }
  }
  flush();
  return messages;
}

async function textOf(
  rendering: Rendering,
  role: Role,
  block: Extract<Block, { type: 'text' | 'raw_text' | 'template' }>,
): Promise<string> {
  const { templates, wrappers } = rendering.variant;
  if (block.type === 'raw_text') return block.text;
  if (block.type === 'text')
    return wrappers.includes(role) ? render(rendering, role, { [`${role}_text`]: block.text }) : block.text;
  const { name } = block;
  if (!Object.hasOwn(templates, name)) throw invalidInput(`Template ${name.slice(0, 200)} not found.`);
  if (wrappers.includes(name)) throw invalidInput(`The template ${name} reads ${name}_text and takes no arguments.`);
  return render(rendering, name, block.arguments);
}

async function render({ templates, variant, requester }: Rendering, name: string, variables: object): Promise<string> {
  const source = variant.templates[name]!;
  if (!isTemplate(source)) return source.replace(/\r?\n$/, '');
  try {
    return await templates.renderText(source, toJson(variables), requester);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalidInput')
      throw invalidInput(`The template ${name} cannot be rendered: ${error.message}`);
    throw error;
  }
}
