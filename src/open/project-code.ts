import { AnswerChecks } from '../chat/structured/checks/answer-checks.ts';
import { UntrustedTemplates } from '../chat/templates/untrusted-templates.ts';

const poolOptions = {
  processesMax: 2,
  waitingMax: 10_000,
  fullMessage: (waiting: number) =>
    `${waiting} requests already wait for templates and schemas of projects. Try again later.`,
};

/** The processes for what projects have published: templates of prompts, and schemas of values. They start with the first use. */
export function openProjectCode(opened: { add<Part extends { close(): Promise<void> }>(part: Part): Part }) {
  return {
    promptTemplates: opened.add(new UntrustedTemplates(poolOptions)),
    schemaChecks: opened.add(new AnswerChecks(poolOptions)),
  };
}
