/**
 * The variables below `sample` for an output of a model: `output_text`, and `output_json` if the text is JSON.
 */
export function sampleOf(output: unknown): Record<string, unknown> {
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? null);
  const parsed = typeof output === 'string' ? parsedJson(output) : output;
  return { output_text: text, ...(parsed === undefined ? {} : { output_json: parsed }) };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
