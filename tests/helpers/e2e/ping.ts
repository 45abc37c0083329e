import type { EngineSite } from './engine-site.ts';
import type { Namespace } from './namespaces.ts';

const PING = `
import os, socket, struct, sys

def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff

unsigned = struct.pack("!BBHHH", 8, 0, 0, 7, 1) + b"a probe!"
echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
echo.settimeout(3)
echo.sendto(unsigned[:2] + struct.pack("!H", checksum(unsigned)) + unsigned[4:], (sys.argv[1], 0))
try:
    while True:
        answer = echo.recv(1500)[20:]
        if answer[0] == 0:
            sys.exit(0 if answer[4:] == unsigned[4:] else 2)
except TimeoutError:
    sys.exit(1)
`;

/** Exit code of one ping: 0 for a reply, 1 for none within three seconds. */
export async function pingFrom(
  { engine, imageOf }: EngineSite,
  { network }: Namespace,
  address: string,
): Promise<number> {
  return (
    await engine.run({
      image: imageOf('openstack-base'),
      entrypoint: ['python3', '-c', PING, address],
      command: [],
      network,
      capDrop: ['ALL'],
      capAdd: ['NET_RAW'],
    })
  ).exitCode;
}
