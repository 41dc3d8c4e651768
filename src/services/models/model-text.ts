import { toolFormatOf } from '../../chat/output/tool-format.ts';
import { openServedText } from '../../chat/tokenizer/served-text.ts';
import { unacceptable } from '../../util/failures.ts';

/**
 * Opens the tokenizer and the chat templates of a model in the same way as its process.
 * @throws Failure that names the file and its problem
 */
export async function checkModelText(path: string): Promise<void> {
  try {
    await openServedText(path);
  } catch (error) {
    throw unacceptable(`The model cannot be served: ${(error as Error).message}`, error);
  }
}

/**
 * The format in which a model writes tool calls, recognized by its chat template: `unknown` if heddle cannot read it,
 * null if the template has no tools.
 */
export function toolFormatIn(templates: ReadonlyMap<string, string>): string | null {
  const template = templates.get('tool_use') ?? templates.get('default');
  if (template === undefined || !/\btools\b/.test(template)) return null;
  return toolFormatOf(template)?.name ?? 'unknown';
}
