import {
  described,
  enumParam,
  hexParam,
  intParam,
  optional,
  type Param,
  textParam,
} from '../http/input/params.ts'
import { HASH_BYTES, LINK_TYPE_BYTES, MAX_URL_BYTES } from '../protocol/sizes.ts'
import { MAX_NETWORK_SECONDS } from '../protocol/time.ts'
import { ReactionTypeSchema, UserDataTypeSchema } from '../protocol/wire/message_pb.js'
import { OnChainEventTypeSchema } from '../protocol/wire/onchain_event_pb.js'

// The parameters of the hub's reads.

export const MAX_NAME_BYTES = 256

export const hash = hexParam({ bytes: HASH_BYTES, label: 'hash' })
export const url = described(
  textParam({ maxBytes: MAX_URL_BYTES }),
  `A URL, of at most ${MAX_URL_BYTES} bytes.`,
)
export const linkType = described(
  textParam({ maxBytes: LINK_TYPE_BYTES }),
  'The type of the link, such as `follow`.',
)
const seconds = intParam({ min: 0, max: MAX_NETWORK_SECONDS })
/** A bound of a list by time. 0 is none, as over gRPC, where many clients cannot leave a number out. */
export const secondsBound: Param<number | undefined> = {
  ...seconds,
  description: 'Seconds since 2021-01-01T00:00:00Z; 0 is no bound.',
  absent: () => undefined,
  parse: (text, field) => seconds.parse(text, field) || undefined,
}
export const eventId = described(
  intParam({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  'The id of an event.',
)
export const reactionType = enumParam(numbersOf(ReactionTypeSchema, 'REACTION_TYPE_NONE'), {
  prefix: 'REACTION_TYPE_',
})
export const userDataType = enumParam(numbersOf(UserDataTypeSchema, 'USER_DATA_TYPE_NONE'), {
  prefix: 'USER_DATA_TYPE_',
})
export const chainEventType = enumParam(numbersOf(OnChainEventTypeSchema, 'EVENT_TYPE_NONE'), {
  prefix: 'EVENT_TYPE_',
})

/** The shards that a request may name: the only one, by its number or as 0. Others are refused, as by deployed nodes. */
export const MAX_SHARD = 1
export const shardParam = optional(
  described(intParam({ min: 0, max: MAX_SHARD }), 'The shard, 0 or 1: this hub has one shard.'),
)

/** The names and numbers of a wire enum, without the one for "none". */
export function numbersOf(
  schema: { values: readonly { name: string; number: number }[] },
  none: string,
): Record<string, number> {
  const named = schema.values.filter(({ name }) => name !== none)
  return Object.fromEntries(named.map(({ name, number }) => [name, number]))
}
