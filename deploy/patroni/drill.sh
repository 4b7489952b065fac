# On the machine with the backups: sh drill.sh start, sh drill.sh remove. Runs PostgreSQL on what was restored to the directory `drill`.
set -eu
DATA=/var/lib/postgresql/drill
CONTROL="$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/pg_ctl"
case $1 in
  start)
    # Settings of the cluster that do not hold here: it archives nothing and waits for no standby.
    echo "local all all trust
host all all 127.0.0.1/32 scram-sha-256" > $DATA/pg_hba.conf
    su postgres -c "$CONTROL start -w -t 3600 -D $DATA -l $DATA/drill.log -o \"-p 5499 -c listen_addresses=127.0.0.1 \
      -c hba_file=$DATA/pg_hba.conf -c archive_mode=off -c synchronous_standby_names='' -c primary_conninfo='' -c ssl=off -c hot_standby=off\""
    # It accepts connections when it has reached the moment.
    until su postgres -c 'psql -p 5499 -Atc "select 1"' > /dev/null 2>&1; do sleep 1; done
    ;;
  remove)
    su postgres -c "$CONTROL stop -m fast -D $DATA"
    rm -rf $DATA
    ;;
esac
