import { omitUndefined } from '#core';
import type { LayerListing, LayerMember } from '#ports';

/** The listing of a layer with these members and the directories above them, for tests. */
export function listingOf(
  members: Readonly<Record<string, Partial<LayerMember>>>,
  users?: readonly string[],
): LayerListing {
  const all = new Map<string, LayerMember>();
  for (const [path, member] of Object.entries(members)) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (!all.has(folder))
        all.set(folder, { path: folder, type: 'd', mode: 0o755, elf: false, target: '' });
    }
    all.set(path, { path, type: 'f', mode: 0o644, elf: false, target: '', ...member });
  }
  return { members: [...all.values()], ...omitUndefined({ users }) };
}
