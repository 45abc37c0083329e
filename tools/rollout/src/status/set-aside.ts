import type { LiveObject } from '#ports';

/** A data folder that lost a decision and stays on the volume of a member. */
export interface SetAside {
  readonly instance: string;
  readonly pod: string;
  readonly name: string;
}

/** The annotation in which a member publishes the names of its folders, joined by commas. */
const SET_ASIDE = 'ccp.openstack.org/set-aside';

/** The data folders that pods have set aside. */
export function setAsideOf(pods: readonly LiveObject[]): SetAside[] {
  return pods.flatMap(({ metadata }) =>
    (metadata.annotations?.[SET_ASIDE] ?? '')
      .split(',')
      .filter((name) => name !== '')
      .map((name) => ({
        instance: metadata.labels?.['app.kubernetes.io/instance'] ?? '',
        pod: metadata.name,
        name,
      })),
  );
}

/** `mariadb-2 has set data aside: aside-...`, with the command that removes it. */
export function setAsideText({ instance, pod, name }: SetAside, site: string): string {
  return `${pod} has set data aside: ${name}; remove it with ccp deploy action run ${site} ${instance} remove-aside --param member=${pod} --param name=${name}`;
}
