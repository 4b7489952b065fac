import type { Dialect } from '../engines/engine.ts'

/** Which fid lends storage units to which, beside the messages that say so, and how many each fid lends in all. */
export const STORAGE_LEND_MIGRATION = ({ clustered }: Dialect) => [
  `create table storage_lend (
     id bigint not null, lender bigint not null, borrower bigint not null, unit_type bigint not null,
     units bigint not null, since bigint not null, ended_at bigint not null, ended_by bigint not null,
     primary key (id)) ${clustered}`,
  'create index storage_lend_borrower on storage_lend (borrower)',
  `create table storage_lent (
     lender bigint not null, unit_type bigint not null, units bigint not null,
     primary key (lender, unit_type)) ${clustered}`,
]
