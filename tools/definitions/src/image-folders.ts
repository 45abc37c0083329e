import { readdirSync, type Dirent } from 'node:fs';
import { CcpError, isImageName, nearest, reading, type ImageName } from '#core';
import type { WorkspaceLayer } from './workspace-layers.ts';

/** Where an image is defined: the layer of its image.yaml, and those above that have an overlay.yaml for it, by index. */
export interface ImagePlace {
  readonly name: ImageName;
  readonly layer: number;
  readonly overlays: readonly number[];
  /** Layers that have patches for it, by index; what an image's own layer has is known by its definition alone. */
  readonly patches: readonly number[];
}

/** What the folder of an image may hold in a workspace that overlays the image's. */
const PARTS = ['overlay.yaml', 'patches', 'lock', 'app.yaml'];

/**
 * The images of all layers, in order of their names. Folders that start with `_` or `.` are shared parts. Findings go to `refuse`:
 * what is no folder or no image name, an image that a lower layer has, an overlay of an image that none has.
 */
export function listImages(layers: readonly WorkspaceLayer[], refuse: (finding: CcpError) => void): readonly ImagePlace[] {
  const places = new Map<string, ImagePlace>();
  for (const [layer, { root, name: file, overlay }] of layers.entries()) {
    for (const entry of listFolder(root, overlay !== undefined)) {
      const { name } = entry;
      if (name.startsWith('_') || name.startsWith('.') || entry.isFile()) continue;
      const folder = file('images', name);
      const finding = folderFinding(entry, folder);
      if (finding !== undefined) refuse(finding);
      else if (layer === 0) places.set(name, { name: name as ImageName, layer, overlays: [], patches: [] });
      else {
        const parts = reading(folder, () => readdirSync(`${root}/images/${name}`));
        const place = placeIn(layer, name as ImageName, parts, folder, places);
        if (place instanceof CcpError) refuse(place);
        else places.set(name, place);
      }
    }
  }
  return [...places.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function placeIn(layer: number, name: ImageName, parts: readonly string[], folder: string, places: ReadonlyMap<string, ImagePlace>): ImagePlace | CcpError {
  const below = places.get(name);
  const refuse = (message: string, hint: string, file = folder): CcpError => new CcpError({ code: 'overlay-invalid', message, hint, at: { file } });
  if (below === undefined) {
    if (parts.includes('image.yaml') && parts.includes('overlay.yaml'))
      return refuse(
        `${folder}/overlay.yaml would never be read: the image is defined beside it`,
        'write into image.yaml what it says',
        `${folder}/overlay.yaml`,
      );
    if (parts.includes('image.yaml') || !parts.some((part) => PARTS.includes(part)))
      return { name, layer, overlays: [], patches: parts.includes('patches') ? [layer] : [] };
    const meant = nearest(name, [...places.keys()]);
    return refuse(`the base has no image ${name}`, `${meant === undefined ? '' : `did you mean "${meant}"? `}an image of your own needs image.yaml`);
  }
  if (parts.includes('image.yaml'))
    return refuse(`the base has an image ${name} already`, 'say what you change in overlay.yaml, or name yours otherwise', `${folder}/image.yaml`);
  const other = parts.find((part) => !PARTS.includes(part));
  if (other !== undefined)
    return refuse(`${folder}/${other} would never be read: the image is the base's`, `the folder may hold ${PARTS.join(', ')}`, `${folder}/${other}`);
  const including = (part: string, known: readonly number[]): readonly number[] => (parts.includes(part) ? [...known, layer] : known);
  return { ...below, overlays: including('overlay.yaml', below.overlays), patches: including('patches', below.patches) };
}

function listFolder(root: string, optional: boolean): readonly Dirent[] {
  try {
    return readdirSync(`${root}/images`, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    if (optional) return [];
    throw new CcpError({
      code: 'workspace-missing',
      message: `${root} holds no images folder that can be read`,
      hint: 'run the command inside a repository of image definitions',
      cause,
    });
  }
}

function folderFinding(entry: Dirent, file: string): CcpError | undefined {
  if (!entry.isDirectory()) {
    return new CcpError({ code: 'definition-invalid', message: `${file} is not a folder`, hint: 'an image is a folder, not a link to one', at: { file } });
  }
  if (isImageName(entry.name)) return undefined;
  const hint = 'use lower-case letters, digits and single dashes, at most 63 characters; a folder of shared parts starts with _';
  return new CcpError({ code: 'definition-invalid', message: `${file}: ${JSON.stringify(entry.name)} is not an image name`, hint, at: { file } });
}
