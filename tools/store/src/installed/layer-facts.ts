import type { TarMember, TarSource } from '#formats/tar';
import { readWhole } from '../compare/read-content.ts';
import { removedPath } from '../normalise/whiteouts.ts';
import type { InstalledDebian, InstalledPython } from './types.ts';

/** The packages that one layer adds to an image, and the paths that it removes. */
export interface LayerFacts {
  /** The whole list of dpkg; absent if the layer has no status file. */
  readonly debian?: readonly InstalledDebian[];
  readonly python: readonly InstalledPython[];
  /** Paths whose content in lower layers is removed. */
  readonly removed: readonly string[];
}

const STATUS = 'var/lib/dpkg/status';
/** Metadata of a distribution in a folder of packages; `_vendor` folders have copies of others. */
const METADATA =
  /^(?!usr\/lib\/python3)((?:[^/]+\/)*(?:site|dist)-packages\/[^/]+\.(?:dist-info|egg-info))(?:\/(?:METADATA|PKG-INFO))?$/;

/** Reads the facts from the members of a layer. */
export function layerFacts(members: readonly TarMember[], source: TarSource): LayerFacts {
  const text = (member: TarMember): string => readWhole(source, member).toString();
  let debian: readonly InstalledDebian[] | undefined;
  const python: InstalledPython[] = [];
  const removed: string[] = [];
  for (const member of members) {
    const hidden = removedPath(member.path);
    if (hidden !== undefined) removed.push(hidden);
    if (member.type !== 'file') continue;
    if (member.path === STATUS) debian = readStatus(text(member));
    const path = METADATA.exec(member.path)?.[1];
    if (path !== undefined) python.push(...readMetadata(text(member), path));
  }
  return { ...(debian === undefined ? {} : { debian }), python, removed };
}

/** The installed packages in the text of dpkg's status file. */
function readStatus(text: string): readonly InstalledDebian[] {
  return text.split(/\n{2,}/).flatMap((paragraph) => {
    const fields = fieldsOf(paragraph);
    const [name, version] = [fields.get('package'), fields.get('version')];
    if (name === undefined || version === undefined) return [];
    if (!/ (?:installed|triggers-awaited|triggers-pending)$/.test(fields.get('status') ?? ''))
      return [];
    const [, source, sourceVersion] =
      /^(\S+)(?: \((\S+)\))?$/.exec(fields.get('source') ?? '') ?? [];
    return [
      {
        name,
        version,
        architecture: fields.get('architecture') ?? '',
        ...(source === undefined ? {} : { source }),
        ...(sourceVersion === undefined ? {} : { sourceVersion }),
      },
    ];
  });
}

function readMetadata(text: string, path: string): readonly InstalledPython[] {
  const fields = fieldsOf(text.split(/\r?\n\r?\n/, 1)[0] ?? '');
  const [name, version] = [fields.get('name'), fields.get('version')];
  return name === undefined || version === undefined ? [] : [{ name, version, path }];
}

/** The first value of each field, by lower-case name; continued lines are left out. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^([A-Za-z][A-Za-z-]*):[ \t]*(.*)$/.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key !== undefined && !fields.has(key)) fields.set(key, value.trimEnd());
  }
  return fields;
}
