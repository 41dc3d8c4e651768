import type { FunctionSettings, TensorZeroSettings, Tool, ToolChoice } from '../../domain/tensorzero/settings.ts';
import { invalidInput } from '../../util/failures.ts';

/** What a request says about tools. */
export type RequestedTools = {
  /** Names of tools of the function; null for all. */
  allowed: string[] | null;
  additional: Tool[];
  choice: ToolChoice | null;
  parallel: boolean | null;
};

/** The tools that a model may call: those of the function and of the request. @throws Failure */
export function offeredTools(settings: TensorZeroSettings, of: FunctionSettings, asked: RequestedTools): Tool[] {
  const { additional } = asked;
  const names = asked.allowed ?? of.tools;
  const own = names
    .filter((name) => !additional.some((tool) => tool.name === name))
    .map((name) => {
      const found = Object.hasOwn(settings.tools, name) ? settings.tools[name] : undefined;
      if (found === undefined) throw invalidInput(`Unknown tool: ${name.slice(0, 200)}`);
      return found;
    });
  const all = [...own, ...additional];
  const repeated = all.find((tool, index) => all.findIndex(({ name }) => name === tool.name) < index);
  if (repeated) throw invalidInput(`Two tools have the name ${repeated.name.slice(0, 200)}.`);
  return all;
}

/** The same as fields of a chat in OpenAI's form. */
export function toolFields(of: FunctionSettings, tools: Tool[], asked: RequestedTools): Record<string, unknown> {
  if (tools.length === 0) return {};
  const parallel = asked.parallel ?? of.parallel_tool_calls;
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: { name, description, parameters, strict },
    })),
    tool_choice: choiceOf(asked.choice ?? of.tool_choice ?? 'auto'),
    ...(parallel === null ? {} : { parallel_tool_calls: parallel }),
  };
}

function choiceOf(choice: ToolChoice): unknown {
  if (typeof choice !== 'string') return { type: 'function', function: { name: choice.specific } };
  return choice === 'off' ? 'none' : choice;
}
