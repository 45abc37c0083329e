import { CcpError, formatPosition } from '#core';
import type { JsonSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import type { AppSpec } from './app-spec.ts';

/** Only the user is read here; the image definition is checked elsewhere. */
const ANY: JsonSchema = {};

/**
 * `app-user` if an app spec and its image.yaml have different users: the image's files would belong
 * to one user while the pod runs as another. `file` is the name of image.yaml for messages.
 */
export function checkImageUser(
  spec: AppSpec,
  { text, file }: { readonly text: string; readonly file: string },
): readonly CcpError[] {
  const { value, position } = parseYaml<{
    readonly user?: { readonly uid?: unknown; readonly gid?: unknown };
  } | null>(text, file, ANY);
  const user = value?.user;
  const { uid, gid } = spec.user;
  if (user?.uid === uid && user.gid === gid) return [];
  const image = user === undefined ? 'root' : `${String(user.uid)}:${String(user.gid)}`;
  return [
    new CcpError({
      code: 'app-user',
      message: `the app runs as ${uid}:${gid}, but its image runs as ${image} (${formatPosition(position(['user']))})`,
      hint: 'set the same uid and gid in both files',
      at: spec.position(['user']),
    }),
  ];
}
