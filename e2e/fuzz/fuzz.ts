import fc from 'fast-check';
import type { Heddle } from '../harness/heddle.ts';
import { openAnswerCheck } from './check-answer.ts';
import { curl } from './curl.ts';
import type { JsonSchema } from './json-arbitrary.ts';
import { payloadMarker } from './known-values.ts';
import { learn } from './learn.ts';
import { type Ask, makeWorld, type WorldSize } from './make-world.ts';
import { type OpenApi, type Operation, operationsOf } from './operations.ts';
import { type Request, type RequestSketch, requestsOf } from './request-arbitrary.ts';
import { NoAnswer, send } from './send.ts';
import { removes, sequencesOf } from './sequences.ts';
import type { World } from './world.ts';

/** One way in which the server failed, with the smallest request found that makes it fail so. */
export type Finding = { operation: string; fault: string; request: string; answer: string; log: string; times: number };

/** How often an operation was answered with each class of status. */
export type Tally = Map<string, { [statusClass: string]: number }>;

export type Fuzz = {
  findings: Map<string, Finding>;
  tally: Tally;
  /** Sends this many requests of every operation, and this many sequences of requests about the same things. */
  round(size: { perOperation: number; sequences: number; seed: number }): Promise<void>;
};

/** Requests under way at once: what they do meets in the same things. */
const concurrency = 6;
/** Requests spent on making a failing one smaller. */
const shrinksMax = 150;

/** Makes requests of what the server's own OpenAPI document says, and looks for answers that no request may have. */
export async function openFuzz(server: Heddle, answerMsMax: number): Promise<Fuzz> {
  const target = { url: server.url, key: server.key, answerMsMax };
  const document = await fetchDocument(server);
  const { schemas } = document.components;
  const operations = [...operationsOf(document), graphql];
  const check = openAnswerCheck(document);
  const ask: Ask = (method, path, body, headers = { 'content-type': 'application/json' }) => {
    const bytes = body instanceof Buffer ? body : Buffer.from(JSON.stringify(body));
    return send(target, { method, path, headers, body: bytes });
  };
  const arbitraries = new Map(operations.map((operation) => [operation, requestsOf(operation, schemas)]));
  const findings = new Map<string, Finding>();
  const tally: Tally = new Map(operations.map(({ name }) => [name, {}]));
  // The first chat loads the model.
  await ask('POST', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 });
  const sequences = sequencesOf(operations, schemas);
  let worlds = 0;
  const newWorld = (size: WorldSize) => makeWorld(ask, `${server.entity}/fuzz${worlds++}`, size);

  /** Sends a request. @returns what is wrong with its answer */
  async function tryOne(operation: Operation, request: Request, about: World): Promise<Finding | null> {
    const found = (fault: string, answer: string): Finding => {
      return {
        operation: operation.name,
        fault,
        request: curl(request),
        answer: answer.slice(0, 600),
        log: '',
        times: 1,
      };
    };
    const counts = tally.get(operation.name)!;
    try {
      const answer = await send(target, request);
      const statusClass = `${Math.floor(answer.status / 100)}xx`;
      counts[statusClass] = (counts[statusClass] ?? 0) + 1;
      if (answer.status === 200) learn(about, operation.path, request.body, answer.text);
      const fault = check(operation, answer);
      if (fault) return found(fault, answer.text);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      counts.none = (counts.none ?? 0) + 1;
      return found(error.message, '');
    }
    return null;
  }

  /** Keeps what was found, with what the server said of it. */
  function keep(finding: Finding): void {
    const log = server.takeLog();
    finding.log = causeOf(log);
    const key = `${finding.operation} | ${finding.fault} | ${finding.log.split('\n')[0]}`;
    const before = findings.get(key);
    if (before) before.times++;
    else findings.set(key, finding);
  }

  async function tryOperation(operation: Operation, world: World, runs: number, seed: number): Promise<void> {
    let last: Finding | null = null;
    let shrinks = 0;
    const property = fc.asyncProperty(arbitraries.get(operation)!, async (sketch) => {
      if (last && (shrinks++ > shrinksMax || /no answer|ECONN/.test(last.fault))) return true;
      const finding = await tryOne(operation, sketch(world), world);
      if (finding && (last === null || last.fault === finding.fault)) last = finding;
      return finding === null;
    });
    await fc.check(property, { numRuns: runs, seed });
    if (last) keep(last);
    checkLog(operation);
  }

  async function trySequences(runs: number, seed: number): Promise<void> {
    for (const steps of fc.sample(sequences, { numRuns: runs, seed })) {
      const own = await newWorld(few);
      for (const step of steps) {
        const sent = step.map(({ operation, sketch }) => tryOne(operation, (sketch as RequestSketch)(own), own));
        for (const finding of await Promise.all(sent)) if (finding) keep(finding);
      }
    }
  }

  function checkLog(operation: Operation): void {
    const log = server.takeLog();
    for (const [what, secret] of [
      ['an API key', server.key],
      ['a payload', payloadMarker],
    ] as const) {
      const line = log.split('\n').find((each) => each.includes(secret));
      if (!line) continue;
      const found = { operation: operation.name, fault: `${what} in the log`, request: '', answer: '' };
      findings.set(found.fault, { ...found, log: line.slice(0, 1000), times: 1 });
    }
  }

  return {
    findings,
    tally,
    async round({ perOperation, sequences, seed }) {
      const shared = await newWorld(many);
      const jobs = operations.map((operation) => async () => {
        // What takes things away has things of its own: the others are to find theirs.
        const world = removes(operation) ? await newWorld(sizeFor(operation)) : shared;
        const runs = operation.path === '/service/doctor' ? 2 : perOperation; // it reads everything the server has
        await tryOperation(operation, world, runs, seed);
      });
      jobs.push(() => trySequences(sequences, seed));
      jobs.reverse(); // the sequences take longest
      const worker = async () => {
        for (let job = jobs.shift(); job; job = jobs.shift()) await job();
      };
      await Promise.all(Array.from({ length: concurrency }, worker));
    },
  };
}

