/**
 * Runs `write` for one group of edits at a time: those that come while it runs are the next group. An edit is done when its group is
 * written, and fails with it; the groups after it are written all the same.
 */
export function inGroups<Edit>(write: (edits: readonly Edit[]) => Promise<void>): (edit: Edit) => Promise<void> {
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
