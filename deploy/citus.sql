-- Spreads the tables of a Rookery database with several shards (ROOKERY_SHARDS) over the nodes of a Citus cluster.
-- Run it once, on the coordinator, in an empty database that Rookery has created, while no Rookery process runs:
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f citus.sql
-- All other tables stay on the coordinator. Rows of one shard are on one node, whatever the table.

select create_distributed_table('message', 'shard');
select create_distributed_table('event', 'shard', colocate_with => 'message');
select create_distributed_table('mention', 'shard', colocate_with => 'message');
select create_distributed_table('usage', 'shard', colocate_with => 'message');
select create_distributed_table('chain_event', 'shard', colocate_with => 'message');
select create_distributed_table('custody', 'shard', colocate_with => 'message');
select create_distributed_table('signer', 'shard', colocate_with => 'message');
select create_distributed_table('storage_rent', 'shard', colocate_with => 'message');
