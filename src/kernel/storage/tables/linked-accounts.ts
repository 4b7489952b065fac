import { userDataSet } from '../../protocol/kinds/user-data.ts'
import { unixMsOf } from '../../protocol/time.ts'
import { UserDataType } from '../../protocol/wire/message_pb.js'
import type { Sql } from '../engines/sql.ts'
import type { BesideMessages, StoredMessage } from '../messages/stored-message.ts'
import { KEPT } from './duties.ts'
import { type After, type RowOf, table } from './table.ts'

/** Profile entries that name an account on another platform. The message says which account it is. */
export const LINKED_ACCOUNTS = table('linked_account', {
  fid: { type: 'fid', erasure: KEPT.decision, exported: true, key: true },
  platform: { type: 'line', key: true, values: ['x', 'github'] },
  /** The time of the message. */
  verified_at: { type: 'seconds' },
})
export type LinkedAccount = RowOf<typeof LINKED_ACCOUNTS>

/** The platforms by the types of their profile entries. */
const PLATFORMS: ReadonlyMap<number, LinkedAccount['platform']> = new Map([
  [UserDataType.USER_DATA_TYPE_TWITTER, 'x'],
  [UserDataType.USER_DATA_TYPE_GITHUB, 'github'],
])
/** Where the type of an entry is in its slot: after the set and the fid. */
const TYPE_AT = 5

const NEWEST = LINKED_ACCOUNTS.newestFirst({
  time: 'verified_at',
  ties: ['fid'],
  publishedFids: ['fid'],
})

export const linkedAccountReader = (sql: Sql) => ({
  /** By (verified_at desc, fid), of one platform, and of one fid when it is given. */
  newest: (
    filter: { readonly platform: string; readonly fid?: number | undefined },
    after: After,
    limit: number,
  ): Promise<LinkedAccount[]> => NEWEST(sql, filter, after, limit),
})

/** The accounts that stored profile entries name. */
export const PROFILE_ACCOUNTS: BesideMessages = {
  set: userDataSet.number,
  async insert(sql, messages) {
    const rows = linkedAccountsOf(messages)
    if (rows.length > 0) await LINKED_ACCOUNTS.upsert(sql, rows)
  },
  async remove(sql, messages) {
    const rows = linkedAccountsOf(messages)
    if (rows.length > 0) await LINKED_ACCOUNTS.remove(sql, rows)
  },
}

function linkedAccountsOf(messages: readonly StoredMessage[]): LinkedAccount[] {
  return messages.flatMap(({ fid, slot, timestamp }) => {
    const platform = PLATFORMS.get(slot[TYPE_AT]!)
    return platform ? [{ fid, platform, verified_at: unixMsOf(timestamp) / 1_000 }] : []
  })
}
