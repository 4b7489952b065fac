# On db1, after pgbackrest has restored: finishes the recovery, then makes this machine the first of the cluster again.
set -eu
DATA=/var/lib/postgresql/rookery
BIN=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
# Patroni would follow the log to its end: PostgreSQL stops at the moment that was asked for.
su postgres -c "$BIN/pg_ctl start -w -t 3600 -D $DATA -o \"-c listen_addresses='' -c synchronous_standby_names='' -c hot_standby=off\" -l /var/log/postgresql/recovery.log"
until su postgres -c 'psql -Atc "select 1"' > /dev/null 2>&1; do sleep 1; done
su postgres -c "$BIN/pg_ctl stop -w -m fast -D $DATA"
# The history that the cluster had is given up.
printf 'rookery\nYes I am aware\n' | patronictl -c /etc/patroni/config.yml remove rookery
systemctl start patroni
