import { fileFindings, type FileFindings } from '#core';
import type { Site } from '#definitions';

/** An empty collector for the findings of one check; each is `site-invalid`. */
export function siteFindings(site: Pick<Site, 'position'>): FileFindings {
  return fileFindings('site-invalid', (path) => site.position(path));
}
