/** File of a mirror whose modification time is the mirror's last use, to the hour. */
export const MIRROR_MARK = 'HEAD';
