#!/bin/sh
# Run by Patroni once, on the first node, when the cluster is made: the user and database of the server.
set -eu
. /etc/patroni/database-password
psql --dbname="$1" --set=ON_ERROR_STOP=1 --set=password="$DATABASE_PASSWORD" <<'END'
create role rookery login password :'password';
alter role rookery set statement_timeout = '30s';
create database rookery owner rookery;
END
