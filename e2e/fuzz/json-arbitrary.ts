import fc from 'fast-check';
import { hostileDate, hostileJson, hostileNumber, hostileRef, hostileText, inheritedNames } from './hostile.ts';
import { knownDate, knownKeys, knownNumber, knownText, payloadMarker } from './known-values.ts';
import type { Sketch, TextSketch } from './world.ts';

/** The parts of JSON Schema that the OpenAPI document uses. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  minimum?: number;
  maximum?: number;
};

/** How much of a value is not what its schema asks for: nothing, a place or two, or a good part. */
export const tempers = {
  valid: { hostile: 0, given: 20 },
  nearlyValid: { hostile: 3, given: 25 },
  hostile: { hostile: 30, given: 40 },
} satisfies Record<string, Temper>;

/** Both in per cent: values that are hostile, optional members that are given. */
export type Temper = { hostile: number; given: number };

/** How deep schemas that contain themselves are followed. */
const depthMax = 6;

/** Without it a chat goes on to the end of the model's context. */
const alwaysGiven = new Set(['max_tokens']);

/** Optional to the schema alone: without them the request is refused. */
const neededAnyway = new Set(['lora_name', 'lora_path', 'training_data_url']);

/** Of an array of many equal elements: what the largest bodies cost is measured elsewhere. */
const charactersMax = 300_000;

/** Makes arbitraries of the JSON values, as texts, that schemas of one document describe. */
export function openJsonArbitraries(schemas: Record<string, JsonSchema>, group: string, { hostile, given }: Temper) {
  // The schemas of queries contain themselves: without this memory there would be an arbitrary for each path through them.
  const made = new Map<JsonSchema, Map<string, fc.Arbitrary<Sketch>>>();

  function jsonOf(schema: JsonSchema, name: string, depth = 0): fc.Arbitrary<Sketch> {
    const ofSchema = made.get(schema) ?? new Map<string, fc.Arbitrary<Sketch>>();
    made.set(schema, ofSchema);
    const key = `${depth} ${name}`;
    const before = ofSchema.get(key);
    if (before) return before;
    const asDescribed = described(schema, name, depth);
    const arbitrary =
      hostile === 0
        ? asDescribed
        : fc.oneof(
            { withCrossShrink: true },
            { weight: 100 - hostile, arbitrary: asDescribed },
            { weight: hostile, arbitrary: hostileAs(schema) },
          );
    ofSchema.set(key, arbitrary);
    return arbitrary;
  }

  /** Mostly of the right type: what is not is refused before it gets anywhere. */
  function hostileAs({ type, format }: JsonSchema): fc.Arbitrary<Sketch> {
    const types = [type].flat();
    if (format === 'date-time') return fc.oneof({ weight: 5, arbitrary: hostileDate().map(written) }, hostileJson());
    if (types.includes('string')) return fc.oneof({ weight: 5, arbitrary: hostileText().map(quoted) }, hostileJson());
    if (types.includes('integer') || types.includes('number')) {
      return fc.oneof({ weight: 5, arbitrary: hostileNumber().map(constant) }, hostileJson());
    }
    return hostileJson();
  }

  function described(schema: JsonSchema, name: string, depth: number): fc.Arbitrary<Sketch> {
    if (schema.$ref?.endsWith('/Query') && depth < depthMax) {
      return oneOf([queryForId(group), referred(schema.$ref, name, depth)]);
    }
    if (schema.$ref) return referred(schema.$ref, name, depth);
    if (alwaysGiven.has(name)) return ofType('integer', schema, name, depth);
    if (schema.const !== undefined) return fc.constant(constant(JSON.stringify(schema.const)));
    if (schema.enum) return fc.constantFrom(...schema.enum).map((value) => constant(JSON.stringify(value)));
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return oneOf(options.map((option) => jsonOf(option, name, depth)));
    const types = [schema.type ?? 'anything'].flat();
    if (types.includes('string') && !schema.format && types.length <= 2) {
      const text = knownText(group, name).map(quoted);
      return types.includes('null') ? oneOf([text, nothing]) : text;
    }
    return oneOf(types.map((type) => ofType(type, schema, name, depth)));
  }

  function referred(ref: string, name: string, depth: number): fc.Arbitrary<Sketch> {
    const schema = schemas[ref.split('/').at(-1)!];
    if (!schema) throw new Error(`The OpenAPI document refers to ${ref}, which it does not contain`);
    if (depth < depthMax) return jsonOf(schema, name, depth + 1);
    const ends = (schema.anyOf ?? schema.oneOf)?.filter((option) => !JSON.stringify(option).includes('$ref')) ?? [];
    return ends.length > 0 ? oneOf(ends.map((option) => jsonOf(option, name, depth + 1))) : fc.constant(constant('{}'));
  }

  function ofType(type: string, schema: JsonSchema, name: string, depth: number): fc.Arbitrary<Sketch> {
    switch (type) {
      case 'null':
        return nothing;
      case 'boolean':
        return fc.boolean().map((value) => constant(String(value)));
      case 'integer':
        return knownNumber(name).map((value) => constant(String(value)));
      case 'number':
        return fc
          .oneof(knownNumber(name), fc.double({ noNaN: true, min: 0, max: 2 }))
          .map((value) => constant(String(value)));
      case 'string':
        return (schema.format === 'date-time' ? knownDate(name) : knownText(group, name)).map(quoted);
      case 'array':
        return schema.prefixItems
          ? fc.tuple(...schema.prefixItems.map((item) => jsonOf(item, name, depth))).map(listed)
          : arrayOf(jsonOf(schema.items ?? {}, name, depth));
      case 'object':
        return schema.properties || typeof schema.additionalProperties === 'object'
          ? objectOf(schema, name, depth)
          : oneOf([payload(), fc.constant(constant('{}'))]);
      default:
        return payload();
    }
  }

  function arrayOf(item: fc.Arbitrary<Sketch>): fc.Arbitrary<Sketch> {
    const few = fc.array(item, { maxLength: 3 }).map(listed);
    if (hostile < 10) return few;
    const many = fc.tuple(item, fc.integer({ min: 100, max: 3000 })).map(([one, count]): Sketch => {
      return (world) => {
        const text = one(world);
        const fitting = Math.ceil(charactersMax / (text.length + 1));
        return `[${Array<string>(Math.min(count, fitting)).fill(text).join(',')}]`;
      };
    });
    return fc.oneof({ weight: 30, arbitrary: few }, { weight: 1, arbitrary: many });
  }

  function objectOf(schema: JsonSchema, name: string, depth: number): fc.Arbitrary<Sketch> {
    const members = (givenPercent: number) =>
      fc.tuple(
        ...Object.entries(schema.properties ?? {}).map(([key, value]) => {
          const member = jsonOf(value, key, depth).map((sketch): Member => [key, sketch]);
          return sometimes(
            member,
            schema.required?.includes(key) || alwaysGiven.has(key) || neededAnyway.has(key)
              ? 100 - hostile / 4
              : givenPercent,
          );
        }),
      );
    const optional = Object.keys(schema.properties ?? {}).length - (schema.required?.length ?? 0);
    // Many fields do not go with each other, so half of all objects have just what they need.
    const own = fc.oneof({ withCrossShrink: true }, members(0), members(optional > 4 ? given : 60));
    const more = schema.additionalProperties;
    const others =
      typeof more === 'object'
        ? fc.array(fc.tuple(knownKeys(name), jsonOf(more, name, depth)), { minLength: 1, maxLength: 2 })
        : fc.constant([]);
    const names = [...inheritedNames, 'unknown', ...Object.keys(schema.properties ?? {})];
    const unasked = sometimes(fc.tuple(fc.constantFrom(...names), hostileJson()), hostile / 2);
    return fc.tuple(own, others, unasked).map(([first, second, third]): Sketch => {
      const all = [...first, ...second, third].filter((each) => each !== null);
      return (world) => `{${all.map(([key, value]) => `${JSON.stringify(key)}:${value(world)}`).join(',')}}`;
    });
  }

  return { jsonOf };
}

