import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Unmounts file systems below `folder` that a killed engine left mounted, the deepest first.
 * Failures are ignored: removing the folder reports them.
 */
export function releaseMounts(folder: string): void {
  for (const path of mountsBelow(folder, readFileSync('/proc/self/mountinfo', 'utf8')))
    spawnSync('umount', ['--lazy', path], { stdio: 'ignore' });
}

/** Mount points at or below `folder`, the deepest first, from mountinfo (proc_pid_mountinfo(5)). */
export function mountsBelow(folder: string, mountinfo: string): readonly string[] {
  const points = mountinfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined
      ? []
      : [
          point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
            String.fromCharCode(Number.parseInt(octal, 8)),
          ),
        ];
  });
  return points
    .filter((point) => point === folder || point.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length);
}
