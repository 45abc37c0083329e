import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerRunner, RunningContainer } from '#ports';

/**
 * Serves the only Kubernetes API request of a site's first job, over TLS like a cluster: Secrets
 * are created, never read. Copies are in the namespace of node agents.
 */
const SERVER = `
import datetime, http.server, ipaddress, json, pathlib, ssl
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ACCOUNT = pathlib.Path("/account")
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "api")])
now = datetime.datetime.now(datetime.timezone.utc)
certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(hours=12))
    .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    .add_extension(x509.KeyUsage(True, False, False, False, False, True, False, False, False), critical=True)
    .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
    .sign(key, hashes.SHA256()))
pem = certificate.public_bytes(serialization.Encoding.PEM)
secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
pathlib.Path("/tmp/api.pem").write_bytes(secret + pem)

HOMES = {"/api/v1/namespaces/openstack/secrets": "made", "/api/v1/namespaces/openstack-node/secrets": "copied"}

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        file = ACCOUNT / HOMES.get(self.path, "made") / body["metadata"]["name"]
        allowed = self.headers["Authorization"] == "Bearer the-token" and self.path in HOMES
        status = 403 if not allowed else 409 if file.exists() else 201
        if status == 201:
            file.write_text(json.dumps(body))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

server = http.server.HTTPServer(("127.0.0.1", 6443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/tmp/api.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
(ACCOUNT / "ca.crt").write_bytes(pem)
server.serve_forever()
`;

/** A fake API server for the job that creates Secrets. */
export interface SecretsApi {
  readonly container: RunningContainer;
  /** Files and variables of a pod with a service account. */
  readonly account: string;
  readonly env: Readonly<Record<string, string>>;
  /** Data of a created Secret. */
  read(name: string): Readonly<Record<string, string>>;
  names(): readonly string[];
}

/**
 * Starts the server in `network`, from an image with Python and its cryptography library. Creates
 * `folder`.
 */
export async function startSecretsApi(
  runner: ContainerRunner,
  image: string,
  network: string,
  folder: string,
): Promise<SecretsApi> {
  const made = join(folder, 'made');
  mkdirSync(made, { recursive: true });
  mkdirSync(join(folder, 'copied'), { recursive: true });
  writeFileSync(join(folder, 'token'), 'the-token\n');
  const container = await runner.start({
    image,
    entrypoint: ['/opt/openstack/bin/python', '-c', SERVER],
    command: [],
    network,
    user: '0:0',
    binds: [{ source: folder, target: '/account', readOnly: false }],
  });
  for (let tries = 0; !readdirSync(folder).includes('ca.crt'); tries++) {
    if (tries > 100) throw new Error(`the secrets API does not start:\n${await container.logs()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    container,
    account: folder,
    env: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '6443' },
    read: (name) =>
      (JSON.parse(readFileSync(join(made, name), 'utf8')) as { stringData: Record<string, string> })
        .stringData,
    names: () => readdirSync(made).sort(),
  };
}
