# Succeeds if the server takes connections. Else prints why it does not start.
set -euo pipefail
if timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/5672' 2>/dev/null; then exit 0; fi
cat /tmp/reason 2>/dev/null || echo 'the server starts'
exit 1
