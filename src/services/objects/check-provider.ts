import { isPublicUrl } from '../../domain/objects/public-url.ts';
import { defaultPort, privateHosts } from '../../providers/private-hosts.ts';
import { invalidInput } from '../../util/failures.ts';
import { ownMember } from '../../util/json/own-member.ts';
import { parseJson } from '../../util/json/parse.ts';

/**
 * Whether the address of a `Provider` may be called: a public one, or one of a private host that the setting names.
 * @throws Failure if it is not allowed
 */
export function checkProviderAddress(value: string, setting: string): void {
  const url = ownMember(parseJson(value), 'base_url');
  if (typeof url !== 'string' || isPublicUrl(url) || isNamed(url, setting)) return; // its class checks the type
  throw invalidInput('base_url is not a valid provider URL');
}

function isNamed(text: string, setting: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, port, protocol } = new URL(text);
  return privateHosts(setting)(hostname, port || defaultPort(protocol));
}
