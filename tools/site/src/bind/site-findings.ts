import { fileFindings, type FileFindings } from '#core';
import type { Site } from '#definitions';

/** No findings in a site's file yet; each will be `site-invalid`. */
export function siteFindings(site: Pick<Site, 'position'>): FileFindings {
  return fileFindings('site-invalid', (path) => site.position(path));
}

/** Notes what cannot be: a message and a hint, at a path of the site's file. */
export type Refuse = FileFindings['refuse'];
