import type { RenderedSite } from '#site';
import { imageOf } from './image-of.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { KeptLedger } from './outdated-jobs.ts';
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
  ledger: KeptLedger,
): Contracted[] {
  const contracts = contractsOf(rendered, records, ledger);
  const entries = Object.values(ledger.all);
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
      const later = contracts.find(
        (entry) => entry.step === step.id && entry.revision > last && !images.includes(entry.image),
      );
      return last === 0 || later === undefined
        ? []
        : [{ step: step.id, instance: step.instance ?? step.id, revision: later.revision, last }];
    });
}

/**
 * The contract steps in the ledger whose effect the data has, and that may remove parts which a
 * rendered site needs: not those of a release all of whose migrations it knows. Data that replaced
 * older data has the effect unless the site knows all its migrations: a contract runs after them.
 */
export function contractsOf(
  rendered: Pick<RenderedSite, 'schemas'>,
  records: readonly Pick<RevisionRecord, 'schemas' | 'revision'>[],
  { all, kept, heads }: KeptLedger,
): LedgerEntry[] {
  const isOlder = ({ step }: LedgerEntry): boolean => {
    const found = heads.get(step);
    const instance = step.split('/')[0]!;
    const known = rendered.schemas?.[instance]?.revisions;
    if (found === undefined || (found.length > 0 && known === undefined)) return false;
    const isNewer = (id: string): boolean =>
      known?.[id] === undefined && records.some((each) => each.schemas?.[instance]?.[id]);
    return found.length === 0 || (found.some((id) => known?.[id]) && !found.some(isNewer));
  };
  const isKnown = ({ step, revision }: LedgerEntry): boolean => {
    const instance = step.split('/')[0]!;
    const known = rendered.schemas?.[instance]?.revisions;
    const theirs = records.find((each) => each.revision === revision)?.schemas?.[instance];
    return (
      known !== undefined &&
      theirs !== undefined &&
      Object.keys(theirs).every((id) => known[id] !== undefined)
    );
  };
  return contractEntries(all)
    .filter(([job, entry]) => !isKnown(entry) && (kept[job] !== undefined || !isOlder(entry)))
    .map(([, entry]) => entry);
}

function contractEntries(ledger: Ledger): [string, LedgerEntry][] {
  return Object.entries(ledger).filter(([, { phase }]) => phase === 'contract');
}

function nameOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/^.*\//, '');
}
