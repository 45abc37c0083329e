import { CcpError, imageName } from '#core';
import { fetchControls, openMirrors } from '#fetch';
import type { LockEvent, LockRequest } from '#locks';
import type { Output } from '../report/output.ts';
import { openInputCache, openSources } from './inputs.ts';
import { interruptSignal } from './interrupt.ts';
import type { Project } from './project.ts';
import { programFolder } from './settings.ts';

/**
 * Calls `resolve` with the request of `ccp lock` for these images. Throws `cancelled` after Ctrl-C,
 * and the errors of `resolve`.
 */
export async function withRequest<T>(
  project: Project,
  names: readonly string[],
  update: boolean,
  output: Output,
  resolve: (request: LockRequest) => Promise<T>,
): Promise<T> {
  const { settings } = project;
  const mirrors = openMirrors(settings.mirrors);
  const { debian, 'debian-security': debianSecurity } = mirrors.debian();
  const cache = await openInputCache(settings);
  const { signal, done } = interruptSignal(output.warn);
  return resolve({
    workspaces: [project.root, ...(project.workspace.bases ?? [])],
    graph: project.graph,
    series: project.series,
    images: names.map(imageName),
    update,
    origins: {
      debian,
      debianSecurity,
      debianKeyring: settings.mirrors?.debianKeyring,
      pythonIndexes: () => mirrors.python().map(({ url }) => url),
      goProxies: () => mirrors.go(),
      npmRegistries: () => mirrors.npm(),
    },
    sources: await openSources(settings),
    debianControls: (packages) =>
      fetchControls(
        cache,
        packages.map((item) => ({ kind: 'debian', ...item })),
        { mirrors, signal },
      ),
    cache: programFolder(settings),
    emit: (event) => reportLockEvent(event, output.info),
    signal,
  })
    .catch((thrown: unknown) => {
      if (signal.aborted)
        throw new CcpError({
          code: 'cancelled',
          message: 'locking was cancelled',
          hint: 'run the command again; locks that are already written are kept',
          cause: thrown,
        });
      throw thrown;
    })
    .finally(done);
}

function reportLockEvent(event: LockEvent, say: (text: string) => void): void {
  if (event.type === 'lists') say(`reading the package lists of ${event.suite}`);
  if (event.type === 'constraints')
    say(`using ${event.file} of commit ${event.commit} of ${event.repository}`);
  if (event.type === 'resolving') say(`${event.image}: resolving ${event.what}`);
  if (event.type === 'note') say(`${event.image}: ${event.detail}`);
}
