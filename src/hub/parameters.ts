import {
  described,
  enumParam,
  hexParam,
  intParam,
  type Param,
  type ParamSpecs,
  type ParsedParams,
  textParam,
} from '../http/input/params.ts'
import { jsonText, type Route, read, type Tag } from '../http/route.ts'
import type { Cost } from '../limits/cost.ts'
import type { RejectionCode } from '../protocol/rejection.ts'
import { ReactionTypeSchema, UserDataTypeSchema } from '../protocol/wire/message_pb.js'
import { OnChainEventTypeSchema } from '../protocol/wire/onchain_event_pb.js'
import type { Presented } from './reads/json-presenter.ts'

// The parameters of the hub's reads.

const HASH_BYTES = 20
export const KEY_BYTES = 32
export const ADDRESS_BYTES = 20
const MAX_URL_BYTES = 256
const MAX_LINK_TYPE_BYTES = 8
export const MAX_NAME_BYTES = 256
const MAX_NETWORK_SECONDS = 2 ** 32 - 1

export const hash = hexParam({ bytes: HASH_BYTES, label: 'hash' })
export const url = described(
  textParam({ maxBytes: MAX_URL_BYTES }),
  `A URL, of at most ${MAX_URL_BYTES} bytes.`,
)
export const linkType = described(
  textParam({ maxBytes: MAX_LINK_TYPE_BYTES }),
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

/** A shard, or 0 for all. A hub with one shard takes any number: clients of the deployed network give theirs. */
export const shardParam = intParam({ min: 0, max: 2 ** 32 - 1 })

/** The names and numbers of a wire enum, without the one for "none". */
export function numbersOf(
  schema: { values: readonly { name: string; number: number }[] },
  none: string,
): Record<string, number> {
  const named = schema.values.filter(({ name }) => name !== none)
  return Object.fromEntries(named.map(({ name, number }) => [name, number]))
}

/** Declares GET routes: what is asked, and how the answer is written. */
export function getter(tag: Tag) {
  return <const Q extends ParamSpecs, T>(
    path: string,
    {
      version,
      errors = [],
      ...about
    }: {
      readonly summary: string
      readonly description: string
      /** Besides those of every read. */
      readonly errors?: readonly RejectionCode[]
      readonly cost?: Cost
      readonly costOfQuery?: (query: ParsedParams<Q>) => Cost
      /** Changes when the answer may. */
      readonly version?: (query: ParsedParams<Q>) => number | undefined
    },
    query: Q,
    reply: Presented<T>,
    answer: (query: ParsedParams<Q>) => Promise<T>,
  ): Route =>
    read(
      {
        path,
        ...about,
        query,
        reply: reply.schema,
        errors: ['bad_request.invalid_param', 'not_found', ...errors],
        tags: [tag],
      },
      async (query) => jsonText(reply.write(await answer(query))),
      { version },
    )
}
