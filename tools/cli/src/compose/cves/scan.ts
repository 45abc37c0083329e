import {
  applyDecisions,
  CVE_STATES,
  DEFAULT_FAIL,
  findCves,
  parseVexText,
  type CveData,
  type CveState,
  type Finding,
  type ReadPolicy,
  type VexStatement,
} from '#cves';
import type { CveAnswer, PlacedFinding } from '../../report/cve-text.ts';
import type { DataFlags } from './cve-data.ts';
import type { ScannedImages } from './images-to-scan.ts';
import { readGivenText, readPolicy } from '../statements/read-policy.ts';
import type { RunningImages } from './running-images.ts';

/** Flags of data and decisions. */
export interface CveFlags extends DataFlags {
  readonly policy?: string;
  readonly vex?: readonly string[];
}

/** Findings after decisions, with everything that the report needs. */
export interface Scan {
  readonly findings: readonly Finding[];
  readonly unchecked: readonly string[];
  readonly unused: readonly string[];
  readonly expired: readonly string[];
}

/** The decisions that `--policy` and `--vex` name. */
export interface GivenDecisions {
  readonly policy: ReadPolicy | undefined;
  readonly vex: readonly VexStatement[];
}

/** Reads the named decisions. Throws `yaml-invalid` and `cve-data-invalid` with the file. */
export function readDecisions({ policy, vex = [] }: CveFlags): GivenDecisions {
  return {
    policy: policy === undefined ? undefined : readPolicy(policy),
    vex: vex.flatMap((file) => parseVexText(readGivenText(file), file)),
  };
}

/** Finds the vulnerabilities of images, and applies decisions. `today` is like `2026-11-30`. */
export function scanImages(
  { images, unchecked }: Pick<ScannedImages, 'images' | 'unchecked'>,
  data: CveData,
  { policy, vex }: GivenDecisions,
  today: string,
): Scan {
  const report = findCves(images, data);
  const decided = applyDecisions(report.findings, images, vex, policy, today);
  return { ...decided, unchecked: [...unchecked, ...report.unchecked] };
}

/** The answer of `ccp cves`; findings that do not affect the images are in it with `all`. */
export function answerOf(
  scanned: ScannedImages,
  { findings, unchecked, unused, expired }: Scan,
  policy: ReadPolicy | undefined,
  sites: readonly RunningImages[],
  all: boolean,
): CveAnswer {
  const summary = Object.fromEntries(
    CVE_STATES.map((state) => [state, findings.filter((each) => each.state === state).length]),
  ) as Record<CveState, number>;
  const fail = policy?.policy.fail ?? DEFAULT_FAIL;
  return {
    title: scanned.title,
    images: scanned.images.length,
    policy: {
      ...(policy === undefined ? {} : { file: policy.file }),
      fail,
      failed: fail.filter((state) =>
        state === 'unchecked' ? unchecked.length > 0 : summary[state] > 0,
      ),
      unused,
      expired,
    },
    summary,
    findings: findings
      .filter(({ state }) => all || state !== 'not-affected')
      .map((each) => placed(each, scanned, sites)),
    unchecked,
  };
}

function placed(
  { packages, images, ...finding }: Finding,
  { locks }: ScannedImages,
  sites: readonly RunningImages[],
): PlacedFinding {
  const lines = images.flatMap(({ digest }) => {
    const place = locks.get(digest);
    return packages.map((item) => place?.lines.find(place.entry, item));
  });
  const digests = new Set<string>(images.map(({ digest }) => digest));
  return {
    ...finding,
    packages: [...new Set(packages.map((item) => item.name))],
    images: images.map(({ image }) => image),
    locks: [...new Set(lines.filter((line) => line !== undefined))].sort(),
    sites: sites
      .filter((site) => Object.values(site.images).some((digest) => digests.has(digest)))
      .map(({ site }) => site)
      .sort(),
  };
}
