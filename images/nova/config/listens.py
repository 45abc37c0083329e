# listens.py TOPIC: exits with 0 if this host consumes its queue of the topic. nova knows the host by then: a service
# records itself and its resources before it listens.
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
