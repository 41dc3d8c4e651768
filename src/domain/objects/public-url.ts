import { BlockList, isIP } from 'node:net';

/**
 * Whether a URL may be called on behalf of a user: http or https, a host that is not obviously inside the server's
 * network, no query and no fragment. Names are resolved and checked again when they are called.
 */
export function isPublicUrl(text: string): boolean {
  if (!isWebUrl(text)) return false;
  const { hostname } = new URL(text); // normalizes every spelling of an IPv4 address, such as 0x7f.1
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const family = isIP(host);
  if (family !== 0) return !isPrivateAddress(host);
  return host.includes('.') && !/(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$/.test(host);
}

/** An address with http or https, without query and fragment. */
export function isWebUrl(text: string): boolean {
  return !/[?#\s]/.test(text) && /^https?:\/\//i.test(text) && URL.canParse(text);
}

const blocked = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  blocked.addSubnet(address, prefix, 'ipv4');
}
const unicast = new BlockList();
unicast.addSubnet('2000::', 3, 'ipv6');
for (const [address, prefix] of [
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4 and Teredo addresses can contain any IPv4 address
  ['2001::', 32],
] as const) {
  blocked.addSubnet(address, prefix, 'ipv6');
}

/** Whether an IP address is not one of a public host. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (blocked.check(address, family)) return true;
  return family === 'ipv6' && !unicast.check(address, family);
}
