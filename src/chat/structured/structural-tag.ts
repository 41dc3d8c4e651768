import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { exactEbnf } from './ebnf.ts';
import { checkLength, constraintLimits } from './limits.ts';
import { exactRegex } from './regex.ts';
import { jsonGrammar, parsedSchema } from './schema/json-grammar.ts';
import { exactXmlParameters } from './xml-parameters.ts';

/** A structural tag in the old or the new form, as text in the new form, with its contents checked and made exact. */
export function exactStructuralTag(tag: unknown): string {
  if (!isObject(tag) || tag.type !== 'structural_tag') throw new Error('its type must be "structural_tag"');
  const format = 'structures' in tag || 'triggers' in tag ? formatOfOld(tag) : exactFormat(tag.format, 'format', 0);
  const text = JSON.stringify({ type: 'structural_tag', format });
  checkLength(text, constraintLimits.tagLength);
  return text;
}

export function exactStructuralTagText(text: string): string {
  let tag: unknown;
  try {
    tag = parsePlain(text);
  } catch (error) {
    throw new Error(`it is not JSON (${(error as Error).message})`);
  }
  return exactStructuralTag(tag);
}

function formatOfOld(tag: Record<string, unknown>): unknown {
  const structures = listAt(tag.structures, 'structures');
  const tags = structures.map((structure, index) => {
    const place = `structures.${index}`;
    if (!isObject(structure)) throw new Error(`${place} must be an object`);
    return {
      type: 'tag',
      begin: stringAt(structure.begin, `${place}.begin`),
      content: jsonContent(structure.schema, `${place}.schema`),
      end: stringAt(structure.end, `${place}.end`),
    };
  });
  return triggered(tag.triggers, tags, 'triggers', {});
}

function exactFormat(format: unknown, place: string, depth: number): unknown {
  if (!isObject(format)) throw new Error(`${place} must be an object`);
  const { tagDepth } = constraintLimits;
  if (depth > tagDepth) throw new Error(`it is nested more than ${tagDepth} deep`);
  const inside = (value: unknown, step: string) => exactFormat(value, `${place}.${step}`, depth + 1);
  const each = (name: string) =>
    listAt(format[name], `${place}.${name}`).map((item, index) => inside(item, `${name}.${index}`));
  switch (format.type) {
    case 'any_text':
      return { type: 'any_text' };
    case 'const_string':
      return { type: 'const_string', value: stringAt(format.value, `${place}.value`) };
    case 'json_schema':
      return jsonContent(format.json_schema, `${place}.json_schema`);
    case 'qwen_xml_parameter': {
      const schema = within(`${place}.json_schema`, () => exactXmlParameters(schemaOf(format.json_schema)));
      return { type: format.type, json_schema: schema };
    }
    case 'regex':
      return { type: 'regex', pattern: within(place, () => exactRegex(stringAt(format.pattern, 'pattern'))) };
    case 'grammar':
      return { type: 'grammar', grammar: within(place, () => exactEbnf(stringAt(format.grammar, 'grammar'))) };
    case 'sequence':
    case 'or':
      return { type: format.type, elements: each('elements') };
    case 'tag':
      return {
        type: 'tag',
        begin: stringAt(format.begin, `${place}.begin`),
        content: inside(format.content, 'content'),
        end: stringAt(format.end, `${place}.end`),
      };
    case 'triggered_tags':
      return triggered(format.triggers, each('tags') as Tag[], `${place}.triggers`, flagsOf(format, place));
    case 'tags_with_separator': {
      const separator = stringAt(format.separator, `${place}.separator`);
      return { type: format.type, tags: each('tags'), separator, ...flagsOf(format, place) };
    }
    default:
      throw new Error(`${place}.type ${JSON.stringify(format.type)} is not known`);
  }
}

type Tag = { begin: string };

function triggered(triggers: unknown, tags: Tag[], place: string, flags: Record<string, boolean>): unknown {
  const found = listAt(triggers, place).map((trigger, index) => stringAt(trigger, `${place}.${index}`));
  for (const trigger of found) {
    if (trigger === '') throw new Error(`${place} must not contain an empty string`);
    if (!tags.some(({ begin }) => begin?.startsWith(trigger))) {
      throw new Error(`the trigger ${JSON.stringify(trigger)} begins no tag`);
    }
  }
  const without = tags.find(({ begin }) => !found.some((trigger) => begin?.startsWith(trigger)));
  if (without) throw new Error(`the tag ${JSON.stringify(without.begin)} begins with no trigger`);
  return { type: 'triggered_tags', triggers: found, tags, ...flags };
}

function flagsOf(format: Record<string, unknown>, place: string): Record<string, boolean> {
  const flags: Record<string, boolean> = {};
  for (const name of ['at_least_one', 'stop_after_first']) {
    const value = format[name];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') throw new Error(`${place}.${name} must be true or false`);
    flags[name] = value;
  }
  return flags;
}

function listAt(value: unknown, place: string): unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error(`${place} must be a list with at least one member`);
  const { tagListLength } = constraintLimits;
  if (value.length > tagListLength) {
    throw new Error(`${place} has ${value.length} members; it may have at most ${tagListLength}`);
  }
  return value;
}

function stringAt(value: unknown, place: string): string {
  if (typeof value !== 'string') throw new Error(`${place} must be a string`);
  return value;
}

/** JSON that satisfies a schema, as a grammar: the library itself does not enforce all schemas. */
function jsonContent(schema: unknown, place: string): unknown {
  return { type: 'grammar', grammar: within(place, () => jsonGrammar(schemaOf(schema), 'any')) };
}

function schemaOf(value: unknown): unknown {
  return typeof value === 'string' ? parsedSchema(value) : value;
}

function within<Result>(place: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`);
  }
}
