import { CcpError, decodeText } from '#core';
import { manifestParts, readWhole } from '#release';
import { openPlace } from '../registry-place.ts';

const MAX_SITE = 1 << 20;

/**
 * The text of the first layer of an OCI artifact: `HOST[:PORT]/PATH@sha256:...`, as `oras push`
 * writes it. Throws `operator-site-missing` and the errors of the registry.
 */
export async function readSiteArtifact(reference: string): Promise<string> {
  const [path = '', digest = ''] = reference.split('@');
  const { registry, prefix } = await openPlace(path, '--from');
  const manifest = await registry.readManifest(prefix, digest);
  const [layer] = manifest === undefined ? [] : manifestParts(manifest.bytes).layers;
  if (layer === undefined)
    throw new CcpError({
      code: 'operator-site-missing',
      message:
        manifest === undefined
          ? `${reference} does not exist`
          : `${reference} has no layer, so it contains no site.yaml`,
      hint: 'push the file: oras push HOST/PATH site.yaml',
    });
  return decodeText(await readWhole(registry, prefix, layer, MAX_SITE), reference);
}
