import { execFileSync } from 'node:child_process';

/** A member of a test tar; defaults are empty, zero, mode 0644 and a time in 2001. */
export interface FixtureMember {
  readonly name: string;
  readonly type: 'file' | 'link' | 'symlink' | 'character' | 'directory' | 'fifo';
  readonly content?: string;
  readonly target?: string;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly mtime?: number;
  readonly owner?: string;
  readonly major?: number;
  readonly minor?: number;
  /** Values with one character per byte. */
  readonly xattrs?: Readonly<Record<string, string>>;
}

/**
 * Options of a test tar: seconds added to times after 2025, the name of all owners, GNU headers.
 */
export interface FixtureOptions {
  readonly shift?: number;
  readonly owner?: string;
  readonly format?: 'gnu' | 'pax';
}

const WRITER = `
import io, json, sys, tarfile
request = json.load(sys.stdin)
kinds = dict(file=tarfile.REGTYPE, link=tarfile.LNKTYPE, symlink=tarfile.SYMTYPE, character=tarfile.CHRTYPE, directory=tarfile.DIRTYPE, fifo=tarfile.FIFOTYPE)
out = io.BytesIO()
with tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT, encoding='utf-8') as tar:
    for member in request['members']:
        info = tarfile.TarInfo(member['name'])
        info.type = kinds[member['type']]
        info.linkname = member.get('target', '')
        info.mode = member.get('mode', 0o644)
        info.uid, info.gid = member.get('uid', 0), member.get('gid', 0)
        info.uname = info.gname = request['owner'] or member.get('owner', '')
        info.mtime = member.get('mtime', 1000000000)
        if info.mtime > 1767225600: info.mtime += request['shift']
        info.devmajor, info.devminor = member.get('major', 0), member.get('minor', 0)
        info.pax_headers = {'SCHILY.xattr.' + k: v.encode('latin-1').decode('utf-8', 'surrogateescape') for k, v in member.get('xattrs', {}).items()}
        content = member.get('content', '').encode()
        info.size = len(content)
        form = tarfile.GNU_FORMAT if request['format'] == 'gnu' and not info.pax_headers else tarfile.PAX_FORMAT
        out.write(info.tobuf(form, 'utf-8', 'surrogateescape'))
        out.write(content + bytes(-len(content) % 512))
    out.write(bytes(10240))
sys.stdout.buffer.write(out.getvalue())
`;

const written = new Map<string, Buffer>();

/**
 * A tar written by Python's tarfile, which is independent of the tested code; cached by its input.
 */
export function fixtureTar(
  members: readonly FixtureMember[],
  options: FixtureOptions = {},
): Buffer {
  const { shift = 0, owner = '', format = 'pax' } = options;
  const input = JSON.stringify({ members, shift, owner, format });
  const tar =
    written.get(input) ??
    execFileSync('python3', ['-I', '-S', '-c', WRITER], { input, maxBuffer: 1 << 26 });
  written.set(input, tar);
  return Buffer.from(tar);
}
