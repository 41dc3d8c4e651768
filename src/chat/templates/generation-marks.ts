/**
 * Templates of transformers can enclose what the model writes in `{% generation %}` … `{% endgeneration %}`. The library
 * leaves these tags out. Here they become calls of a macro, as they are in Python, that puts a mark before and behind.
 */
export const generationMarks = { open: '\uFDD0', close: '\uFDD1' }; // noncharacters: no text has them

/** The template with marks around what the model writes; null if it does not say what that is. */
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
