import { CcpError } from '#core';
import type { Site } from '#definitions';
import { refuseUnknownApp } from './refuse-unknown-app.ts';
import { setInYaml } from './set-in-yaml.ts';

/**
 * The text of a site with other numbers of replicas. Throws `usage` for an invalid argument or an
 * unknown app.
 */
export function scaledText(
  text: string,
  site: Pick<Site, 'name' | 'apps'>,
  wishes: readonly string[],
): string {
  let changed = text;
  for (const wish of wishes) {
    const { app, workload, replicas } = wishOf(wish);
    refuseUnknownApp(site, app);
    changed = setInYaml(changed, ['apps', app, 'replicas', workload], replicas);
  }
  return changed;
}

/** Parses `APP.WORKLOAD=NUMBER`. Throws `usage` for anything else. */
export function wishOf(wish: string): {
  readonly app: string;
  readonly workload: string;
  readonly replicas: number;
} {
  const [, app = '', workload = '', replicas] =
    /^([a-z0-9-]+)\.([a-z0-9-]+)=(\d{1,4})$/.exec(wish) ?? [];
  if (replicas === undefined)
    throw new CcpError({
      code: 'usage',
      message: `${JSON.stringify(wish)} is not a number of replicas`,
      hint: 'use APP.WORKLOAD=NUMBER, like keystone.api=3',
    });
  return { app, workload, replicas: Number(replicas) };
}
