import { CcpError } from '#core';
import type { Cluster } from '#ports';
import type { SiteName } from '../live/read-live.ts';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import { isOvertaken, type Ledger, type LedgerEntry } from './ledger.ts';

/** Entries that are kept; a ConfigMap holds 1 MiB, an entry takes some 300 bytes. */
const MOST = 1000;

/** What has been done in a site, from its ConfigMap. Raises `deploy-record-invalid` where that is not what we wrote. */
export async function readLedger(cluster: Cluster, site: SiteName): Promise<Ledger> {
  const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', name: ledgerName(site), namespace: site.namespace });
  const data = (found?.['data'] ?? {}) as Readonly<Record<string, string>>;
  try {
    return Object.fromEntries(Object.entries(data).map(([job, text]) => [job, JSON.parse(text) as LedgerEntry]));
  } catch (error) {
    const message = `the ConfigMap ${ledgerName(site)} does not hold what was done: ${(error as Error).message}`;
    throw new CcpError({ code: 'deploy-record-invalid', message, hint: 'delete it: every job is then run once more, which they are made for', cause: error });
  }
}

/** Writes entries one call after the other, whoever asks; what is there already is not written again. */
export function ledgerWriter(cluster: Cluster, site: SiteName, start: Ledger): (job: string, entry: LedgerEntry) => Promise<void> {
  let ledger = start;
  let before: Promise<unknown> = Promise.resolve();
  const write = async (job: string, entry: LedgerEntry): Promise<void> => {
    if (ledger[job] !== undefined && !isOvertaken(ledger, job)) return;
    const newest = Object.entries({ ...ledger, [job]: entry })
      .sort(([, a], [, b]) => (a.at < b.at ? 1 : -1))
      .slice(0, MOST);
    ledger = Object.fromEntries(newest.sort(([a], [b]) => (a < b ? -1 : 1)));
    await writeLedger(cluster, site, ledger);
  };
  return (job, entry) => {
    const mine = before.then(() => write(job, entry));
    before = mine.catch(() => undefined);
    return mine;
  };
}

/** Forgets that Jobs were done. */
export async function dropEntries(cluster: Cluster, site: SiteName, jobs: readonly string[]): Promise<void> {
  const ledger = await readLedger(cluster, site);
  const left = Object.fromEntries(Object.entries(ledger).filter(([job]) => !jobs.includes(job)));
  if (Object.keys(left).length < Object.keys(ledger).length) await writeLedger(cluster, site, left);
}

async function writeLedger(cluster: Cluster, site: SiteName, ledger: Ledger): Promise<void> {
  const data = Object.fromEntries(Object.entries(ledger).map(([name, value]) => [name, JSON.stringify(value)]));
  const metadata = {
    name: ledgerName(site),
    namespace: site.namespace,
    labels: { 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/managed-by': 'ccp' },
  };
  await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { fieldManager: FIELD_MANAGER, force: true });
}

/** Name of the ConfigMap with a site's ledger. */
function ledgerName(site: Pick<SiteName, 'name'>): string {
  return `ccp-${site.name}-ledger`;
}
