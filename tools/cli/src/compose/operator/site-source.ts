import { CcpError, digestOf } from '#core';
import type { Site } from '#definitions';
import { parseSite } from '#definitions/deploy';
import type { SiteRequest, SiteSource, SourcedSite } from '#operator';
import { findSet, publicKeyOf, setMissing, trustedSet, type FoundSet } from '#release';
import { bind, boundOrThrow, render } from '#site';
import { conflictRules } from '../deploy/conflict-rules.ts';
import { parseSetAppSpecs } from '../deploy/site-app-specs.ts';
import { openPlace } from '../registry-place.ts';
import { readSiteArtifact } from './site-artifact.ts';

/** Sites that are kept rendered: a pass without a change reads no registry. */
const KEPT = 32;

/**
 * The source of sites of `ccp operator run`: sets and sites of registries, by digest. The app specs
 * are those of the set. Equal requests are answered from memory.
 */
export function registrySource(): SiteSource {
  const known = new Map<string, SourcedSite>();
  return async (request) => {
    const key = JSON.stringify(request);
    const found = known.get(key) ?? (await readSourced(request));
    known.delete(key);
    known.set(key, found);
    for (const oldest of [...known.keys()].slice(0, -KEPT)) known.delete(oldest);
    return found;
  };
}

async function readSourced({ name, set, site: from }: SiteRequest): Promise<SourcedSite> {
  const { text, file } =
    'artifact' in from
      ? { text: await readSiteArtifact(from.artifact), file: from.artifact }
      : from;
  const site = parseSite(text, file, name);
  const keys = (set.keys ?? []).map((pem, index) => publicKeyOf(pem, `spec.set.keys[${index}]`));
  if (keys.length === 0 && site.keys !== undefined)
    throw new CcpError({
      code: 'untrusted',
      message: `the site names keys, but spec.set.keys is empty`,
      hint: 'copy the public keys of the site into spec.set.keys',
    });
  const place = await openPlace(set.registry, '--from');
  const found: FoundSet | undefined =
    keys.length === 0
      ? await findSet(place, set.digest)
      : await trustedSet(place, set.digest, keys);
  if (found === undefined) throw setMissing(place, set.digest);
  const label = `${set.registry}@${digestOf(found.text).slice(0, 19)}`;
  const input = { site, appSpecs: specsOf(site, found, label), imageSet: found.set };
  return {
    name,
    namespace: site.namespace,
    rendered: render(boundOrThrow(bind(input))),
    rules: conflictRules({}, site),
  };
}

/** The app specs of a site; all of the set if it names an unknown one, for the nearest name. */
function specsOf({ apps }: Site, { set }: FoundSet, label: string) {
  const stored = set.images.flatMap(({ name, app }) => (app === undefined ? [] : [{ name, app }]));
  if (stored.length === 0)
    throw new CcpError({
      code: 'image-set-invalid',
      message: `${label} has no app specs`,
      hint: 'publish a set of format 2, built by a newer version of ccp',
    });
  const wanted = new Set(Object.entries(apps).map(([name, { app = name }]) => app));
  const isKnown = [...wanted].every((app) => stored.some(({ name }) => name === app));
  return parseSetAppSpecs(
    stored.filter(({ name }) => !isKnown || wanted.has(name)),
    label,
  );
}