type Member = [key: string, value: Sketch];

/** Absent comes first, so that shrinking leaves members out. */
function sometimes<Value>(arbitrary: fc.Arbitrary<Value>, percent: number): fc.Arbitrary<Value | null> {
  const present = Math.round(percent * 10);
  if (present >= 1000) return arbitrary;
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 1000 - present, arbitrary: fc.constant(null) },
    { weight: present, arbitrary },
  );
}

function oneOf(options: fc.Arbitrary<Sketch>[]): fc.Arbitrary<Sketch> {
  return options.length === 1 ? options[0]! : fc.oneof(...options);
}

/** The one query that every list takes, and the only one by which anything is removed. */
function queryForId(group: string): fc.Arbitrary<Sketch> {
  const kind = group === 'Feedback' ? 'feedback' : group === 'Costs' ? 'price' : 'call';
  return fc.nat({ max: 1000 }).map((number): Sketch => {
    return (world) => `{"$expr":{"$eq":[{"$getField":"id"},{"$literal":${JSON.stringify(world.pick(kind, number))}}]}}`;
  });
}

const nothing = fc.constant<Sketch>(() => 'null');

function constant(text: string): Sketch {
  return () => text;
}

function written(text: string): Sketch {
  return () => JSON.stringify(text);
}

function quoted(text: TextSketch): Sketch {
  return (world) => JSON.stringify(text(world));
}

function listed(items: Sketch[]): Sketch {
  return (world) => `[${items.map((item) => item(world)).join(',')}]`;
}

/** An object such as clients trace and publish. */
function payload(): fc.Arbitrary<Sketch> {
  const shapes: Sketch[] = [
    () => `{"text":"${payloadMarker}","a":1,"b":{"c":[true,null,1.50]}}`,
    (world) => `{"ref":${JSON.stringify(world.pick('ref', 3))},"a":"${payloadMarker}"}`,
    () => `{"_type":"Thing","_class_name":"Thing","_bases":["Object","BaseModel"],"name":"${payloadMarker}"}`,
    () => '{"emoji":"👍","note":"fine","value":3,"output":{"score":0.5}}',
    () => '{"usage":{"gpt-4o":{"requests":1,"prompt_tokens":3,"completion_tokens":2}}}',
  ];
  const odd = fc
    .oneof(
      hostileText(),
      hostileRef().map(
        (ref): TextSketch =>
          () =>
            ref,
      ),
    )
    .map((text): Sketch => {
      return (world) => `{"a":${JSON.stringify(text(world))},"_class_name":${JSON.stringify(text(world))}}`;
    });
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...shapes) },
    { weight: 1, arbitrary: odd },
    {
      weight: 1,
      arbitrary: fc.json({ maxDepth: 2 }).map(
        (text): Sketch =>
          () =>
            `{"a":${text}}`,
      ),
    },
  );
}
