import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { SchemaViolated } from '../chat/structured/schema-violated.ts';
import type { GenerationObserver, ModelLoad } from '../inference/observer.ts';

/** What is counted of the requests to models, under the names of vLLM. The only label of all is the base model. */
export type InferenceMetrics = {
  observe(model: string): GenerationObserver;
  /** Counts a request that another process has accepted. */
  countForwarded(model: string): void;
  /** Replaces what was known of the open models. */
  show(loads: ReadonlyMap<string, ModelLoad>): void;
};

const labelNames = ['model_name'] as const;
const firstTokenSeconds = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const tokenSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5];
const requestSeconds = [0.05, 0.1, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480];
const tokenCounts = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

export function inferenceMetrics(registry: Registry): InferenceMetrics {
  const made = { labelNames, registers: [registry] };
  const counter = (name: string, help: string) => new Counter({ name, help, ...made });
  const gauge = (name: string, help: string) => new Gauge({ name, help, ...made });
  const histogram = (name: string, help: string, buckets: number[]) => new Histogram({ name, help, buckets, ...made });
  const promptTokens = counter('vllm:prompt_tokens_total', 'Tokens of prompts');
  const generatedTokens = counter('vllm:generation_tokens_total', 'Generated tokens');
  const prefixQueries = counter(
    'vllm:prefix_cache_queries_total',
    'Tokens of prompts that were looked up in the cache',
  );
  const prefixHits = counter('vllm:prefix_cache_hits_total', 'Tokens of prompts that were taken from the cache');
  const guessed = counter('vllm:spec_decode_num_draft_tokens_total', 'Tokens computed on a guess');
  const guessedRight = counter('vllm:spec_decode_num_accepted_tokens_total', 'Guessed tokens that were generated');
  const successes = new Counter({
    name: 'vllm:request_success_total',
    help: 'Choices that have ended, by the reason',
    labelNames: ['model_name', 'finished_reason'],
    registers: [registry],
  });
  const failures = counter(
    'heddle_model_request_failures_total',
    'Requests to models that were refused, failed or canceled',
  );
  const forwarded = counter('heddle_model_requests_forwarded_total', 'Requests to models that other processes serve');
  const violations = counter(
    'heddle_schema_violations_total',
    'Finished answers that violate the JSON schema of their request',
  );
  const firstToken = histogram('vllm:time_to_first_token_seconds', 'Time to the first token', firstTokenSeconds);
  const betweenTokens = histogram(
    'vllm:inter_token_latency_seconds',
    'Time between two tokens of a choice',
    tokenSeconds,
  );
  const whole = histogram('vllm:e2e_request_latency_seconds', 'Time of a request', requestSeconds);
  const perRequestPrompt = histogram('vllm:request_prompt_tokens', 'Tokens of the prompt of a request', tokenCounts);
  const perRequestGenerated = histogram('vllm:request_generation_tokens', 'Generated tokens of a request', tokenCounts);
  const running = gauge('vllm:num_requests_running', 'Requests that are being computed');
  const waiting = gauge('vllm:num_requests_waiting', 'Requests that wait for their turn');
  const cacheUse = gauge(
    'vllm:kv_cache_usage_perc',
    'Used part of the KV cache, kept prompts included; 1 is all of it',
  );
  const cacheBytes = gauge('heddle_model_cache_bytes', 'Bytes of the KV cache in use');
  const cacheBytesMax = gauge('heddle_model_cache_max_bytes', 'Bytes that the KV cache may use');
  const resident = gauge('heddle_model_resident_memory_bytes', "Resident memory of the model's process");
  const gauges = [running, waiting, cacheUse, cacheBytes, cacheBytesMax, resident];

  return {
    countForwarded: (model_name) => forwarded.inc({ model_name }),
    observe(model_name) {
      const label = { model_name };
      const startedAt = performance.now();
      const lastTokenAt: number[] = [];
      let prompt = 0;
      let generated = 0;
      const secondsSince = (time: number) => (performance.now() - time) / 1000;
      return {
        accepted: (tokens) => {
          prompt = tokens;
        },
        event(event) {
          if (event.kind === 'prompt') {
            promptTokens.inc(label, prompt);
            prefixQueries.inc(label, prompt);
            prefixHits.inc(label, event.cachedTokens);
            return;
          }
          if (event.kind === 'counted') return;
          if (event.kind === 'cached') {
            prefixHits.inc(label, event.tokens);
            return;
          }
          const { index, ids, finish } = event;
          if (ids.length > 0) {
            if (generated === 0) firstToken.observe(label, secondsSince(startedAt));
            const before = lastTokenAt[index];
            const seconds = before === undefined ? null : secondsSince(before) / ids.length;
            if (seconds !== null) for (const _ of ids) betweenTokens.observe(label, seconds);
            lastTokenAt[index] = performance.now();
            generated += ids.length;
            generatedTokens.inc(label, ids.length);
          }
          if (finish) successes.inc({ model_name, finished_reason: finish.finishReason });
        },
        ended(error) {
          if (error instanceof SchemaViolated) violations.inc(label);
          if (error !== null) failures.inc(label);
          else {
            whole.observe(label, secondsSince(startedAt));
            perRequestPrompt.observe(label, prompt);
            perRequestGenerated.observe(label, generated);
          }
        },
      };
    },
    show(loads) {
      for (const each of [...gauges, guessed, guessedRight]) each.reset();
      for (const [model_name, load] of loads) {
        const label = { model_name };
        running.set(label, load.running);
        waiting.set(label, load.waiting);
        cacheUse.set(label, load.cacheBytesMax === 0 ? 0 : load.cacheBytes / load.cacheBytesMax);
        cacheBytes.set(label, load.cacheBytes);
        cacheBytesMax.set(label, load.cacheBytesMax);
        resident.set(label, load.residentBytes);
        guessed.inc(label, load.guesses.guessed);
        guessedRight.inc(label, load.guesses.right);
      }
    },
  };
}
