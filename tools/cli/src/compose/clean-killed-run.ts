import { CcpError } from '#core';
import { unservedAddresses, openStore } from '#store';
import type { Output } from '../report/output.ts';
import { forgetOnEngines } from './forget-on-engines.ts';
import type { Project } from './project.ts';

/**
 * Removes the leftovers of a killed run: uploads and partial files in the store, image names and
 * containers on engines. Unreachable engines keep theirs until the next build. Does nothing if
 * another run has opened the store in the meantime.
 */
export async function cleanKilledRun({ paths, settings }: Project, output: Output): Promise<void> {
  const store = await openStore({ folder: paths.store }).catch((thrown: unknown) => {
    if (thrown instanceof CcpError && thrown.code === 'store-busy') return undefined;
    throw thrown;
  });
  if (store === undefined) return;
  try {
    const addresses = [store.address, ...(await unservedAddresses(paths.store))];
    await forgetOnEngines(addresses, settings, output);
  } finally {
    await store.close();
  }
}
