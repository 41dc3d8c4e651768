import type { Config } from '../config.ts';
import { ownerName } from '../identity/accounts.ts';
import { type Client, clientEnvironment } from './client-environment.ts';

/** What the very first start says: the key, once, and the lines to copy. */
export function firstStartBanner(running: { address: string; apiKey: string | null }, config: Config): string {
  const given = config.apiKey !== '';
  const key = given ? '$HEDDLE_API_KEY' : running.apiKey!;
  const owner = ownerName(config.owner);
  const place = { url: running.address, key, project: `${owner}/my-project` };
  const shown = given
    ? `  Its owner is ${owner}, with the key given in HEDDLE_API_KEY.`
    : `  Its owner is ${owner}. This is the owner's key. It is shown this once; keep it:\n\n      ${key}`;
  return `
  heddle is ready at ${running.address}

${shown}

${lines('python', place)}
${lines('js', place)}
  Next
      Set the lines of your language, run your program, and its traces are here.
      heddle env otel|openai|art   the lines for other clients
      heddle keys create           another key
      heddle doctor                when something seems wrong

  Ctrl-C stops the server. All data is in ${config.data}

`;
}

export function laterStartBanner(address: string): string {
  return `
  heddle is ready at ${address}

  heddle env python            the lines that point a client here
  heddle keys create           a key, when none is at hand

`;
}

function lines(client: Client, place: { url: string; key: string; project: string }): string {
  const { title, variables } = clientEnvironment(client, place);
  const exports = Object.entries(variables).map(([name, value]) => `      export ${name}=${value}\n`);
  return `  ${title}\n\n${exports.join('')}`;
}
