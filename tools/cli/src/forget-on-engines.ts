import { messageOf } from '#core';
import { connectEngine, findEngines } from '#engines';
import { engineFolder } from './compose-engines.ts';
import type { Output } from './output.ts';
import type { Settings } from './settings.ts';

/**
 * Has the engines that are there forget every image below `addresses`, at which nothing can be pulled. True where all did; where one did
 * not it is said which, since no engine is needed for anything else.
 */
export async function forgetOnEngines(addresses: readonly string[], settings: Settings, output: Output): Promise<boolean> {
  if (addresses.length === 0) return true;
  const { endpoints, silent } = await findEngines({ endpoints: settings.engines ?? [], folder: engineFolder(settings) });
  const prefixes = addresses.map((address) => `${address}/`);
  const faults = await Promise.all(endpoints.map((endpoint) => forgetOn(endpoint, prefixes)));
  const left = [...silent.map((endpoint) => `${endpoint} does not answer`), ...faults.filter((fault) => fault !== undefined)];
  for (const why of left) output.info(`images of this workspace may stay on an engine: ${why}`);
  return left.length === 0;
}

/** Why it did not, where it did not. */
async function forgetOn(endpoint: string, prefixes: readonly string[]): Promise<string | undefined> {
  try {
    const engine = await connectEngine(endpoint);
    await engine.untagAll(prefixes).finally(() => engine.close());
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
