/** Kills a statement until it has ended: one that was just sent is not listed yet, so this may take several attempts. */
export async function killUntilEnded(kill: () => Promise<unknown>, hasEnded: () => boolean): Promise<void> {
  for (let pauseMs = 20; !hasEnded(); pauseMs = Math.min(pauseMs * 2, 1000)) {
    await kill().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
  }
}
