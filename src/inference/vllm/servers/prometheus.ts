/** What is read of a server's `/metrics`. */
export type ServerMetrics = {
  /** When its process started, in seconds: another number is another process. Null if several processes answer together. */
  startedAt: number | null;
  running: number;
  waiting: number;
};

/** Sums over the engines of a server. */
export function readMetrics(text: string): ServerMetrics {
  const found: ServerMetrics = { startedAt: null, running: 0, waiting: 0 };
  for (const line of text.split('\n')) {
    const [, name, value] = sample.exec(line) ?? [];
    if (name === 'process_start_time_seconds') found.startedAt = Number(value);
    else if (name === 'vllm:num_requests_running') found.running += Number(value);
    else if (name === 'vllm:num_requests_waiting') found.waiting += Number(value);
  }
  return found;
}

const sample = /^(process_start_time_seconds|vllm:num_requests_running|vllm:num_requests_waiting)(?:\{.*\})? (\S+)/;
