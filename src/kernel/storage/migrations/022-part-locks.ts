/** Rows that are locked in place of the whole platform: see `locks.ts`. */
export const PART_LOCK_MIGRATION = [
  "insert into lock (name, turns, value) values ('platform', 0, 0) on conflict (name) do nothing",
  "insert into lock (name, turns, value) values ('platform ids', 0, 0)",
  `with recursive part (n) as (select 0 union all select n + 1 from part where n < 1023)
   insert into lock (name, turns, value) select 'part ' || n, 0, 0 from part`,
]
