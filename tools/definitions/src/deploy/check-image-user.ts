import { CcpError, formatPosition } from '#core';
import type { JsonSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import type { AppSpec } from './app-spec.ts';

/** Only the user is looked at: all else is checked where images are read. */
const ANY: JsonSchema = {};

/**
 * `app-user` where an app spec and the image.yaml beside it name different users: the image's files belong to one, the pod
 * runs as the other. `file` is the image.yaml's name for messages.
 */
export function checkImageUser(spec: AppSpec, { text, file }: { readonly text: string; readonly file: string }): readonly CcpError[] {
  const { value, position } = parseYaml<{ readonly user?: { readonly uid?: unknown; readonly gid?: unknown } } | null>(text, file, ANY);
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
