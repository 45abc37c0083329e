import { rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { ImageDefinition } from '#definitions';
import type { LockedImage, LockRequest } from './lock-request.ts';
import { lockFileName } from './lock-store.ts';
import { resolveLocks } from './resolve-locks.ts';
import { openScratch } from './scratch.ts';

/**
 * The locks that `resolveLocks` would write for the same request, parents before children. Writes
 * only to the cache: locks and constraints go to a temporary folder above the image's own locks.
 * Raises the errors of `resolveLocks`.
 */
export async function previewLocks(request: LockRequest): Promise<readonly LockedImage[]> {
  const { graph, series, workspaces, emit } = request;
  const scratch = openScratch(join(request.cache, 'locks'));
  const { constraintsFrom: from } = series;
  try {
    const { images } = await resolveLocks({
      ...request,
      graph: {
        ...graph,
        images: new Map([...graph.images].map(([name, each]) => [name, above(each, scratch)])),
      },
      series:
        from === undefined
          ? series
          : { ...series, constraintsFrom: { ...from, file: join(scratch, 'constraints.txt') } },
      emit: (event) =>
        emit(
          event.type === 'constraints' && from !== undefined
            ? { ...event, file: relative(workspaces[0]!, from.file) }
            : event,
        ),
    });
    return images.map((each) => ({
      ...each,
      file: lockFileName(graph.images.get(each.image)!, series.name),
    }));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The definition with another folder of locks, which is read before its own and written to. */
function above(definition: ImageDefinition, scratch: string): ImageDefinition {
  const { name, folder, layers } = definition;
  const own = layers ?? {
    root: dirname(dirname(folder)),
    locks: [join(folder, 'lock')],
    shared: [],
  };
  return {
    ...definition,
    layers: { ...own, locks: [join(scratch, 'images', name), ...own.locks] },
  };
}
