import { CcpError, nearest } from '#core';
import type { Site } from '#definitions';

/** Throws `usage`, with the most similar name, for an app that is not in the site. */
export function refuseUnknownApp({ name, apps }: Pick<Site, 'name' | 'apps'>, app: string): void {
  if (Object.hasOwn(apps, app)) return;
  const meant = nearest(app, Object.keys(apps));
  throw new CcpError({
    code: 'usage',
    message: `the site ${name} has no app "${app}"`,
    hint:
      meant === undefined
        ? `its apps are: ${Object.keys(apps).join(', ')}`
        : `did you mean "${meant}"?`,
  });
}
