import { isIPv4 } from 'node:net';
import type { IpNumber, IpRange } from '../../domain/location.ts';

/** The network with this prefix length that contains an address. */
export function rangeAround(ip: string, prefixLength: number): IpRange {
  const bits = isIPv4(ip) ? 32 : 128;
  const rest = 1n << BigInt(bits - prefixLength);
  const number = ipNumber(ip);
  const start = number - (number % rest);
  const shown = (at: bigint): IpNumber => ({ number: at, text: ipText(at, bits) });
  return { start: shown(start), end: shown(start + rest - 1n) };
}

/** An address as a number. */
export function ipNumber(ip: string): bigint {
  if (isIPv4(ip)) return joined(ip.split('.').map(Number), 8n);
  const [head, tail] = withoutDots(ip).split('::') as [string, string?];
  const groups = (part: string | undefined) => (part ? part.split(':').map((group) => Number.parseInt(group, 16)) : []);
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return joined([...before, ...zeros, ...after], 16n);
}

/** An IPv6 address may end like an IPv4 address. */
function withoutDots(ip: string): string {
  return ip.replace(/%.*$/, '').replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const number = Number(ipNumber(dotted));
    return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
  });
}

function joined(groups: number[], bits: bigint): bigint {
  return groups.reduce((number, group) => (number << bits) | BigInt(group), 0n);
}

function ipText(number: bigint, bits: number): string {
  const size = bits === 32 ? 8n : 16n;
  const groups: bigint[] = [];
  for (let rest = number; groups.length < (bits === 32 ? 4 : 8); rest >>= size)
    groups.unshift(rest & ((1n << size) - 1n));
  return bits === 32 ? groups.join('.') : compressed(groups.map((group) => group.toString(16)));
}

/** In the format of the URL standard, without the longest run of zeros. */
function compressed(groups: string[]): string {
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
