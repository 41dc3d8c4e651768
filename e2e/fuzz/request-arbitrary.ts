import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { hostileText } from './hostile.ts';
import { type JsonSchema, openJsonArbitraries, type Temper, tempers } from './json-arbitrary.ts';
import { knownText } from './known-values.ts';
import type { Operation } from './operations.ts';
import { asProtobuf, type OtlpSignal, otlpSignalOf } from './otlp.ts';
import type { Sketch, TextSketch, World } from './world.ts';

export type Headers = Record<string, string>;
export type Request = { method: string; path: string; headers: Headers; body: Buffer | null };
export type RequestSketch = (world: World) => Request;

/** Requests of an operation: right ones, nearly right ones and hostile ones, about as many of each. */
export function requestsOf(operation: Operation, schemas: Record<string, JsonSchema>): fc.Arbitrary<RequestSketch> {
  return fc.oneof(
    { withCrossShrink: true },
    ...Object.values(tempers).map((temper) => requestsWith(operation, schemas, temper)),
  );
}

export function requestsWith(
  operation: Operation,
  schemas: Record<string, JsonSchema>,
  temper: Temper,
): fc.Arbitrary<RequestSketch> {
  const hostile = temper.hostile > 0;
  const url = fc.tuple(pathOf(operation, temper), queryOf(operation, temper));
  const body = bodyOf(operation, schemas, temper);
  const door = hostile ? fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, oddHeaders) : fc.constant({});
  const prefix = fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constant('/traces'));
  return fc.tuple(prefix, url, body, door).map(([before, [path, query], made, odd]): RequestSketch => {
    return (world) => {
      const { headers, bytes } = made(world);
      const zipped = bytes && 'content-encoding' in odd ? gzipSync(bytes) : bytes;
      const target = `${before}${path(world)}${query(world)}`;
      return { method: operation.method, path: target, headers: { ...headers, ...odd }, body: zipped };
    };
  });
}

const oddHeaders: fc.Arbitrary<Headers> = fc.constantFrom<Headers>(
  { authorization: 'Bearer wrong' },
  { authorization: 'Basic !!!' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
  { 'x-weave-retry-id': '\u00ff'.repeat(100) },
  { 'x-heddle-project': '__proto__/constructor', 'x-session-id': 'a'.repeat(5000), 'x-request-id': "'" },
  { 'x-heddle-trace': 'maybe', 'x-vllm-priority': '99999999999999999999' },
  { project_id: 'ent/\u00e9' },
  { accept: 'text/event-stream' },
);

/** Fills the braces of a path. */
function pathOf({ path, group, parameters = [] }: Operation, { hostile }: Temper): fc.Arbitrary<TextSketch> {
  const names = parameters.filter((each) => each.in === 'path').map((each) => each.name);
  const values = names.map((name) => {
    const known = knownText(group, name).map(
      (text): TextSketch =>
        (world) =>
          escaped(text(world)),
    );
    return hostile === 0
      ? known
      : fc.oneof({ weight: 100 - hostile, arbitrary: known }, { weight: hostile, arbitrary: hostileSegment });
  });
  return fc.tuple(...values).map((given): TextSketch => {
    return (world) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[names.indexOf(name)]?.(world) ?? name);
  });
}

const hostileSegment = fc.oneof(
  {
    weight: 3,
    arbitrary: hostileText().map(
      (text): TextSketch =>
        (world) =>
          escaped(text(world)).slice(0, 4000),
    ),
  },
  fc
    .constantFrom(
      '',
      '.',
      '..',
      '%',
      '%zz',
      '%00',
      '%2F',
      '%2f..%2f',
      '%ff',
      '%C3%28',
      'a%00b',
      ';',
      'a;b=c',
      '*',
      ':id',
    )
    .map(
      (raw): TextSketch =>
        () =>
          raw,
    ),
);

function queryOf({ group, parameters = [] }: Operation, { hostile, given }: Temper): fc.Arbitrary<TextSketch> {
  const members = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, required }) => {
      const text =
        hostile === 0
          ? knownText(group, name)
          : fc.oneof({ weight: 80, arbitrary: knownText(group, name) }, { weight: 20, arbitrary: hostileText() });
      const times = fc.oneof(
        { weight: 100 - hostile, arbitrary: fc.constant(1) },
        { weight: hostile, arbitrary: fc.constantFrom(0, 2) },
      );
      return fc
        .tuple(text, required ? times : fc.constantFrom(...Array(3).fill(0), ...Array(Math.ceil(given / 10)).fill(1)))
        .map(([value, count]): TextSketch => {
          return (world) =>
            Array<string>(count)
              .fill(`${name}=${escaped(value(world))}`)
              .join('&');
        });
    });
  return fc.tuple(...members).map((all): TextSketch => {
    return (world) => {
      const query = all
        .map((each) => each(world))
        .filter((each) => each !== '')
        .join('&');
      return query === '' ? '' : `?${query}`;
    };
  });
}

