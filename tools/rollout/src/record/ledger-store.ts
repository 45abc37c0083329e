import { CcpError } from '#core';
import { asKind, type Cluster } from '#ports';
import { FIELD_MANAGER } from '#site';
import type { SiteName } from '../session/site-name.ts';
import { ENTRY, parseShape } from './record-shape.ts';
import { isOvertaken, orderOf, type Ledger, type LedgerEntry } from './ledger.ts';

/** Maximum entries; a ConfigMap is limited to 1 MiB, an entry is about 300 bytes. */
const MOST = 1000;

/**
 * The ledger of a site, from its ConfigMap. Throws `deploy-record-invalid` if it cannot be parsed.
 */
export async function readLedger(cluster: Cluster, site: SiteName): Promise<Ledger> {
  const found = await cluster.get({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: ledgerName(site),
    namespace: site.namespace,
  });
  const { data = {} } = asKind('ConfigMap', found) ?? {};
  try {
    return Object.fromEntries(
      Object.entries(data).map(([job, text]) => [job, parseShape(text, ENTRY) as LedgerEntry]),
    );
  } catch (error) {
    const message = `the ConfigMap ${ledgerName(site)} does not contain a valid ledger: ${(error as Error).message}`;
    throw new CcpError({
      code: 'deploy-record-invalid',
      message,
      hint: 'delete this ConfigMap: every Job then runs once more, which is safe',
      cause: error,
    });
  }
}

/** Returns a writer that serialises its calls; existing entries are not written again. */
export function ledgerWriter(
  cluster: Cluster,
  site: SiteName,
  start: Ledger,
): (job: string, entry: LedgerEntry) => Promise<void> {
  let ledger = start;
  let before: Promise<unknown> = Promise.resolve();
  const write = async (job: string, entry: LedgerEntry): Promise<void> => {
    if (ledger[job] !== undefined && !isOvertaken(ledger, job)) return;
    const order = Math.max(0, ...Object.values(ledger).map(orderOf)) + 1;
    const newest = Object.entries({ ...ledger, [job]: { ...entry, order } })
      .sort(([, a], [, b]) => orderOf(b) - orderOf(a) || b.revision - a.revision)
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

/** Removes Jobs from the ledger. */
export async function dropEntries(
  cluster: Cluster,
  site: SiteName,
  jobs: readonly string[],
): Promise<void> {
  const ledger = await readLedger(cluster, site);
  const left = Object.fromEntries(Object.entries(ledger).filter(([job]) => !jobs.includes(job)));
  if (Object.keys(left).length < Object.keys(ledger).length) await writeLedger(cluster, site, left);
}

async function writeLedger(cluster: Cluster, site: SiteName, ledger: Ledger): Promise<void> {
  const data = Object.fromEntries(
    Object.entries(ledger).map(([name, value]) => [name, JSON.stringify(value)]),
  );
  const metadata = {
    name: ledgerName(site),
    namespace: site.namespace,
    labels: { 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/managed-by': 'ccp' },
  };
  await cluster.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
    { fieldManager: FIELD_MANAGER, force: true },
  );
}

/** Name of the ConfigMap with a site's ledger. */
function ledgerName(site: Pick<SiteName, 'name'>): string {
  return `ccp-${site.name}-ledger`;
}
