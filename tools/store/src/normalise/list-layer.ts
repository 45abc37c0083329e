import { omitUndefined } from '#core';
import type { TarMember, TarSource } from '#formats/tar';
import type { LayerListing, LayerMember } from '#ports';

const ELF = Buffer.from('\u007fELF');
const ACCOUNTS = 'etc/passwd';
/** Maximum size of `ACCOUNTS`, in bytes; a larger file is not read. */
const MAX_ACCOUNTS = 1 << 20;
const TYPES = { file: 'f', link: 'f', directory: 'd', symlink: 'l', fifo: 'p' } as const;

/** The listing of a canonical layer with its content in `source`. */
export function listLayer(members: readonly TarMember[], source: TarSource): LayerListing {
  const byPath = new Map(members.map((member) => [member.path, member]));
  const inodeOf = (member: TarMember): TarMember =>
    member.type === 'link' ? byPath.get(member.target)! : member;
  const accounts = byPath.get(ACCOUNTS);
  const users = accounts === undefined ? undefined : linesOf(inodeOf(accounts), source);
  return {
    members: members.map((member): LayerMember => ({
      path: member.path,
      type: TYPES[member.type],
      mode: member.mode,
      elf: isElf(inodeOf(member), source),
      target: member.type === 'symlink' ? member.target : '',
    })),
    ...omitUndefined({ users }),
  };
}

function isElf({ type, segments: [first] }: TarMember, source: TarSource): boolean {
  if (type !== 'file' || first?.at !== 0 || first.length < ELF.length) return false;
  return source.read(first.from, ELF.length).equals(ELF);
}

/** Undefined for another type, and for a file that is large or has holes. */
function linesOf(
  { type, size, segments: [first] }: TarMember,
  source: TarSource,
): readonly string[] | undefined {
  if (type !== 'file' || size > MAX_ACCOUNTS) return undefined;
  if (size === 0) return [];
  if (first?.at !== 0 || first.length !== size) return undefined;
  return source.read(first.from, size).toString().split('\n');
}
