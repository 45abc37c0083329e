import { formatPosition, type Position, type Sha256 } from '#core';
import type { ConstraintOverride } from '#definitions';
import type { Memo } from '#ports';
import { requestDigests, requestHash, type RequestParts } from './request.ts';

/** The request that a lock must match, and its parts. */
export interface ExpectedRequest {
  readonly request: Sha256;
  readonly parts: RequestParts;
}

/**
 * Returns why a lock of the request `locked` is out of date; `undefined` if it is up to date. The
 * lock stores only the request's hash, so the changed parts are known only if the memo saw the lock
 * while it was up to date, or if overrides were added.
 */
export function staleReason(
  { request, parts }: ExpectedRequest,
  locked: Sha256,
  memo: Memo,
): string | undefined {
  const current = request === locked;
  const before = memo.recall<Record<string, string>>(`lock-request:4:${locked}`, () =>
    current ? requestDigests(parts) : {},
  );
  if (current) return undefined;
  const added = addedOverrides(parts, locked);
  if (added !== undefined)
    return `${added.map(overrideText).join(' and ')} ${added.length === 1 ? 'was' : 'were'} added`;
  const now = requestDigests(parts);
  const changed = Object.keys({ ...now, ...before }).filter((part) => before[part] !== now[part]);
  if (Object.keys(before).length > 0 && changed.length > 0)
    return `changed inputs: ${changed.map((part) => `${part}${changedAt(part, parts)}`).join(', ')}`;
  return `the definition${overlayText(parts)}, the series or the locked packages of a parent changed`;
}

/**
 * The overrides without which the lock would be up to date: a single one, all of one file, or all.
 */
function addedOverrides(
  parts: RequestParts,
  locked: Sha256,
): readonly ConstraintOverride[] | undefined {
  const { series, definition } = parts;
  if (definition.python === undefined) return undefined;
  const ofFile = Object.values(
    Object.groupBy(series.overrides, ({ at }) => at?.file ?? ''),
  ) as ConstraintOverride[][];
  const candidates = [
    ...series.overrides.map((override) => [override]),
    ...ofFile,
    series.overrides,
  ];
  return candidates.find(
    (left) =>
      left.length > 0 &&
      requestHash({
        ...parts,
        series: {
          ...series,
          overrides: series.overrides.filter((override) => !left.includes(override)),
        },
      }) === locked,
  );
}

function overrideText({ requirement, at }: ConstraintOverride): string {
  return `the override ${requirement}${placeText(at)}`;
}

/** The positions in overlays that set a part of the request. */
function changedAt(part: string, { definition: { overlaid = [] } }: RequestParts): string {
  const kind = /^the (?:(Debian|Python|Go)\b|source (\S+))/.exec(part);
  const key = kind?.[1]?.toLowerCase() ?? `sources.${kind?.[2]}`;
  const places = overlaid
    .filter((value) => value.key.startsWith(`${key}.`))
    .map(({ at }) => formatPosition(at));
  return kind === null || places.length === 0 ? '' : ` (${places.join(', ')})`;
}

/** The definition's overlay files, a likely cause of the change. */
function overlayText({ definition }: RequestParts): string {
  const files = [...new Set(definition.overlaid?.map(({ at }) => at.file))];
  return files.length === 0 ? '' : ` (also in ${files.join(', ')})`;
}

function placeText(at: Position | undefined): string {
  return at === undefined ? '' : ` (${formatPosition(at)})`;
}
