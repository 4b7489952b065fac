import { fromBinary } from '@bufbuild/protobuf'
import { unixMsOf } from '../../kernel/protocol/time.ts'
import {
  CastType,
  type Embed,
  type MessageData,
  MessageDataSchema,
  MessageType,
  Protocol,
  ReactionType,
  UserDataType,
  UserNameType,
} from '../../kernel/protocol/wire/message_pb.js'
import type { StoredMessage } from '../../kernel/storage/messages/stored-message.ts'
import type { MessageBytes } from './packed.ts'
import { hexText, type Item, type Row, type TableName } from './tables.ts'

export type ExportedMessage = {
  readonly data: MessageData
  readonly hash: Uint8Array
  /** Of the event that reports its merge. */
  readonly eventId: number
}

/** The table in which messages of a type are rows. Removals and other types are none. */
const TABLE_OF: Partial<Record<MessageType, TableName>> = {
  [MessageType.CAST_ADD]: 'casts',
  [MessageType.REACTION_ADD]: 'reactions',
  [MessageType.LINK_ADD]: 'links',
  [MessageType.LINK_COMPACT_STATE]: 'link_states',
  [MessageType.USER_DATA_ADD]: 'user_data',
  [MessageType.VERIFICATION_ADD_ETH_ADDRESS]: 'verifications',
  [MessageType.USERNAME_PROOF]: 'usernames',
  [MessageType.KEY_ADD]: 'keys',
}

export const tableOfType = (type: MessageType): TableName | undefined => TABLE_OF[type]

/** The row of a message but for keys; undefined when it is of a type that has no rows, or moderation has taken its content out. */
export function itemOf(message: ExportedMessage): Item | undefined {
  const table = tableOfType(message.data.type)
  const own = table && columnsOf(message.data)
  return own && { table, row: { ...commonColumns(message), ...own } }
}

export const commonColumns = ({ data, hash, eventId }: ExportedMessage) => ({
  fid: Number(data.fid),
  hash: hexText(hash),
  timestamp: secondsOf(data),
  event_id: eventId,
})

/** A message of a table that is not read yet: whoever writes its row makes it. */
export type UnreadItem = { readonly table: TableName; readonly message: StoredMessage }

export const isUnread = (item: Item | UnreadItem): item is UnreadItem => 'message' in item

/** A stored message whose type has a table. */
export function unreadItem(message: StoredMessage): UnreadItem[] {
  const table = tableOfType(message.type)
  return table ? [{ table, message }] : []
}

/** The same with the rows of messages. */
export const readItems = (items: readonly (Item | UnreadItem)[]): Item[] =>
  items.flatMap((item) => {
    if (!isUnread(item)) return item
    const row = rowOf(item.message)
    return row ? { table: item.table, row } : []
  })

/** The row of a stored message, in the table of its type; undefined like `itemOf`. */
export const rowOf = ({ data, hash, id }: MessageBytes): Row | undefined =>
  itemOf({ data: fromBinary(MessageDataSchema, data), hash, eventId: id })?.row

const secondsOf = ({ timestamp }: Pick<MessageData, 'timestamp'>): number =>
  unixMsOf(timestamp) / 1000

type BodyOf<C extends string> = Extract<MessageData['body'], { case: C }>['value']

function columnsOf(data: MessageData): Row | undefined {
  const { body } = data
  switch (body.case) {
    case 'castAddBody':
      return castColumns(body.value)
    case 'reactionBody':
      return reactionColumns(body.value)
    case 'linkBody':
      return { type: body.value.type, target_fid: Number(body.value.target.value ?? 0) }
    case 'linkCompactStateBody':
      return { type: body.value.type, targets: body.value.targetFids.map(Number) }
    case 'userDataBody':
      return { field: fieldName(body.value.type), value: body.value.value }
    case 'verificationAddAddressBody':
      return {
        address: hexText(body.value.address),
        protocol: body.value.protocol === Protocol.SOLANA ? 'solana' : 'ethereum',
        chain_id: body.value.chainId,
      }
    case 'usernameProofBody':
      return {
        name: Buffer.from(body.value.name).toString(),
        type: nameType(body.value.type),
        owner: hexText(body.value.owner),
      }
    default:
      return undefined
  }
}

function castColumns(cast: BodyOf<'castAddBody'>): Row {
  const { parent } = cast
  const castId = parent.case === 'parentCastId' ? parent.value : undefined
  return {
    text: cast.text,
    parent_fid: castId ? Number(castId.fid) : null,
    parent_hash: hexText(castId?.hash),
    parent_url: parent.case === 'parentUrl' ? parent.value : null,
    mentions: cast.mentions.map(Number),
    mention_positions: cast.mentionsPositions,
    embeds: [...cast.embedsDeprecated.map(embedOfUrl), ...cast.embeds.flatMap(embedOf)],
    type: castType(cast.type),
  }
}

type EmbedRow = {
  readonly url: string | null
  readonly fid: number | null
  readonly hash: string | null
}

const embedOfUrl = (url: string): EmbedRow => ({ url, fid: null, hash: null })

function embedOf({ embed }: Embed): EmbedRow[] {
  if (embed.case === 'url') return [embedOfUrl(embed.value)]
  if (embed.case !== 'castId') return []
  return [{ url: null, fid: Number(embed.value.fid), hash: hexText(embed.value.hash) }]
}

function reactionColumns({ type, target }: BodyOf<'reactionBody'>): Row {
  const castId = target.case === 'targetCastId' ? target.value : undefined
  return {
    kind: type === ReactionType.RECAST ? 'recast' : 'like',
    target_fid: castId ? Number(castId.fid) : null,
    target_hash: hexText(castId?.hash),
    target_url: target.case === 'targetUrl' ? target.value : null,
  }
}

/** The names of values of enums, in lower case and without what all have in common. */
const nameIn =
  (names: Readonly<Record<number, string>>, prefix: RegExp) =>
  (value: number): string =>
    (names[value] ?? `type_${value}`).replace(prefix, '').toLowerCase()

const castType = nameIn(CastType, /^$/)
export const fieldName = nameIn(UserDataType, /^USER_DATA_(TYPE_)?/)
export const nameType = nameIn(UserNameType, /^USERNAME_TYPE_/)
