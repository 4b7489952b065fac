# A network of its own for a test suite in Python: its own ports and data, which end with the suite.
import json, os, pathlib, subprocess, sys

import grpc, pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / 'gen'))  # the code that protoc made imports its neighbours by their bare names
ROOKERY = str(HERE / 'node_modules/.bin/rookery')
WORKER = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw'))
PORT = str(5490 + 20 * WORKER)  # the front door; the other interfaces have the ports before it


@pytest.fixture(scope='session')
def network(tmp_path_factory):
    env = {**os.environ, 'ROOKERY_DATA_DIR': str(tmp_path_factory.mktemp('rookery'))}
    command = [ROOKERY, 'start', '--port', PORT, '--json']
    server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE)
    try:
        ready = server.stdout.readline()  # printed when everything listens; empty if it did not start
        assert ready, 'the network did not start: its log says why'
        yield json.loads(ready)['urls']
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope='session')
def channel(network):
    with grpc.insecure_channel(network['grpc']) as channel:
        yield channel


@pytest.fixture
def account():
    command = [ROOKERY, 'dev', 'accounts', '--port', PORT, '--add', '1', '--json']
    return json.loads(subprocess.check_output(command).splitlines()[-1])  # the newest is the last
