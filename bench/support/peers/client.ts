/** Puts questions to one server over HTTP; anything but a success is an error. */
export type Client = {
  get<Answer>(path: string): Promise<Answer>;
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  /** The answer as lines of JSON, each of them not yet parsed. */
  postForLines(path: string, body: unknown): Promise<string[]>;
  /** The bytes of all answers so far. */
  bytesRead(): number;
};

export function openClient(address: string, headers: Record<string, string>): Client {
  let bytesRead = 0;
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await response.text();
    bytesRead += Buffer.byteLength(text);
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 200)}`);
    return text;
  };
  return {
    get: async (path) => JSON.parse(await ask('GET', path)),
    post: async (path, body) => JSON.parse(await ask('POST', path, body)),
    postForLines: async (path, body) => (await ask('POST', path, body)).split('\n').filter((line) => line !== ''),
    bytesRead: () => bytesRead,
  };
}

const patienceMs = 120_000;
