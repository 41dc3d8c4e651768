import { exceptionLine } from '../../api/call-fields.ts';
import { parseJson } from '../../format/json.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';

/** Why a call failed, with the lines of the program if the SDK reported them. */
export function ExceptionView({ exception }: { exception: string }) {
  return <CodeBlock label="Exception" text={tracebackOf(exception) ?? exception} wraps />;
}

function tracebackOf(exception: string): string | null {
  try {
    const { traceback } = parseJson(exception) as { traceback?: unknown };
    if (!Array.isArray(traceback)) return null;
    const frames = traceback.map(
      (frame) => `${frame.filename}:${frame.line_number} in ${frame.function_name}\n    ${frame.text ?? ''}`,
    );
    return [...frames, exceptionLine(exception)].join('\n');
  } catch {
    return null;
  }
}
