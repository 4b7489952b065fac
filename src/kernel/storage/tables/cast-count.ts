import { castSet } from '../../protocol/kinds/cast-add.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import type { BesideMessages, StoredMessage } from '../messages/stored-message.ts'
import { countRows } from './row-counts.ts'

/** The kept count of casts, without messages that remove some. */
export const CAST_COUNT: BesideMessages = {
  set: castSet.number,
  insert: (sql, messages) => countRows(sql, 'cast', castsIn(messages)),
  remove: (sql, messages) => countRows(sql, 'cast', -castsIn(messages)),
}

const castsIn = (messages: readonly StoredMessage[]): number =>
  messages.filter(({ type }) => type === MessageType.CAST_ADD).length
