import { isIP } from 'node:net';

/** Whether a setting names a host, alone or with this port. */
export function privateHosts(setting: string): (host: string, port: string) => boolean {
  const named = new Set(setting.split(',').map((host) => host.trim().toLowerCase()));
  return (host, port) => {
    const name = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
    return named.has(name) || named.has(`${name}:${port}`);
  };
}

export function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}
