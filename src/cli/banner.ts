import type { Config } from '../config.ts';
import { ownerName } from '../identity/accounts.ts';
import { linkMinutes } from '../identity/sign-in-links.ts';
import { type Client, clientEnvironment } from './client-environment.ts';

type Running = { address: string; apiKey: string | null; signInLink: string | null };

/** Printed at the first start: the key, once, and the variables to copy. */
export function firstStartBanner(running: Running, config: Config): string {
  const given = config.apiKey !== '';
  const key = given ? '$HEDDLE_API_KEY' : running.apiKey!;
  const owner = ownerName(config.owner);
  const place = { url: running.address, key, project: `${owner}/my-project` };
  const shown = given
    ? `  Owner: ${owner}, with the API key from HEDDLE_API_KEY.`
    : `  Owner: ${owner}. This is the owner's API key. Save it now, it is not shown again:\n\n      ${key}`;
  return `
  heddle is ready at ${running.address}
${webPage(running)}
${shown}

${lines('python', place)}
${lines('js', place)}
  Next
      Set the variables for your language and run your program to see its traces here.
      heddle env otel|openai|art   print the variables for other clients
      heddle keys create           create another API key
      heddle sign-in               print another link that signs in to the web page
      heddle doctor                check for problems

  Ctrl-C stops the server. ${places(config)}

`;
}

function places({ data, clickhouseUrl, postgresUrl, blobsUrl }: Config): string {
  const elsewhere = [
    ...(clickhouseUrl === '' ? [] : ['traces are on the ClickHouse server']),
    ...(postgresUrl === '' ? [] : ['records are on the PostgreSQL server']),
    ...(blobsUrl === '' ? [] : ['files are in the bucket']),
  ].join(', ');
  return elsewhere === '' ? `All data is in ${data}` : `Data is in ${data}; ${elsewhere}`;
}

export function laterStartBanner(running: Running): string {
  return `
  heddle is ready at ${running.address}
${webPage(running)}
  heddle env python            print the variables that point a client here
  heddle keys create           create an API key
  heddle sign-in               print another link that signs in to the web page

`;
}

function webPage({ signInLink }: Running): string {
  return signInLink === null
    ? ''
    : `
  Web page (this link signs you in, once and within ${linkMinutes} minutes)

      ${signInLink}
`;
}

function lines(client: Client, place: { url: string; key: string; project: string }): string {
  const { title, variables } = clientEnvironment(client, place);
  const exports = Object.entries(variables).map(([name, value]) => `      export ${name}=${value}\n`);
  return `  ${title}\n\n${exports.join('')}`;
}
