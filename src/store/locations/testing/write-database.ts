import { writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { ipNumber } from '../ip-range.ts';

/** The content of a test database: records by network, such as `203.0.113.0/24`. */
export type TestNetworks = Record<string, Data>;
type Data = string | number | Data[] | { [key: string]: Data };

/** Writes a small database in MaxMind's format, version 2.0, with 24-bit records. */
export function writeLocationDatabase(file: string, networks: TestNetworks, ipVersion: 4 | 6 = 6): void {
  const nodes: Node[] = [[null, null]];
  const data: Buffer[] = [];
  for (const [network, record] of Object.entries(networks)) {
    const offset = Buffer.concat(data).length;
    data.push(encode(record));
    insert(nodes, bitsOf(network, ipVersion), { offset });
  }
  const target = (child: Child) =>
    child === null ? nodes.length : typeof child === 'number' ? child : nodes.length + 16 + child.offset;
  const tree = nodes.flatMap((node) => node.map((child) => [16, 8, 0].map((shift) => (target(child) >> shift) & 255)));
  const metadata = {
    node_count: nodes.length,
    record_size: 24,
    ip_version: ipVersion,
    database_type: 'Test-Country',
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    description: { en: 'A test database' },
  };
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
  writeFileSync(file, Buffer.concat([Buffer.from(tree.flat()), Buffer.alloc(16), ...data, marker, encode(metadata)]));
}

type Child = number | { offset: number } | null;
type Node = [Child, Child];

function insert(nodes: Node[], bits: number[], leaf: { offset: number }): void {
  let node = 0;
  for (const bit of bits.slice(0, -1)) {
    const known = nodes[node]![bit];
    if (typeof known === 'number') node = known;
    else {
      const made = nodes.push([null, null]) - 1;
      nodes[node]![bit] = made;
      node = made;
    }
  }
  nodes[node]![bits.at(-1)!] = leaf;
}

/** In a database for both, IPv4 networks are below 96 zero bits. */
function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [ip = '', prefix] = network.split('/');
  const size = isIPv4(ip) ? 32 : 128;
  const bits = [...ipNumber(ip).toString(2).padStart(size, '0').slice(0, Number(prefix))].map(Number);
  return isIPv4(ip) && ipVersion === 6 ? [...Array.from({ length: 96 }, () => 0), ...bits] : bits;
}

function encode(value: Data): Buffer {
  if (typeof value === 'string') return Buffer.concat([header(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([header(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([header(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([header(7, entries.length), ...entries.flatMap(([key, each]) => [encode(key), encode(each)])]);
}

/** The type is in the upper three bits, the size in the lower ones; types above 7 have a separate byte. */
function header(type: number, size: number): Buffer {
  return Buffer.from(type > 7 ? [size, type - 7] : [(type << 5) | size]);
}
