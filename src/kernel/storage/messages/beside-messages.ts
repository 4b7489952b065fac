import type { Sql } from '../engines/sql.ts'
import { LINK_BLOCKS } from '../tables/blocks.ts'
import { CAST_COUNT } from '../tables/cast-count.ts'
import { PROFILE_ACCOUNTS } from '../tables/linked-accounts.ts'
import type { BesideMessages, StoredMessage } from './stored-message.ts'

const ALL: readonly BesideMessages[] = [CAST_COUNT, LINK_BLOCKS, PROFILE_ACCOUNTS]

type Change = (beside: BesideMessages, messages: readonly StoredMessage[]) => Promise<void>

/** Adds or removes the rows beside messages, each table once. */
function changeBeside(list: readonly StoredMessage[], change: Change): Promise<void>[] {
  return ALL.flatMap((beside) => {
    const own = list.filter(({ store }) => store === beside.set)
    return own.length === 0 ? [] : [change(beside, own)]
  })
}

export const insertBeside = (sql: Sql, list: readonly StoredMessage[]): Promise<void>[] =>
  changeBeside(list, (beside, own) => beside.insert(sql, own))

export const removeBeside = (sql: Sql, list: readonly StoredMessage[]): Promise<void>[] =>
  changeBeside(list, (beside, own) => beside.remove(sql, own))
