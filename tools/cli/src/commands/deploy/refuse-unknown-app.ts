import { CcpError, nearest } from '#core';
import type { Site } from '#definitions';

/** Raises `usage`, with the nearest name, for an app that a site does not have. */
export function refuseUnknownApp({ name, apps }: Pick<Site, 'name' | 'apps'>, app: string): void {
  if (Object.hasOwn(apps, app)) return;
  const meant = nearest(app, Object.keys(apps));
  throw new CcpError({
    code: 'usage',
    message: `"${name}" has no app "${app}"`,
    hint: meant === undefined ? `it has: ${Object.keys(apps).join(', ')}` : `did you mean "${meant}"?`,
  });
}
