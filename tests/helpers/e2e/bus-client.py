"""A client of the message bus: publishes numbers with confirms, consumes them, and appends each event to a file."""
import os, random, threading, time

import amqp

HOSTS = os.environ["HOSTS"].split(",")
EVENTS = os.open(os.environ["EVENTS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
QUEUE = "rounds"


def record(kind, value):
    """One write per line, so lines of both threads do not mix."""
    text = str(value).replace("\n", " ")
    os.write(EVENTS, f"{kind} {time.time():.3f} {text}\n".encode())


def connect():
    connection = amqp.Connection(
        f"{random.choice(HOSTS)}:5672",
        userid="admin",
        password=os.environ["PASSWORD"],
        confirm_publish=True,
        connect_timeout=3,
        read_timeout=10,
        write_timeout=10,
        heartbeat=6,
    )
    connection.connect()
    channel = connection.channel()
    channel.queue_declare(QUEUE, durable=True, auto_delete=False, arguments={"x-queue-type": "quorum"})
    return connection, channel


def repeat(work):
    """Connects again after each error, to any member."""
    while True:
        connection = None
        try:
            connection, channel = connect()
            work(connection, channel)
        except Exception as error:
            record("error", f"{work.__name__}: {error!r}")
        try:
            if connection is not None:
                connection.collect()
        except Exception as error:
            record("error", f"close: {error!r}")
        time.sleep(0.2)


number = 0


def publish(connection, channel):
    """A message counts once its confirm arrived; one without a queue is returned, which is an error."""
    global number
    while True:
        number += 1
        message = amqp.Message(str(number), delivery_mode=2)
        channel.basic_publish(message, routing_key=QUEUE, mandatory=True, confirm_timeout=10)
        record("confirmed", number)
        time.sleep(0.05)


def consume(connection, channel):
    """Acknowledges each message after it is recorded. A connection without messages for 10 seconds is replaced."""
    last = time.monotonic()

    def receive(message):
        nonlocal last
        last = time.monotonic()
        record("received", message.body)
        channel.basic_ack(message.delivery_tag)

    channel.basic_qos(0, 20, False)
    channel.basic_consume(QUEUE, callback=receive)
    while time.monotonic() < last + 10:
        try:
            connection.drain_events(timeout=1)
        except TimeoutError:
            pass
        connection.heartbeat_tick()


threading.Thread(target=repeat, args=(consume,), daemon=True).start()
repeat(publish)
