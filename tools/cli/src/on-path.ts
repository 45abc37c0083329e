import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** True where a folder of `path` has a program of this name. */
export function onPath(program: string, path = process.env['PATH'] ?? ''): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
