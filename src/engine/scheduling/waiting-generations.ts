import { FairQueue, hasFairRoom } from '../../util/fair-queue.ts';
import type { Task } from './sequence.ts';

/** Requests that have not begun: lower priorities first, and among equals users and their projects in turn. */
export class WaitingTasks {
  /** Sorted by priority. */
  readonly #queues: { priority: number; tasks: FairQueue<Task> }[] = [];
  readonly #ofUser = new Map<string, number>();
  #lastUser: string | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Of the request whose turn it is. */
  get priority(): number | undefined {
    return this.#queues[0]?.priority;
  }

  add(task: Task): void {
    let at = this.#queues.findIndex(({ priority }) => priority >= task.priority);
    if (at === -1) at = this.#queues.length;
    if (this.#queues[at]?.priority !== task.priority) {
      this.#queues.splice(at, 0, { priority: task.priority, tasks: new FairQueue(this.#lastUser) });
    }
    this.#queues[at]!.tasks.add(task.tenant, task);
    this.#count(task, 1);
  }

  next(): Task | undefined {
    const task = this.#queues[0]?.tasks.next();
    if (!task) return undefined;
    if (this.#queues[0]!.tasks.size === 0) this.#queues.shift();
    this.#lastUser = task.tenant[0];
    this.#count(task, -1);
    return task;
  }

  delete(task: Task): void {
    const at = this.#queues.findIndex(({ priority }) => priority === task.priority);
    if (!this.#queues[at]?.tasks.delete(task.tenant, task)) return;
    if (this.#queues[at].tasks.size === 0) this.#queues.splice(at, 1);
    this.#count(task, -1);
  }

  /** Takes out all. */
  clear(): Task[] {
    const tasks: Task[] = [];
    for (let task = this.next(); task; task = this.next()) tasks.push(task);
    return tasks;
  }

  /** Whether this user may add another where about `sizeMax` may wait. */
  hasRoomFor(user: string, sizeMax: number): boolean {
    const own = this.#ofUser.get(user) ?? 0;
    return hasFairRoom({ size: this.#size, own, owners: this.#ofUser.size }, sizeMax);
  }

  #count({ tenant: [user] }: Task, change: 1 | -1): void {
    this.#size += change;
    const count = (this.#ofUser.get(user) ?? 0) + change;
    if (count === 0) this.#ofUser.delete(user);
    else this.#ofUser.set(user, count);
  }
}
