# Makes this machine a node of the database. As root: sh node.sh db1 (then db2, db3 on the others).
# For a machine that replaces a lost one: sh node.sh db2 existing
. ./common.sh
export NODE="$1" ETCD_STATE="${2:-new}"
case $NODE in
  db1) export ADDRESS="$DB1" ;;
  db2) export ADDRESS="$DB2" ;;
  db3) export ADDRESS="$DB3" ;;
  *) echo "the first argument is db1, db2 or db3" >&2; exit 1 ;;
esac
POSTGRESQL_BIN=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
export POSTGRESQL_BIN
usermod -a -G rookery-cluster etcd
usermod -a -G rookery-cluster postgres

# Debian starts etcd when it is installed: the member that it made then goes.
if ! grep -qs rookery-cluster /etc/default/etcd; then
  systemctl stop etcd
  rm -rf /var/lib/etcd/default
fi
place etcd.env /etc/default/etcd root 644
place patroni.yml /etc/patroni/config.yml postgres 600
place pgbackrest-node.conf /etc/pgbackrest.conf postgres 600
place pgbouncer.ini /etc/pgbouncer/pgbouncer.ini postgres 600
place pgbouncer-users.txt /etc/pgbouncer/userlist.txt postgres 600
place database-password /etc/patroni/database-password postgres 600
install -m 755 prepare-database.sh /etc/patroni/prepare-database.sh
systemctl enable etcd patroni pgbackrest pgbouncer
# The first etcd waits for the second one.
systemctl restart --no-block etcd
systemctl restart --no-block patroni pgbackrest pgbouncer
