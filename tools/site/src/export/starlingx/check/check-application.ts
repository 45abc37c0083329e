import { checkCharts } from './check-charts.ts';
import { checkChecksums } from './check-checksums.ts';
import { checkImages } from './check-images.ts';
import { checkManifests } from './check-manifests.ts';
import { checkMetadata } from './check-metadata.ts';
import { Findings, type ApplicationFinding } from './findings.ts';
import { readApplication, type ApplicationContent } from './read-application.ts';

/** The result of a check of a tarball. */
export interface CheckedApplication {
  readonly findings: readonly ApplicationFinding[];
  /** Absent if the tarball cannot be unpacked. */
  readonly content?: ApplicationContent;
  readonly name?: string;
  readonly version?: string;
  /** The content of metadata.yaml, if it is a mapping. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** `NAME VERSION` of each chart. */
  readonly charts: readonly string[];
}

/**
 * Checks a tarball by the rules of StarlingX's system inventory, as its sources of mid-2026 have
 * them. `file` is its name. Helm's own checks of charts are not among them.
 */
export async function checkApplication(
  file: string,
  tarball: Uint8Array,
): Promise<CheckedApplication> {
  const found = new Findings();
  if (!/\.(?:tgz|tar\.gz)$/.test(file))
    found.error('file-name', '', 'its name does not end with .tgz or .tar.gz', 'rename it');
  const content = await readApplication(tarball, found);
  if (content === undefined) return { findings: found.all, charts: [] };
  const metadata = checkMetadata(content, found);
  checkChecksums(content, found);
  const charts = checkCharts(content, found);
  checkImages(checkManifests(content, charts, found), found);
  const text = (key: string): string | undefined =>
    typeof metadata?.[key] === 'string' ? metadata[key] : undefined;
  const [name, version] = [text('app_name'), text('app_version')];
  return {
    findings: found.all,
    content,
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(metadata === undefined ? {} : { metadata }),
    charts: charts.map((chart) => `${chart.name} ${chart.version}`),
  };
}
