/** How long a thread may be idle: its heap memory is only freed when it ends. */
const idleMs = 10_000;

/** Calls `end` after a period without work. Call `begin` before each piece of work, `finish` after it. */
export function whenIdle(end: () => void, ms = idleMs): { begin(): void; finish(): void } {
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    begin() {
      underWay++;
      clearTimeout(timer);
    },
    finish() {
      if (--underWay === 0) timer = setTimeout(end, ms).unref();
    },
  };
}
