# listens.py TOPIC: ends with 0 where this host takes what the bus has for it. By then nova knows the host: it notes its service
# and its resources before it listens.
import os
import socket
import sys

import amqp

servers, _, vhost = os.environ["OS_DEFAULT__TRANSPORT_URL"].partition("://")[2].rpartition("/")
queue = f"{sys.argv[1]}.{os.environ.get('OS_DEFAULT__HOST') or socket.gethostname()}"
for server in servers.split(","):
    account, _, address = server.rpartition("@")
    user, _, password = account.partition(":")
    try:
        with amqp.Connection(address, user, password, virtual_host=vhost, connect_timeout=3) as connection:
            listeners = connection.channel().queue_declare(queue, passive=True).consumer_count
    except (OSError, amqp.AMQPError) as error:
        print(f"{address}: {error}")
        continue
    sys.exit(0 if listeners else f"nobody listens to {queue}")
sys.exit(1)
