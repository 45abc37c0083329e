import { readdirSync, type Dirent } from 'node:fs';
import { CcpError, isImageName, nearest, reading, type ImageName } from '#core';
import type { WorkspaceLayer } from './workspace-layers.ts';

/**
 * Where an image is defined: indexes of the layer with its image.yaml and of upper layers with an
 * overlay.yaml.
 */
export interface ImagePlace {
  readonly name: ImageName;
  readonly layer: number;
  readonly overlays: readonly number[];
  /**
   * Indexes of upper layers with patches; patches of the image's own layer are listed in its
   * definition.
   */
  readonly patches: readonly number[];
}

/** Allowed files and folders in an image folder of an overlay. */
const PARTS = ['overlay.yaml', 'patches', 'lock', 'app.yaml', 'config'];

/**
 * The images of all layers, sorted by name. Folders that start with `_` or `.` contain shared
 * files. Reports to `refuse`: entries that are not folders, invalid image names, images that a
 * lower layer defines, overlays of unknown images.
 */
export function listImages(
  layers: readonly WorkspaceLayer[],
  refuse: (finding: CcpError) => void,
): readonly ImagePlace[] {
  const places = new Map<string, ImagePlace>();
  for (const [layer, { root, name: file, overlay }] of layers.entries()) {
    for (const entry of listFolder(root, overlay !== undefined)) {
      const { name } = entry;
      if (name.startsWith('_') || name.startsWith('.') || entry.isFile()) continue;
      const folder = file('images', name);
      const finding = folderFinding(entry, folder);
      if (finding !== undefined) refuse(finding);
      else if (layer === 0)
        places.set(name, { name: name as ImageName, layer, overlays: [], patches: [] });
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

function placeIn(
  layer: number,
  name: ImageName,
  parts: readonly string[],
  folder: string,
  places: ReadonlyMap<string, ImagePlace>,
): ImagePlace | CcpError {
  const below = places.get(name);
  const refuse = (message: string, hint: string, file = folder): CcpError =>
    new CcpError({ code: 'overlay-invalid', message, hint, at: { file } });
  if (below === undefined) {
    if (parts.includes('image.yaml') && parts.includes('overlay.yaml'))
      return refuse(
        `${folder}/overlay.yaml is not used: image.yaml in the same folder defines the image`,
        'move its content to image.yaml',
        `${folder}/overlay.yaml`,
      );
    if (parts.includes('image.yaml') || !parts.some((part) => PARTS.includes(part)))
      return { name, layer, overlays: [], patches: parts.includes('patches') ? [layer] : [] };
    const meant = nearest(name, [...places.keys()]);
    return refuse(
      `the base has no image ${name}`,
      `${meant === undefined ? '' : `did you mean "${meant}"? `}a new image needs image.yaml`,
    );
  }
  if (parts.includes('image.yaml'))
    return refuse(
      `the image ${name} already exists in the base`,
      'write the changes to overlay.yaml, or choose another name',
      `${folder}/image.yaml`,
    );
  const other = parts.find((part) => !PARTS.includes(part));
  if (other !== undefined)
    return refuse(
      `${folder}/${other} is not used: the image is defined in the base`,
      `the folder can contain ${PARTS.join(', ')}`,
      `${folder}/${other}`,
    );
  const including = (part: string, known: readonly number[]): readonly number[] =>
    parts.includes(part) ? [...known, layer] : known;
  return {
    ...below,
    overlays: including('overlay.yaml', below.overlays),
    patches: including('patches', below.patches),
  };
}

function listFolder(root: string, optional: boolean): readonly Dirent[] {
  try {
    return readdirSync(`${root}/images`, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  } catch (cause) {
    if (optional) return [];
    throw new CcpError({
      code: 'workspace-missing',
      message: `${root} has no readable folder "images"`,
      hint: 'run the command inside a repository of image definitions',
      cause,
    });
  }
}

function folderFinding(entry: Dirent, file: string): CcpError | undefined {
  if (!entry.isDirectory()) {
    return new CcpError({
      code: 'definition-invalid',
      message: `${file} is not a folder`,
      hint: 'use a folder, not a link',
      at: { file },
    });
  }
  if (isImageName(entry.name)) return undefined;
  const hint =
    'use lower-case letters, digits and single dashes, at most 63 characters; the name of a folder with shared files starts with _';
  return new CcpError({
    code: 'definition-invalid',
    message: `${file}: ${JSON.stringify(entry.name)} is not an image name`,
    hint,
    at: { file },
  });
}
