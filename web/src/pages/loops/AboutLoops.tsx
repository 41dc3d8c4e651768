import { Link } from '@tanstack/react-router';
import startStyles from '../../components/StartPage.module.css';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { type ProjectAddress, projectUrl } from '../../urls.ts';

/** What a loop is, and how the first one is made. */
export function AboutLoops({ project }: { project: ProjectAddress }) {
  return (
    <div className={startStyles.start}>
      <p>
        A loop improves a model again and again: each turn collects rated chats, trains a candidate on them, and lets a
        gate decide whether it is better. A better one gets the traffic of a policy in stages, after a person has agreed
        if you want that.
      </p>
      <p>
        Filter the chats on the page <Link to={projectUrl(project)}>Traces</Link> and choose <b>Start a loop</b>, or
        describe the loop in a file:
      </p>
      <CodeBlock label="loop.json" text={examplePlan} />
      <CodeBlock
        label="Shell"
        text={`heddle loop save support --project ${project.entity}/${project.project} --file loop.json\nheddle loop start support --project ${project.entity}/${project.project}`}
      />
    </div>
  );
}

const examplePlan = `{
  "chats": {"where": "op_name~chat"},
  "scorer": {"reward": "feedback.[thumbs].payload.up", "window_seconds": 86400},
  "method": {"kind": "sft", "least": 1},
  "model": "support-model",
  "suite": "exam",
  "gate": {"scorers": ["judge"], "target": {"metric": "judge", "gain": 0.05}},
  "rollout": {
    "policy": "bot", "stages": [0.1, 0.5], "units": 200,
    "scorers": [{"reward": "feedback.[thumbs].payload.up", "window_seconds": 86400}]
  },
  "approver": "anyone"
}`;
