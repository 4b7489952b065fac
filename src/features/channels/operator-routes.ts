import Type from 'typebox'
import { encodeCursor, pageReply } from '../../kernel/http/input/paging.ts'
import { described } from '../../kernel/http/input/params.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { cursor, limit } from '../../kernel/platform/params.ts'
import { PageOf, Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { type ExportPosition, SECTIONS } from './import-export.ts'
import { MAX_BATCH_RECORDS, MAX_RESERVED_IDS } from './limits.ts'
import { CHANNELS, type Needs } from './needs.ts'
import {
  Channel,
  ChannelEdit,
  channelJson,
  ExportRecord,
  ImportBatch,
  NewChannelFor,
  ReservedIds,
} from './schemas.ts'
import { channelRows } from './tables/channels.ts'

const ChannelReply = Result(Type.Object({ channel: Channel }))

const createChannel = route('POST /platform/channels', {
  callers: 'operator',
  summary: 'Create a channel for a user, or without an owner',
  description:
    'Reserved ids are allowed. The channel does not count against the quota of the user.',
  tags: CHANNELS,
  body: json(NewChannelFor),
  reply: ChannelReply,
  errors: ['not_found', 'bad_request.conflict'],
  cost: 'write',
  handler: async ({ channels }: Needs, { body }) => ({
    result: { channel: channelJson(await channels.createFor(body)) },
  }),
})

const editChannel = route('PATCH /platform/channels', {
  callers: 'operator',
  summary: 'Edit any channel, including its owner',
  description: 'Properties that are not named stay as they are; null removes a property.',
  tags: CHANNELS,
  body: json(ChannelEdit),
  reply: ChannelReply,
  errors: ['not_found', 'bad_request.conflict'],
  cost: 'write',
  handler: async ({ channels }: Needs, { body }) => ({
    result: { channel: channelJson(await channels.editAny(body)) },
  }),
})

const reserved = route('GET /platform/channels/reserved', {
  callers: 'operator',
  summary: 'The channel ids that are reserved',
  description: 'In alphabetical order.',
  tags: CHANNELS,
  query: { cursor: cursor('s'), limit: limit({ default: 100, max: MAX_RESERVED_IDS }) },
  reply: PageOf(Type.Object({ ids: Type.Array(Type.String()) })),
  errors: [],
  cost: 'list',
  handler: async ({ context }: Needs, { query }) =>
    pageReply(
      await context.storage
        .of(channelRows)
        .reserved(String(query.cursor?.[0] ?? ''), query.limit + 1),
      query.limit,
      (id) => [id],
      (ids) => ({ ids }),
    ),
})

const reserve = route('POST /platform/channels/reserved', {
  callers: 'operator',
  summary: 'Reserve channel ids',
  description: 'An existing channel with such an id stays.',
  tags: CHANNELS,
  body: json(ReservedIds),
  reply: Success,
  errors: [],
  cost: 'write',
  handler: async ({ channels }: Needs, { body }) => {
    await channels.reserve(body.ids)
    return SUCCESS
  },
})

const release = route('DELETE /platform/channels/reserved', {
  callers: 'operator',
  summary: 'Release reserved channel ids',
  description: 'Users can create channels with these ids again.',
  tags: CHANNELS,
  body: json(ReservedIds),
  reply: Success,
  errors: [],
  cost: 'write',
  handler: async ({ channels }: Needs, { body }) => {
    await channels.unreserve(body.ids)
    return SUCCESS
  },
})

const importBatch = route('POST /platform/channels/import', {
  callers: 'operator',
  summary: 'Import channels, their followers and their memberships',
  description:
    `Up to ${MAX_BATCH_RECORDS} lines, each with one of \`channel\`, \`follow\` and \`standing\`; a ` +
    'channel before, or with, what is about it. All lines of a batch are stored or none. A line ' +
    'that is here already changes it to what the line says. Counts are made from the rows.',
  tags: CHANNELS,
  body: json(ImportBatch),
  reply: Result(
    Type.Object({
      channels: Type.Integer({ description: 'The number of new channels.' }),
      follows: Type.Integer(),
      standings: Type.Integer(),
    }),
  ),
  errors: ['not_found', 'bad_request.conflict'],
  cost: 'write',
  handler: async ({ channels }: Needs, { body }) => ({
    result: await channels.importRecords(body.lines),
  }),
})

const exportPage = route('GET /platform/channels/export', {
  callers: 'operator',
  summary: 'Export all channels, their followers and their memberships',
  description: 'A page may have fewer lines than asked for, or none; the last one has no `next`.',
  tags: CHANNELS,
  query: {
    cursor: described(cursor('nsn'), 'next.cursor of the previous page.'),
    limit: limit({ default: MAX_BATCH_RECORDS, max: MAX_BATCH_RECORDS }),
  },
  reply: PageOf(Type.Object({ lines: Type.Array(ExportRecord) })),
  errors: [],
  cost: 'list',
  handler: async ({ channels }: Needs, { query }) => {
    const position = (query.cursor ?? [0, '', 0]) as ExportPosition
    if (!SECTIONS[position[0]]) {
      const text = 'cursor must be a cursor of this list'
      throw new Rejection('bad_request.invalid_param', text, { field: 'cursor' })
    }
    const { lines, next } = await channels.exportRecords(position, query.limit)
    return { result: { lines }, ...(next && { next: { cursor: encodeCursor(next) } }) }
  },
})

/** The operator's routes for channels, on the operations interface. */
export const operatorChannelRoutes: readonly Route<Needs>[] = [
  createChannel,
  editChannel,
  reserved,
  reserve,
  release,
  importBatch,
  exportPage,
]