type Body = { headers: Headers; bytes: Buffer | null };

function bodyOf(
  operation: Operation,
  schemas: Record<string, JsonSchema>,
  temper: Temper,
): fc.Arbitrary<(world: World) => Body> {
  const content = operation.requestBody?.content;
  if (!content) return fc.constant(() => ({ headers: {}, bytes: null }));
  const { jsonOf } = openJsonArbitraries(schemas, operation.group, temper);
  if (content['multipart/form-data']) return uploadOf(content['multipart/form-data'].schema, operation, temper);
  if (content['application/x-protobuf']) {
    const signal = otlpSignalOf(operation.path);
    return exportOf(signal, jsonOf(signal.schema, ''));
  }
  const json = jsonOf(content['application/json']!.schema, '');
  return fc.tuple(json, damage(temper)).map(([sketch, hurt]) => {
    return (world) => ({ headers: { 'content-type': 'application/json' }, bytes: hurt(Buffer.from(sketch(world))) });
  });
}

/** What a body looks like when it was cut off or is not UTF-8. */
function damage({ hostile }: Temper): fc.Arbitrary<(bytes: Buffer) => Buffer> {
  const none = fc.constant((bytes: Buffer) => bytes);
  if (hostile < 10) return none;
  const places = fc.nat({ max: 1_000_000 });
  const cut = places.map((place) => (bytes: Buffer) => bytes.subarray(0, place % (bytes.length + 1)));
  const foreign = fc.tuple(
    places,
    fc.constantFrom([0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0], [0x22], [0xef, 0xbb, 0xbf]),
  );
  const inserted = foreign.map(([place, bytes]) => (body: Buffer) => {
    const at = place % (body.length + 1);
    return Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at)]);
  });
  return fc.oneof({ weight: 20, arbitrary: none }, cut, inserted);
}

function exportOf(signal: OtlpSignal, json: fc.Arbitrary<Sketch>): fc.Arbitrary<(world: World) => Body> {
  return fc.tuple(json, fc.boolean(), damage(tempers.hostile)).map(([sketch, isBinary, hurt]) => {
    return (world) => {
      const text = sketch(world);
      const binary = isBinary ? asProtobuf(signal, text) : null;
      const mediaType = binary ? 'application/x-protobuf' : 'application/json';
      return {
        headers: { 'content-type': mediaType, project_id: world.pick('project', 0) },
        bytes: hurt(binary ?? Buffer.from(text)),
      };
    };
  });
}

function uploadOf(schema: JsonSchema, { group }: Operation, { hostile }: Temper): fc.Arbitrary<(world: World) => Body> {
  const parts = Object.keys(schema.properties ?? {}).map((name) => {
    const known =
      name === 'file'
        ? fc.constantFrom('one', 'two', '').map(
            (text): TextSketch =>
              () =>
                text,
          )
        : knownText(group, name);
    const value = fc.oneof({ weight: 100 - hostile, arbitrary: known }, { weight: hostile, arbitrary: hostileText() });
    const isGiven = schema.required?.includes(name) ? 100 - hostile / 2 : 15;
    return fc.tuple(
      fc.constant(name),
      value,
      fc.nat({ max: 99 }).map((percent) => percent < isGiven),
    );
  });
  const fileName =
    hostile === 0
      ? fc.constant<TextSketch>(() => 'a.txt')
      : fc.oneof(
          fc.constant<TextSketch>(() => 'a.txt'),
          hostileText(),
        );
  const boundary = fc.constantFrom('limit', hostile > 10 ? '"' : 'limit');
  return fc
    .tuple(fc.tuple(...parts), fileName, boundary, damage({ hostile, given: 0 }))
    .map(([all, named, border, hurt]) => {
      return (world) => {
        const sent = all.filter(([, , isGiven]) => isGiven);
        const text = sent.map(([name, value]) => {
          const file = name === 'file' ? `; filename="${named(world).slice(0, 2000)}"\r\ncontent-type: text/plain` : '';
          return `--limit\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value(world)}\r\n`;
        });
        const headers = { 'content-type': `multipart/form-data; boundary=${border}` };
        return { headers, bytes: hurt(Buffer.from(`${text.join('')}--limit--\r\n`)) };
      };
    });
}

/** As a part of an address; lone surrogates cannot be written there. */
function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
