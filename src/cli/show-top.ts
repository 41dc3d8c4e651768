import type { OperationAnswer } from '../admin/operations.ts';
import { humanBytes } from '../util/human-bytes.ts';
import { humanMs } from '../util/human-ms.ts';

type Snapshot = OperationAnswer<'top'>;
type Model = Snapshot['models'][number];
type Times = Model['firstToken'];

/** The picture of a second: what changed between two snapshots, in lines of at most 80 columns. */
export function topLines(before: Snapshot, now: Snapshot): string[] {
  const seconds = Math.max(0.001, (now.at - before.at) / 1000);
  const rate = (from: number, to: number) => `${short(Math.max(0, to - from) / seconds)}/s`;
  const queries = {
    count: now.queries.count - before.queries.count,
    seconds: now.queries.seconds - before.queries.seconds,
  };
  const time = new Date(now.at).toISOString().slice(0, 19).replace('T', ' ');
  const jobs = now.jobs.map(({ kind, state, count }) => `${count} ${kind} ${state}`).join(', ');
  return [
    `${`heddle ${now.version}, up ${duration(now.uptimeSeconds)}`.padEnd(56)}${time} UTC`,
    '',
    `Requests  ${rate(before.requests, now.requests).padEnd(14)}Calls    ${rate(before.callParts, now.callParts).padEnd(14)}` +
      `Queries  ${rate(0, queries.count)}, ${mean(queries)}, ${now.queries.running} running`,
    `Memory    ${humanBytes(now.residentBytes).padEnd(14)}Disk     ${humanBytes(now.diskFreeBytes)} free`,
    ...now.stores.map((store, i) => `${i === 0 ? 'Stores' : ''}`.padEnd(10) + storeLine(store)),
    `Jobs      ${jobs === '' ? 'none' : jobs}`,
    ...peerLines(now),
    ...vllmLines(now),
    '',
    ...modelLines(before, now, rate),
  ].map((line) => (line.length <= columns ? line : `${line.slice(0, columns - 1)}…`));
}

const columns = 80;

/** Of processes that share the stores: each of them, what they do for all, and whether they wait for each other. */
function peerLines({ peers, at }: Snapshot): string[] {
  if (peers === null) return [];
  const processes = peers.processes.map(({ name, startedAt, isThis, models }, i) => {
    const since = `up ${duration(Math.max(0, (at - startedAt) / 1000))}`;
    const label = i === 0 ? 'Processes' : '';
    return `${label.padEnd(10)}${name.padEnd(40)}${since}${isThis ? ', this one' : ''}${models.map((model) => `, ${model}`).join('')}`;
  });
  const leases = peers.leases.map(({ name, process }) => `${name} (${process})`).join(', ');
  return [
    ...processes,
    ...(leases === '' ? [] : [`Leases    ${leases}`]),
    ...(peers.lockWaits === 0 ? [] : [`Locks     ${peers.lockWaits} statements wait`]),
  ];
}

/** A server that gets no requests has the reason in the place of its models. */
function vllmLines({ vllmServers, at }: Snapshot): string[] {
  return vllmServers.map(({ address, circuit, since, reason, running, waiting, models }, i) => {
    const requests = [`${running} running`, `${waiting} waiting`];
    const what = {
      closed: () => ['up', ...requests, ...models],
      halfOpen: () => ['up again', ...requests, ...models],
      open: () => [`DOWN ${duration(Math.max(0, (at - since) / 1000))}`, ...(reason === null ? [] : [reason])],
    }[circuit]();
    return `${(i === 0 ? 'vLLM' : '').padEnd(10)}${address.padEnd(24)}  ${what.join(', ')}`;
  });
}

/** What is unknown of a store leaves its place empty. */
function storeLine({
  name,
  kind,
  version,
  isUp,
  latencySeconds,
  freeBytes,
  usedBytes,
}: Snapshot['stores'][number]): string {
  const latency = latencySeconds === null ? '' : humanMs(1000 * latencySeconds);
  const place = [
    ...(freeBytes === null ? [] : [`${humanBytes(freeBytes)} free`]),
    ...(usedBytes === null ? [] : [`${humanBytes(usedBytes)} used`]),
  ];
  const what = version === null ? kind : `${kind} ${version}`;
  return `${name.padEnd(12)}${isUp ? 'up  ' : 'DOWN'}  ${what.padEnd(22)}${latency.padStart(8)}  ${place.join(', ')}`.trimEnd();
}

function modelLines(before: Snapshot, now: Snapshot, rate: (from: number, to: number) => string): string[] {
  if (now.models.length === 0) return ['No model is open. A model is opened by its first request.'];
  const heading = row('MODEL', ['RUN', 'WAIT', 'KV', 'HIT', 'PROMPT', 'TOKENS', 'TTFT', 'ITL', 'MEMORY']);
  return [heading, ...now.models.map((model) => modelLine(earlierOf(before, model), model, rate))];
}

function modelLine(before: Model, now: Model, rate: (from: number, to: number) => string): string {
  const prompt = now.promptTokens - before.promptTokens;
  const cached = now.cachedTokens - before.cachedTokens;
  return row(now.name, [
    String(now.running),
    String(now.waiting),
    percent(now.cacheUse),
    prompt === 0 ? '-' : percent(cached / prompt),
    rate(before.promptTokens, now.promptTokens),
    rate(before.generatedTokens, now.generatedTokens),
    mean(since(before.firstToken, now.firstToken)),
    mean(since(before.betweenTokens, now.betweenTokens)),
    humanBytes(now.residentBytes),
  ]);
}

const nameWidth = 20;
const widths = [4, 5, 5, 5, 8, 8, 8, 8, 8];

function row(name: string, cells: string[]): string {
  const shown = name.length <= nameWidth ? name : `…${name.slice(1 - nameWidth)}`;
  return shown.padEnd(nameWidth) + cells.map((cell, i) => cell.padStart(widths[i]!)).join('');
}

/** A model that was opened since has no earlier numbers. */
function earlierOf({ models }: Snapshot, { name }: Model): Model {
  const none = { count: 0, seconds: 0 };
  const unknown = { promptTokens: 0, cachedTokens: 0, generatedTokens: 0, firstToken: none, betweenTokens: none };
  return models.find((model) => model.name === name) ?? ({ name, ...unknown } as Model);
}

function since(before: Times, now: Times): Times {
  return { count: now.count - before.count, seconds: now.seconds - before.seconds };
}

function mean({ count, seconds }: Times): string {
  if (count <= 0) return '-';
  return humanMs((seconds / count) * 1000);
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

function short(value: number): string {
  if (value >= 10_000) return `${Math.round(value / 1000)}k`;
  return value >= 10 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
