import type { Dialect } from '../engines/engine.ts'

/** A profile entry's slot: the set (1 byte), the fid (4), the type of the entry (1). */
const ENTRY = 'substr(m.slot, 6, 1)'
const EPOCH_SECONDS = 1_609_459_200

const backfill = (
  platform: string,
  type: string,
) => `insert into linked_account (fid, platform, verified_at)
  select m.fid, '${platform}', m.timestamp + ${EPOCH_SECONDS} from message m
   where m.store = 4 and m.type = 11 and ${ENTRY} = ${type}`

/** Which profiles name an account on another platform. */
export const LINKED_ACCOUNT_MIGRATION = ({ clustered }: Dialect) => [
  `create table linked_account (
     fid bigint not null, platform text not null, verified_at bigint not null,
     primary key (fid, platform)) ${clustered}`,
  'create index linked_account_newest on linked_account (platform, verified_at desc, fid)',
]
export const EMBEDDED_LINKED_ACCOUNT_MIGRATION = [
  backfill('x', "x'08'"),
  backfill('github', "x'09'"),
]
export const SERVER_LINKED_ACCOUNT_MIGRATION = [
  backfill('x', "decode('08', 'hex')"),
  backfill('github', "decode('09', 'hex')"),
]
