import { describe, expect, it } from 'vitest';
import { parseLossless } from '../../util/json/lossless.ts';
import { canonicalJson } from './canonical-json.ts';
import { bytesDigest, isContentHash, tableDigest, textDigest } from './digest.ts';
import { toDigestList } from './digest-list.ts';

const zeros = '0'.repeat(64);
const dataset = (rows: string) =>
  `{"rows":"${rows}","name":"ds","description":null,"_type":"Dataset","_class_name":"Dataset","_bases":["Object","BaseModel"]}`;

/** The worked examples of the reference; those with a builtin class are given as the class leaves them. */
const objects: Record<string, [text: string, digest: string]> = {
  A: ['{"b":1,"a":[true,null,"x"]}', 'Y2kQ5U4UuDoW21UmkbhDYrYdguYnMdNdocRX8KJ5mJI'],
  B: ['"hello"', 'WqdirjgYu3J688ejbUlApbjECpiUUtIwT8lYYz81Tno'],
  C: ['{}', 'RBNvo1WzZ4oRRq0W9XhknpT7T8If536DEMBg9hyqY4o'],
  D: ['[]', 'T1PNoYwrqgwDVLtfmj7L5e0Sq02OEbqHPC8RFhICuUU'],
  E: ['null', 'dCNOmKYnSYX12vHzasLXiswzlGT5UHA7jAGYkvmCuQs'],
  F: ['{"n":1.0}', 'mPJQeeltdCR95IVCI8jEF15xn6wgdTXBz8rKANWenSM'],
  G: ['{"n":1}', '5dX3wdIlYWsTYj67G1udB1xwVln4GGix43AFoJI7A0Y'],
  H: [
    '{"n":[1e16,1e-5,1e22,0.1,100000000000000000000,-0.0,1e5,123456789.125]}',
    'bb5hwDJzgFfOks1wYuACTHiyWSPR5vpabs1pQG1qjE8',
  ],
  I: [String.raw`{"k":"é 😀 \u007f \u2028 / \" \\ \n \t \u0001"}`, 'qrWweU1ynZSVaDmOIrX0OXnhzhbrnkUgFh3b2KJ9T4Q'],
  J: [String.raw`{"\ue000":1,"😀":2,"a":3,"Z":4}`, 'NYCFYbyh6y4DgEo4wui68BRwwX074lXDt9XPlOyIGNc'],
  K: ['{"a":1E400,"b":-0,"c":1.10,"d":1e0}', '5rPQMgKCJx8cnSywdMUEYNyqG4v4r1Vk6ctISklDFgQ'],
  L: [dataset(`weave-trace-internal:///UHJvamVjdDox/table/${zeros}`), 'Jz4XL2R4594LMsaNEafAYXv5BocBBlgwWtIU06owTtw'],
  M: [dataset(`weave:///ent/proj/table/${zeros}`), 'SeLH7OPtrHZv9R0h09g1Lk50xjVWtWwadHDXw41fTeY'],
  N: [
    '{"name":"q","description":null,"field_schema":{"type":"integer","minimum":0},"unique_among_creators":false,"op_scope":null,"_type":"AnnotationSpec","_class_name":"AnnotationSpec","_bases":["BaseObject","BaseModel"]}',
    'mPL6ozLX4WYU7TYQYz7mpiXLnJE7nXrh6YeKIjbs6CM',
  ],
  O: [
    '{"name":null,"description":null,"base_url":"https://api.example.com/v1","api_key_name":"KEY","extra_headers":{},"return_type":"openai","_type":"Provider","_class_name":"Provider","_bases":["BaseObject","BaseModel"]}',
    'UsappC5CoCzPFF9Njiff6SifOZrcEqBkiwmXXIcHics',
  ],
  P: [
    '{"_type":"CustomWeaveType","weave_type":{"type":"Op"},"files":{"obj.py":"W3bQliwJq07jCfrGX601aMl6veyYO0BRRq4XhqI141I"}}',
    'dwMDVZvXzud9SC3YMk8NxHbwlguVhTBK9sTaYKCKmak',
  ],
};

const files: [text: string, digest: string][] = [
  ['def f():\n    return 1\n', 'W3bQliwJq07jCfrGX601aMl6veyYO0BRRq4XhqI141I'],
  ['', '47DEQpj8HBSaXYTImWX5JCeuQeRkm5NMpJWZG3hSuFU'],
  ['hello world', 'uU0nuZNNPgilLlLX2n2rXsSE7XN6U4DukIj3rOLvzek'],
];

const r1 = 'XdhgKMbg1k4iUYb5astpM4ssWXZN95FiEH9cS7NNExA';
const r2 = '5anVsDAOD1DTcuWp3fokIIqsmpQM6aNvJHOHIhriBf4';
const rows: [text: string, digest: string][] = [
  ['{"a":1}', r1],
  ['{"a":2}', r2],
  ['{"a":1.0}', 'dCYJsgfwkAqOLf866DrEeUGvXCm7brXylYTKfdY9g1Q'],
];

const tables: [rows: string[], digest: string][] = [
  [[r1, r2], '1c95cdc46a75d6e7e971986a80adfcd676dd22f2222a3405c7743f3db8df6785'],
  [[r2, r1], '780a35eaf84bb979bb60180e6f4eeea7fa00862666eea0707a18e9e82e7bbfa6'],
  [[r1], '3326b2458d037af4f958a80f18aa545827317c2110bf40f7deeefed75276b7db'],
  [[], 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
];

const digestOf = (text: string) => textDigest(canonicalJson(parseLossless(text)));

describe('digests are those of the reference', () => {
  it.each(Object.entries(objects))('object %s', (_, [text, digest]) => expect(digestOf(text)).toBe(digest));
  it.each(rows)('row %s', (text, digest) => expect(digestOf(text)).toBe(digest));
  it.each(files)('file %j', (text, digest) => expect(bytesDigest(Buffer.from(text))).toBe(digest));
  it.each(tables)('table of %j', async (rowDigests, digest) =>
    expect(await tableDigest(await toDigestList(rowDigests))).toBe(digest),
  );
});

describe('a content hash', () => {
  it.each([r1, zeros, zeros.toUpperCase(), 'a'.repeat(43)])('may be %s', (word) => {
    expect(isContentHash(word)).toBe(true);
  });

  it.each(['', 'latest', 'v3', 'a'.repeat(42), 'a'.repeat(44), 'g'.repeat(64), `${'a'.repeat(42)}_`, `${r1}\n`])(
    'is not %j',
    (word) => expect(isContentHash(word)).toBe(false),
  );
});
