import { formatPosition, type Position, type Sha256 } from '#core';
import type { ConstraintOverride } from '#definitions';
import type { Memo } from '#ports';
import { requestDigests, requestHash, type RequestParts } from './request.ts';

/** The request that a lock must answer, and what it is made of. */
export interface ExpectedRequest {
  readonly request: Sha256;
  readonly parts: RequestParts;
}

/**
 * Why a lock that answers `locked` is stale; `undefined` where that is the request of now. The lock has its hash alone, so what
 * changed can be named where the memo saw the lock while it was current, and where it is overrides that were added.
 */
export function staleReason({ request, parts }: ExpectedRequest, locked: Sha256, memo: Memo): string | undefined {
  const current = request === locked;
  const before = memo.recall<Record<string, string>>(`lock-request:3:${locked}`, () => (current ? requestDigests(parts) : {}));
  if (current) return undefined;
  const added = addedOverrides(parts, locked);
  if (added !== undefined) return `${added.map(overrideText).join(' and ')} ${added.length === 1 ? 'was' : 'were'} added since`;
  const now = requestDigests(parts);
  const changed = Object.keys({ ...now, ...before }).filter((part) => before[part] !== now[part]);
  if (Object.keys(before).length > 0 && changed.length > 0) return `changed since: ${changed.map((part) => `${part}${changedAt(part, parts)}`).join(', ')}`;
  return `the definition${overlayText(parts)}, the series or what the parents are locked to has changed since`;
}

/** The overrides without which the lock would be current: one of them, all of one file, or all. */
function addedOverrides(parts: RequestParts, locked: Sha256): readonly ConstraintOverride[] | undefined {
  const { series, definition } = parts;
  if (definition.python === undefined) return undefined;
  const ofFile = Object.values(Object.groupBy(series.overrides, ({ at }) => at?.file ?? '')) as ConstraintOverride[][];
  const candidates = [...series.overrides.map((override) => [override]), ...ofFile, series.overrides];
  return candidates.find(
    (left) =>
      left.length > 0 &&
      requestHash({ ...parts, series: { ...series, overrides: series.overrides.filter((override) => !left.includes(override)) } }) === locked,
  );
}

function overrideText({ requirement, at }: ConstraintOverride): string {
  return `the override ${requirement}${placeText(at)}`;
}

/** Where overlays say something of a part of the request. */
function changedAt(part: string, { definition: { overlaid = [] } }: RequestParts): string {
  const kind = /^the (?:(Debian|Python|Go)\b|source (\S+))/.exec(part);
  const key = kind?.[1]?.toLowerCase() ?? `sources.${kind?.[2]}`;
  const places = overlaid.filter((value) => value.key.startsWith(`${key}.`)).map(({ at }) => formatPosition(at));
  return kind === null || places.length === 0 ? '' : ` (${places.join(', ')})`;
}

/** The overlays of the definition, which are likely to be what is new. */
function overlayText({ definition }: RequestParts): string {
  const files = [...new Set(definition.overlaid?.map(({ at }) => at.file))];
  return files.length === 0 ? '' : ` (also in ${files.join(', ')})`;
}

function placeText(at: Position | undefined): string {
  return at === undefined ? '' : ` (${formatPosition(at)})`;
}
