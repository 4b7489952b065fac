import Type from 'typebox'
import { encodeCursor, pageReply } from '../../kernel/http/input/paging.ts'
import { described } from '../../kernel/http/input/params.ts'
import { json, type RouteFor } from '../../kernel/http/route.ts'
import { cursor, limit } from '../../kernel/platform/params.ts'
import { PageOf, Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { CHANNELS, type Needs, platformRoute } from './declare-route.ts'
import { type ExportPosition, SECTIONS } from './import-export.ts'
import { MAX_BATCH_RECORDS, MAX_RESERVED_IDS } from './limits.ts'
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

const createChannel = platformRoute(
  {
    method: 'POST',
    path: '/platform/channels',
    summary: 'Create a channel for a user, or without an owner',
    description:
      'Reserved ids are allowed. The channel does not count against the quota of the user.',
    tags: CHANNELS,
    body: json(NewChannelFor),
    reply: ChannelReply,
    errors: ['not_found', 'bad_request.conflict'],
  },
  async ({ channels }, { body }) => ({
    result: { channel: channelJson(await channels.createFor(body)) },
  }),
)

const editChannel = platformRoute(
  {
    method: 'PATCH',
    path: '/platform/channels',
    summary: 'Edit any channel, including its owner',
    description: 'Properties that are not named stay as they are; null removes a property.',
    tags: CHANNELS,
    body: json(ChannelEdit),
    reply: ChannelReply,
    errors: ['not_found', 'bad_request.conflict'],
  },
  async ({ channels }, { body }) => ({
    result: { channel: channelJson(await channels.editAny(body)) },
  }),
)

const reserved = platformRoute(
  {
    method: 'GET',
    path: '/platform/channels/reserved',
    summary: 'The channel ids that are reserved',
    description: 'In alphabetical order.',
    tags: CHANNELS,
    query: { cursor: cursor('s'), limit: limit({ default: 100, max: MAX_RESERVED_IDS }) },
    reply: PageOf(Type.Object({ ids: Type.Array(Type.String()) })),
  },
  async ({ context }, { query }) =>
    pageReply(
      await context.storage
        .of(channelRows)
        .reserved(String(query.cursor?.[0] ?? ''), query.limit + 1),
      query.limit,
      (id) => [id],
      (ids) => ({ ids }),
    ),
)

const reserve = platformRoute(
  {
    method: 'POST',
    path: '/platform/channels/reserved',
    summary: 'Reserve channel ids',
    description: 'An existing channel with such an id stays.',
    tags: CHANNELS,
    body: json(ReservedIds),
    reply: Success,
  },
  async ({ channels }, { body }) => {
    await channels.reserve(body.ids)
    return SUCCESS
  },
)

const release = platformRoute(
  {
    method: 'DELETE',
    path: '/platform/channels/reserved',
    summary: 'Release reserved channel ids',
    description: 'Users can create channels with these ids again.',
    tags: CHANNELS,
    body: json(ReservedIds),
    reply: Success,
  },
  async ({ channels }, { body }) => {
    await channels.unreserve(body.ids)
    return SUCCESS
  },
)

const importBatch = platformRoute(
  {
    method: 'POST',
    path: '/platform/channels/import',
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
  },
  async ({ channels }, { body }) => ({ result: await channels.importRecords(body.lines) }),
)

const exportPage = platformRoute(
  {
    method: 'GET',
    path: '/platform/channels/export',
    summary: 'Export all channels, their followers and their memberships',
    description: 'A page may have fewer lines than asked for, or none; the last one has no `next`.',
    tags: CHANNELS,
    query: {
      cursor: described(cursor('nsn'), 'next.cursor of the previous page.'),
      limit: limit({ default: MAX_BATCH_RECORDS, max: MAX_BATCH_RECORDS }),
    },
    reply: PageOf(Type.Object({ lines: Type.Array(ExportRecord) })),
  },
  async ({ channels }, { query }) => {
    const position = (query.cursor ?? [0, '', 0]) as ExportPosition
    if (!SECTIONS[position[0]]) {
      const text = 'cursor must be a cursor of this list'
      throw new Rejection('bad_request.invalid_param', text, { field: 'cursor' })
    }
    const { lines, next } = await channels.exportRecords(position, query.limit)
    return { result: { lines }, ...(next && { next: { cursor: encodeCursor(next) } }) }
  },
)

/** The operator's routes for channels, on the operations interface. */
export const operatorChannelRoutes: readonly RouteFor<Needs>[] = [
  createChannel,
  editChannel,
  reserved,
  reserve,
  release,
  importBatch,
  exportPage,
]
