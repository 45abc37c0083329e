/** File of a mirror whose time is the mirror's last use, kept to an hour. */
export const MIRROR_MARK = 'HEAD';
