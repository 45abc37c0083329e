import { fileFindings, type FileFindings } from '#core';
import type { Site } from '#definitions';

/** No findings in a site's file yet; each will be `site-invalid`. */
export function siteFindings(site: Pick<Site, 'position'>): FileFindings {
  return fileFindings('site-invalid', (path) => site.position(path));
}
