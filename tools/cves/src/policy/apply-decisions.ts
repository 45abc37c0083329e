import { sortFindings } from '../sort-findings.ts';
import type {
  Finding,
  FoundIn,
  ImagePackage,
  ImagePackages,
  Verdict,
  VexStatement,
} from '../types.ts';
import { barePurl } from '../bare-purl.ts';
import { appliesTo, type Decision, type ReadPolicy } from './policy.ts';

/** Findings after decisions. */
export interface Decided {
  readonly findings: readonly Finding[];
  /** Places and names of decisions that change nothing. */
  readonly unused: readonly string[];
  /** Places and names of accepted risks that expired before `today`. */
  readonly expired: readonly string[];
}

/**
 * Applies statements of publishers, then `vex`, then the decisions of a policy: the last one about
 * a finding wins. A finding is split if a decision is about some of its images. `today` is a date
 * like `2026-11-30`.
 */
export function applyDecisions(
  findings: readonly Finding[],
  images: readonly ImagePackages[],
  vex: readonly VexStatement[],
  policy: ReadPolicy | undefined,
  today: string,
): Decided {
  const decisions = policy?.policy.decisions ?? [];
  const published = new Map(images.map((each) => [each.digest, each.vex ?? []]));
  const used = new Set<Decision>();
  const old = new Set<Decision>();
  const verdictFor = (finding: Finding, { image, digest }: FoundIn): Verdict | undefined => {
    if (finding.state === 'not-affected') return undefined;
    const names = [finding.cve, ...finding.aliases];
    for (const decision of decisions) {
      if (!appliesTo(decision, names, finding, image)) continue;
      used.add(decision);
      const { status, reason, expires, justification } = decision;
      if (expires !== undefined && expires < today) old.add(decision);
      else
        return {
          state: status,
          why:
            status === 'accepted'
              ? `accepted until ${expires}: ${reason}`
              : `${justification}: ${reason}`,
        };
    }
    const statement = [...(published.get(digest) ?? []), ...vex].findLast((each) =>
      isAbout(each, names, finding, digest),
    );
    return statement === undefined || !closes(statement)
      ? undefined
      : { state: 'not-affected', why: `OpenVEX: ${statement.why}` };
  };
  const decided = findings.flatMap((finding) => split(finding, verdictFor));
  const title = (decision: Decision): string => {
    const { file, line } = policy!.position(decisions.indexOf(decision));
    return `${file}:${line}: ${decision.cve} of ${decision.package}`;
  };
  return {
    findings: sortFindings(decided),
    unused: decisions.filter((each) => !used.has(each)).map(title),
    expired: [...old].map((each) => `${title(each)}, accepted until ${each.expires}`),
  };
}

function closes({ status }: VexStatement): boolean {
  return status === 'not_affected' || status === 'fixed';
}

/**
 * True if a statement is about a finding in an image: a closing one about all packages of the
 * finding, any other one about one of them.
 */
function isAbout(
  statement: VexStatement,
  names: readonly string[],
  finding: Finding,
  digest: string,
): boolean {
  const { names: known, digests, packages } = statement;
  const isNamed = ({ purl }: ImagePackage): boolean => packages.includes(barePurl(purl));
  return (
    known.some((name) => names.includes(name)) &&
    (digests.length > 0 || packages.length > 0) &&
    (digests.length === 0 || digests.includes(digest)) &&
    (packages.length === 0 ||
      (closes(statement) ? finding.packages.every(isNamed) : finding.packages.some(isNamed)))
  );
}

/** A finding, split by the verdicts for its images. */
function split(
  finding: Finding,
  verdictFor: (finding: Finding, image: FoundIn) => Verdict | undefined,
): readonly Finding[] {
  const parts = new Map<string, { readonly verdict: Verdict | undefined; images: FoundIn[] }>();
  for (const image of finding.images) {
    const verdict = verdictFor(finding, image);
    const key = JSON.stringify(verdict) ?? '';
    const part = parts.get(key) ?? { verdict, images: [] };
    part.images.push(image);
    parts.set(key, part);
  }
  return [...parts.values()].map(({ verdict, images }) => ({ ...finding, ...verdict, images }));
}
