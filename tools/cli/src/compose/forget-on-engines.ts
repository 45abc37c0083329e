import { messageOf } from '#core';
import { connectEngine, findEngines } from '#engines';
import type { Output } from '../report/output.ts';
import { engineFolder } from './engines.ts';
import type { Settings } from './settings.ts';

/**
 * Makes all running engines remove the image names below `addresses`, which can no longer be
 * pulled, and the containers of ended processes. Returns whether all did; reports the engines that
 * did not.
 */
export async function forgetOnEngines(
  addresses: readonly string[],
  settings: Settings,
  output: Output,
): Promise<boolean> {
  if (addresses.length === 0) return true;
  const { endpoints, unreachable } = await findEngines({
    endpoints: settings.engines ?? [],
    folder: engineFolder(settings),
  });
  const prefixes = addresses.map((address) => `${address}/`);
  const faults = await Promise.all(endpoints.map((endpoint) => forgetOn(endpoint, prefixes)));
  const left = [
    ...unreachable.map((endpoint) => `${endpoint} does not respond`),
    ...faults.filter((fault) => fault !== undefined),
  ];
  for (const why of left)
    output.info(`image names of this workspace may remain on an engine: ${why}`);
  return left.length === 0;
}

/** The reason of a failure; undefined on success. */
async function forgetOn(
  endpoint: string,
  prefixes: readonly string[],
): Promise<string | undefined> {
  try {
    const engine = await connectEngine(endpoint);
    try {
      await Promise.all([engine.untagAll(prefixes), engine.removeLeftOvers()]);
    } finally {
      await engine.close();
    }
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
