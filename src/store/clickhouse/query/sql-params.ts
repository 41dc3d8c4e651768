/**
 * Collects the values of one statement. In the SQL each one is a placeholder such as `{p0:String}`, which the store
 * replaces safely.
 */
export class SqlParams {
  readonly values: Record<string, unknown> = {};
  #count = 0;

  /** Binds a value and returns its placeholder. `type` is a ClickHouse type. */
  bind(type: string, value: unknown): string {
    const name = `p${this.#count++}`;
    this.values[name] = value;
    return `{${name}:${type}}`;
  }

  string(value: string): string {
    return this.bind('String', value);
  }

  strings(values: string[]): string {
    return this.bind('Array(String)', values);
  }

  /** Microseconds since 1970 as a DateTime64. Sent as a string: the year 1 is not a safe integer. */
  time(micros: number): string {
    return `fromUnixTimestamp64Micro(${this.bind('Int64', String(micros))}, 'UTC')`;
  }
}
