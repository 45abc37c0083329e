import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** True where a folder of `path`, a list as PATH has it, has a program of this name that this user may execute. */
export function onPath(program: string, path = process.env['PATH'] ?? ''): boolean {
  return path.split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
