import { CHAIN_EVENTS, CUSTODIES, SIGNERS, STORAGE_RENTS } from './accounts.ts'
import { APP_KEYS, APPS } from './apps.ts'
import { BLOCKS } from './blocks.ts'
import { CHAIN_BLOCKS, CHAIN_SOURCES, REORGED_FIDS } from './chain.ts'
import { CURSORS } from './cursors.ts'
import { GASLESS_KEY_NONCES, GASLESS_KEYS } from './gasless-keys.ts'
import { LEDGER_NONCES, LEDGER_PENDING } from './ledger.ts'
import { LINKED_ACCOUNTS } from './linked-accounts.ts'
import { ACCOUNT_MODERATIONS, HIDDEN_CASTS, MODERATION_TASKS } from './moderation.ts'
import { NAME_PROOFS } from './name-proofs.ts'
import { QUOTAS } from './quotas.ts'
import { STORAGE_LENDS, STORAGE_LENT } from './storage-lends.ts'
import type { Fields, Table } from './table.ts'

/** What is done with every table, whatever its rows are. */
export type AnyTable = Pick<Table<Fields>, 'name' | 'fields' | 'key' | 'erase' | 'ownRows'>

/** The tables that stand below all features. A test compares every declared table with the schema that the migrations create. */
export const KERNEL_TABLES: readonly AnyTable[] = [
  CHAIN_EVENTS,
  CUSTODIES,
  SIGNERS,
  STORAGE_RENTS,
  APP_KEYS,
  APPS,
  BLOCKS,
  CHAIN_BLOCKS,
  CHAIN_SOURCES,
  REORGED_FIDS,
  CURSORS,
  GASLESS_KEY_NONCES,
  GASLESS_KEYS,
  LEDGER_NONCES,
  LEDGER_PENDING,
  LINKED_ACCOUNTS,
  ACCOUNT_MODERATIONS,
  HIDDEN_CASTS,
  MODERATION_TASKS,
  NAME_PROOFS,
  QUOTAS,
  STORAGE_LENDS,
  STORAGE_LENT,
]

/** Tables with hand-written queries. */
export const UNDECLARED_TABLES = ['active_fid', 'event', 'mention', 'message', 'usage', 'row_total']