const none: WorldSize = { responses: 0, evals: 0, trainingJobs: false };
const few: WorldSize = { responses: 2, evals: 2, trainingJobs: true };
const many: WorldSize = { responses: 8, evals: 16, trainingJobs: true };

/** What takes responses or evals away needs many of them; what takes parts of traces away needs none. */
function sizeFor({ path }: Operation): WorldSize {
  if (/^\/v1\/(evals|responses)\b/.test(path)) return many;
  return path.startsWith('/v1/') ? few : none;
}

async function fetchDocument({ url }: Heddle): Promise<OpenApi> {
  const response = await fetch(`${url}/openapi.json`);
  return (await response.json()) as OpenApi;
}

/** Of the last error in the log: its message, and where it was thrown. */
function causeOf(log: string): string {
  const errors = log.split('\n').filter((line) => line.includes('"err"'));
  const last = errors.at(-1);
  if (!last) return '';
  try {
    const { err } = JSON.parse(last) as { err: { message: string; stack: string } };
    const own = err.stack.split('\n').filter((line) => !/node_modules|node:internal|wasm:/.test(line));
    return [err.message, ...own].join('\n').slice(0, 1500);
  } catch {
    return last.slice(0, 1500);
  }
}

/** The one path of the W&B clients; the OpenAPI document does not know it. */
const graphql: Operation = {
  name: 'POST /graphql',
  method: 'POST',
  path: '/graphql',
  group: 'Login',
  tags: ['Login'],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['query', 'variables'],
          properties: {
            query: {
              enum: [
                'query { viewer { id username entity teams { edges { node { name } } } } }',
                'query P($entity: String, $name: String) { project(name: $name, entityName: $entity) { id name } }',
                'mutation M($name: String, $entity: String) { upsertModel(input: {name: $name, entityName: $entity}) { model { name } } }',
                '{ viewer',
              ],
            },
            variables: {
              type: 'object',
              properties: { entity: { type: 'string' }, name: { type: 'string' } },
            } as JsonSchema,
          },
        },
      },
    },
  },
  responses: {},
};
