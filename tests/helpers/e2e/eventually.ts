const PAUSE_MS = 500;

/** Repeats an attempt until it succeeds; throws the last error after `seconds`. */
export async function eventually<T>(attempt: () => Promise<T>, seconds = 120): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (thrown) {
      if (Date.now() > deadline) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
