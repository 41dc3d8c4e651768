import { CodeBlock } from '../../ui/CodeBlock.tsx';

/** What a gate is, in two sentences, and how one is started. */
export function AboutGates({ projectId, suite = 'my-suite' }: { projectId: string; suite?: string | undefined }) {
  return (
    <>
      <p>
        A gate compares a candidate model with the incumbent on a frozen suite, thread by thread, until the evidence
        decides: promote, reject, or not enough evidence. Looking at it while it runs does not make a wrong promotion
        more likely, and its verdict is signed.
      </p>
      <CodeBlock
        label="Shell"
        text={[
          `heddle gate start --project ${projectId} --suite ${suite}`,
          '--candidate new-model --incumbent old-model',
          '--scorer exact_match --target exact_match --gain 0.05',
        ].join(' \\\n  ')}
      />
    </>
  );
}
