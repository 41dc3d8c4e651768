import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { VllmServerState } from '../inference/vllm/servers/vllm-servers.ts';
import { parseNamedValues } from '../util/named-values.ts';
import type { Finding } from './finding.ts';

type Problem = { state: 'warning' | 'wrong'; found: string; advice: string };
type Settings = Pick<Config, 'vllmAdapters' | 'vllmModels'>;

/** Which vLLM servers respond, with which models, and what to do about the others and about the settings for them. */
export function examineVllm(servers: VllmServerState[], settings: Settings): Omit<Finding, 'what'> {
  const responding = servers.filter(({ circuit }) => circuit !== 'open');
  const problems = [
    ...servers.filter((each) => !responding.includes(each)).map((each) => awayProblem(each, responding.length === 0)),
    ...responding.flatMap((each) => serverProblems(each, settings)),
    ...modelProblems(servers, settings),
  ];
  const found = [
    ...responding.map(describe),
    ...namesWithoutFiles(servers, settings).map(
      (name) => `${name} has no files here: its servers make tokens of messages`,
    ),
    ...problems.map((each) => each.found),
  ].join('; ');
  if (problems.length === 0) return { state: 'good', found };
  const state = problems.some((each) => each.state === 'wrong') ? 'wrong' : 'warning';
  return { state, found, advice: [...new Set(problems.map(({ advice }) => advice))].join(' ') };
}

function describe({ address, models, version }: VllmServerState): string {
  const served = models.length === 0 ? 'without models' : `with ${models.join(', ')}`;
  return `${address} responds ${served}${version === null ? '' : ` (vLLM ${version})`}`;
}

function awayProblem({ address, reason }: VllmServerState, isLast: boolean): Problem {
  const isRefused = reason === 'answered 401' || reason === 'answered 403';
  return {
    state: isLast ? 'wrong' : 'warning',
    found: `${address} gets no requests: it ${reason ?? 'does not respond'}`,
    advice: isRefused
      ? 'Set HEDDLE_VLLM_API_KEY to the key that vLLM was started with (--api-key).'
      : 'Check whether vLLM runs there and this machine can reach it. heddle tries again by itself.',
  };
}

function serverProblems({ address, answering, loadsAdapters }: VllmServerState, { vllmAdapters }: Settings): Problem[] {
  if (answering.kind === 'several') {
    const found = `several processes answer at ${address}, so adapters cannot be loaded there`;
    const advice = 'List the address of each server behind the balancer in HEDDLE_VLLM_URL.';
    return [{ state: 'warning', found, advice }];
  }
  if (vllmAdapters !== '' && loadsAdapters === false) {
    const found = `${address} loads no adapters, although HEDDLE_VLLM_ADAPTERS is set`;
    const advice = 'Start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True.';
    return [{ state: 'warning', found, advice }];
  }
  return [];
}

function modelProblems(servers: VllmServerState[], { vllmModels }: Settings): Problem[] {
  const listed = namesOf(servers);
  const folders = parseNamedValues(vllmModels)!;
  const unlisted = [...folders.keys()].filter((name) => !listed.includes(name));
  const empty = [...folders].filter(([, folder]) => !existsSync(join(folder, 'tokenizer.json')));
  return [
    ...unlisted.map((name): Problem => {
      const names = listed.length === 0 ? '' : `: ${listed.join(', ')}`;
      const advice = `In HEDDLE_VLLM_MODELS, use the names that the servers list${names}.`;
      return { state: 'warning', found: `no server lists ${name}, which HEDDLE_VLLM_MODELS names`, advice };
    }),
    ...empty.map(([name, folder]): Problem => {
      const advice = `Copy the files of ${name} other than its weights to ${folder}.`;
      return { state: 'wrong', found: `the folder of ${name}, ${folder}, has no tokenizer.json`, advice };
    }),
  ];
}

function namesWithoutFiles(servers: VllmServerState[], { vllmModels }: Settings): string[] {
  const folders = parseNamedValues(vllmModels)!;
  return namesOf(servers).filter((name) => !folders.has(name));
}

function namesOf(servers: VllmServerState[]): string[] {
  return [...new Set(servers.flatMap(({ models }) => models))];
}
