import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** A request that was answered. `route` is the path of its endpoint, with parameters in place of values. */
type AnsweredRequest = { method: string; route: string; status: number; ms: number };

export type RequestMetrics = {
  /** Counts a request as in flight until the function that is returned is called. */
  beginRequest(): () => void;
  request(answered: AnsweredRequest): void;
};

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

export function requestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const answered = new Counter({
    name: 'heddle_http_requests_total',
    help: 'Requests by endpoint and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'heddle_http_request_duration_seconds',
    help: 'Time until a request is answered in full',
    labelNames: ['method'],
    buckets: seconds,
    registers,
  });
  const inFlight = new Gauge({
    name: 'heddle_http_requests_in_flight',
    help: 'Requests and streams that are not answered in full yet, including the one that reads this number',
    registers,
  });
  return {
    beginRequest() {
      inFlight.inc();
      return () => inFlight.dec();
    },
    request({ method, route, status, ms }) {
      answered.inc({ method: methods.has(method) ? method : 'OTHER', route, status });
      durations.observe({ method: methods.has(method) ? method : 'OTHER' }, ms / 1000);
    },
  };
}

/** Clients may write any word as the method. */
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
