import type { RenderedSite } from '#site';
import { imageOf } from './image-of.ts';
import type { Ledger } from './ledger.ts';
import type { RevisionRecord } from './record.ts';

/**
 * A contract step of a later release that removed parts of the schema which the release to be
 * applied needs.
 */
export interface Contracted {
  /** Id of the contract step. */
  readonly step: string;
  readonly instance: string;
  /** Revision in which it ran. */
  readonly revision: number;
  /** Last revision of the release that would be applied again. */
  readonly last: number;
}

/**
 * The steps of a rendered site whose image ran here before, and whose schema a later contract of
 * another image has changed: that image is an older release. An image that never ran here is a
 * newer one.
 */
export function contractedSince(
  rendered: RenderedSite,
  records: readonly RevisionRecord[],
  ledger: Ledger,
): Contracted[] {
  const entries = Object.values(ledger);
  return rendered.steps
    .filter(({ phase }) => phase === 'contract')
    .flatMap((step): Contracted[] => {
      const images = step.objects.map(imageOf);
      const ran = (record: RevisionRecord): boolean =>
        images.some((image) => record.images[nameOf(image)] === image.replace(/^[^@]*@/, ''));
      const last = Math.max(
        0,
        ...records.filter(ran).map(({ revision }) => revision),
        ...entries.filter(({ image }) => images.includes(image)).map(({ revision }) => revision),
      );
      const later = entries.find(
        (entry) =>
          entry.step === step.id &&
          entry.phase === 'contract' &&
          entry.revision > last &&
          !images.includes(entry.image),
      );
      return last === 0 || later === undefined
        ? []
        : [{ step: step.id, instance: step.instance ?? step.id, revision: later.revision, last }];
    });
}

function nameOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/^.*\//, '');
}
