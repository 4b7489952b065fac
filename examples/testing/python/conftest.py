# A network of its own for a test suite in Python: its own ports and data, which end with the suite.
import json, os, subprocess, sys

import grpc, pytest

sys.path.insert(0, 'gen')  # the code that protoc made imports its neighbours by their bare names
ROOKERY = 'node_modules/.bin/rookery'
PORT = 5490  # the front door; gRPC is seven below


@pytest.fixture(scope='session')
def channel(tmp_path_factory):
    env = {**os.environ, 'ROOKERY_DATA_DIR': str(tmp_path_factory.mktemp('rookery'))}
    server = subprocess.Popen([ROOKERY, 'start', '--port', str(PORT)], env=env)
    try:
        with grpc.insecure_channel(f'127.0.0.1:{PORT - 7}') as channel:
            grpc.channel_ready_future(channel).result(timeout=120)
            yield channel
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def account(channel):
    command = [ROOKERY, 'dev', 'accounts', '--port', str(PORT), '--add', '1', '--json']
    return json.loads(subprocess.check_output(command).splitlines()[-1])  # the newest is the last
