/**
 * Lets projects take turns: each project with waiting jobs starts one job per round. Without this, a project that adds
 * a thousand jobs would delay all others until these are done.
 */
export class ProjectTurns {
  readonly #runningMax: number;
  readonly #running = new Map<string, number>();
  /** The projects that have started a job in this round. */
  readonly #served = new Set<string>();

  constructor(runningPerProjectMax: number) {
    this.#runningMax = runningPerProjectMax;
  }

  /** Fetches the next job of a project whose turn it is. */
  async next<Job extends { project: string }>(
    fetch: (ignoredProjects: string[]) => Promise<Job | null>,
  ): Promise<Job | null> {
    const busy = [...this.#running].filter(([, count]) => count >= this.#runningMax).map(([project]) => project);
    let job = await fetch([...new Set([...busy, ...this.#served])]);
    if (job === null && this.#served.size > 0) {
      this.#served.clear();
      job = await fetch(busy);
    }
    if (job !== null) this.#served.add(job.project);
    return job;
  }

  begin(project: string): void {
    this.#running.set(project, (this.#running.get(project) ?? 0) + 1);
  }

  end(project: string): void {
    const left = (this.#running.get(project) ?? 0) - 1;
    if (left > 0) this.#running.set(project, left);
    else this.#running.delete(project);
  }
}
