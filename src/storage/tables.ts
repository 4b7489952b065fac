import {
  CHANNEL_FOLLOWS,
  CHANNEL_INVITES,
  CHANNEL_MEMBERSHIPS,
  CHANNEL_MODERATIONS,
  CHANNELS,
  RESERVED_CHANNELS,
} from './channels.ts'
import type { Fields, Table } from './table.ts'

/** Every declared table. A test compares them with the schema that the migrations create. */
export const TABLES: readonly Pick<Table<Fields>, 'name' | 'fields' | 'key'>[] = [
  CHANNELS,
  CHANNEL_FOLLOWS,
  CHANNEL_INVITES,
  CHANNEL_MEMBERSHIPS,
  CHANNEL_MODERATIONS,
  RESERVED_CHANNELS,
]
