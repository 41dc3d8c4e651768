/**
 * Templates of transformers can enclose the model's output in `{% generation %}` … `{% endgeneration %}`. The library
 * omits these tags. Here they become calls of a macro, as in Python, that puts a mark before and after.
 */
export const generationMarks = { open: '\uFDD0', close: '\uFDD1' }; // noncharacters: text does not contain them

/** The template with marks around the model's output; null if it does not mark it. */
export function markGeneration(source: string): string | null {
  if (!/\{%[-+]?\s*generation\s*[-+]?%\}/.test(source)) return null;
  const { open, close } = generationMarks;
  const macro = `{% macro ${macroName}() %}${open}{{ caller() }}${close}{% endmacro %}{{ '' }}`;
  const marked = source
    .replace(/(\{%[-+]?)\s*generation\s*([-+]?%\})/g, `$1 call ${macroName}() $2`)
    .replace(/(\{%[-+]?)\s*endgeneration\s*([-+]?%\})/g, '$1 endcall $2');
  return macro + marked;
}

const macroName = 'heddle_generation';
