import { StartPage } from '../../components/StartPage.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import type { ProjectAddress } from '../../urls.ts';

/** How the first policy of a project is made. */
export function NoPolicies({ project: { entity, project } }: { project: ProjectAddress }) {
  return (
    <StartPage title="No policies yet">
      <p>
        A policy is a name that stands for several models or prompts. Chats with it are divided among them, and what
        came of their answers is compared.
      </p>
      <CodeBlock label="bot.json" text={examplePlan} />
      <CodeBlock
        label="Shell"
        title="On the server's machine"
        text={`heddle policies set ${entity}/${project}/bot --file bot.json --reason "try the new model"`}
      />
      <p>{`Then use policy:///${entity}/${project}/bot as the model of your chats.`}</p>
    </StartPage>
  );
}

const examplePlan = `{
  "variants": [
    {"name": "now", "model": "heddle/tiny"},
    {"name": "next", "model": "openai/gpt-4o-mini"}
  ],
  "incumbent": "now",
  "traffic": {"kind": "stages", "candidate": "next", "stages": [0.1, 0.5, 1], "stage": 1},
  "scorers": [{"reward": "thumbs", "window_seconds": 3600, "missing": "ignore"}]
}`;
