/**
 * Runs `write` for one group of edits at a time; edits that arrive meanwhile form the next group.
 * An edit succeeds or fails with its group. Later groups are written even if one fails.
 */
export function groupWrites<Edit>(
  write: (edits: readonly Edit[]) => Promise<void>,
): (edit: Edit) => Promise<void> {
  let waiting: Edit[] = [];
  let next: Promise<void> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  return (edit) => {
    waiting.push(edit);
    next ??= running.then(() => {
      const edits = waiting;
      [waiting, next] = [[], undefined];
      const written = write(edits);
      running = written.catch(() => undefined);
      return written;
    });
    return next;
  };
}
