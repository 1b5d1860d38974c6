"""
OpenStack Swift with its S3 interface, all of its servers in this one process: `swift-server.py FOLDER`. It keeps everything in
the folder, serves on a loopback port that it prints, and ends when its standard input does. The access key is `test:tester`
with the secret `testing`.
"""

import sys
from pathlib import Path

import eventlet

eventlet.monkey_patch()

from eventlet import hubs, wsgi
from paste.deploy import loadapp
from swift.common import utils
from swift.common.ring import RingBuilder

folder = Path(sys.argv[1])
storage = ('account', 'container', 'object')
sockets = {kind: eventlet.listen(('127.0.0.1', 0)) for kind in (*storage, 'proxy')}


class Silence:
    def write(self, *_):
        pass

    def flush(self):
        pass


def keep_everything_on_one_disk(kind):
    port = sockets[kind].getsockname()[1]
    disk = {'id': 0, 'region': 1, 'zone': 1, 'weight': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'disk'}
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({**disk, 'replication_ip': '127.0.0.1', 'replication_port': port, 'meta': ''})
    builder.rebalance()
    builder.get_ring().save(str(folder / f'{kind}.ring.gz'))
    (folder / f'{kind}.conf').write_text(f'''
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
[app:main]
use = egg:swift#{kind}
''')


(folder / 'devices' / 'disk').mkdir(parents=True, exist_ok=True)
(folder / 'swift.conf').write_text('''
[swift-hash]
swift_hash_path_suffix = posthorn
[storage-policy:0]
name = one
default = yes
''')
(folder / 'proxy.conf').write_text(f'''
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
''')
utils.set_swift_dir(str(folder))
for kind in storage:
    keep_everything_on_one_disk(kind)
for kind, socket in sockets.items():
    app = loadapp(f'config:{folder}/{kind}.conf', global_conf={'log_name': kind})
    eventlet.spawn(wsgi.server, socket, app, log=Silence())
print(sockets['proxy'].getsockname()[1], flush=True)
hubs.trampoline(0, read=True)
