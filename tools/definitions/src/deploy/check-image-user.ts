import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CcpError, formatPosition } from '#core';
import type { JsonSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import type { AppSpec } from './app-spec.ts';

/** Only the user is looked at: all else is checked where images are read. */
const ANY: JsonSchema = {};

/**
 * `app-user` where an app spec and the image.yaml beside it name different users: the image's files belong to one, the pod
 * runs as the other. Nothing where there is no image.yaml, or none that can be read; reading the images tells that.
 */
export function checkImageUser(root: string, spec: AppSpec): readonly CcpError[] {
  const path = join(root, 'images', spec.name, 'image.yaml');
  if (!existsSync(path)) return [];
  const file = relative(root, path);
  const { value, position } = parseYaml<{ readonly user?: { readonly uid?: unknown; readonly gid?: unknown } } | null>(readFileSync(path, 'utf8'), file, ANY);
  const user = value?.user;
  const { uid, gid } = spec.user;
  if (user?.uid === uid && user.gid === gid) return [];
  const image = user === undefined ? 'root' : `${String(user.uid)}:${String(user.gid)}`;
  return [
    new CcpError({
      code: 'app-user',
      message: `the app runs as ${uid}:${gid}, its image as ${image} (${formatPosition(position(['user']))})`,
      hint: 'give both the same uid and gid',
      at: spec.position(['user']),
    }),
  ];
}
