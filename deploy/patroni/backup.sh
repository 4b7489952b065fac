# Makes this machine keep the backups. As root: sh backup.sh
. ./common.sh
usermod -a -G rookery-cluster postgres
place pgbackrest-backup.conf /etc/pgbackrest.conf postgres 600
place pgbackrest-drill.conf /etc/pgbackrest-drill.conf postgres 600
systemctl enable pgbackrest
systemctl restart pgbackrest
# A full backup each Sunday, else what changed.
cat > /etc/cron.d/rookery-backup <<'END'
15 3 * * 0 postgres pgbackrest --stanza=rookery --type=full backup
15 3 * * 1-6 postgres pgbackrest --stanza=rookery --type=diff backup
END
