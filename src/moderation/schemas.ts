import Type from 'typebox'
import { toHex } from '../protocol/codec/bytes.ts'
import type { AccountModeration, ModerationEntry, Report } from '../storage/tables/moderation.ts'

export const AccountSchema = Type.Object(
  {
    fid: Type.Integer(),
    suspended: Type.Boolean(),
    erasing: Type.Boolean({ description: 'Its messages are being erased.' }),
    erasedBefore: Type.Integer({
      description: 'Messages up to this timestamp (seconds since 2021-01-01) were erased; 0: none.',
    }),
  },
  { $id: 'ModeratedAccount' },
)

export const accountJson = ({ fid, suspended, erasing, erased_before }: AccountModeration) => ({
  fid,
  suspended: suspended === 1,
  erasing: erasing === 1,
  erasedBefore: erased_before,
})

export const ExportReply = Type.Object({
  messages: Type.Array(Type.String(), { description: 'Serialised messages in base64.' }),
  nextPageToken: Type.String({ description: 'Empty on the last page.' }),
})

export const ExportMediaReply = Type.Object({
  files: Type.Array(
    Type.Object({
      url: Type.String(),
      contentType: Type.String(),
      altText: Type.String(),
      uploadedAt: Type.Integer({ description: 'Unix seconds.' }),
      data: Type.String({ description: 'The file in base64.' }),
    }),
    { description: 'One, or none when there is no file.' },
  ),
  nextPageToken: Type.String({ description: 'Empty on the last page.' }),
})

const orNull = (schema: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>) =>
  Type.Union([schema, Type.Null()])

export const ReportSchema = Type.Object(
  {
    id: Type.Integer(),
    reporterFid: Type.Integer(),
    fid: Type.Integer({ description: 'The account that is reported, or the author of the cast.' }),
    castHash: orNull(Type.String()),
    reason: Type.String(),
    state: Type.Enum(['open', 'resolved']),
    createdAt: Type.Integer({ description: 'Unix seconds.' }),
    resolvedAt: orNull(Type.Integer()),
    resolution: orNull(Type.String()),
  },
  { $id: 'ModerationReport' },
)

export const reportJson = (report: Report) => ({
  id: report.id,
  reporterFid: report.reporter_fid,
  fid: report.fid,
  castHash: report.cast_hash && toHex(report.cast_hash),
  reason: report.reason,
  state: report.state,
  createdAt: report.created_at,
  resolvedAt: report.resolved_at,
  resolution: report.resolution,
})

export const EntrySchema = Type.Object(
  {
    id: Type.Integer(),
    at: Type.Integer({ description: 'Unix seconds.' }),
    actor: Type.String(),
    action: Type.String(),
    fid: orNull(Type.Integer()),
    castHash: orNull(Type.String()),
    name: orNull(Type.String()),
    reason: Type.String(),
  },
  { $id: 'ModerationEntry' },
)

export const entryJson = ({
  id,
  at,
  actor,
  action,
  fid,
  cast_hash,
  name,
  reason,
}: ModerationEntry) => ({
  id,
  at,
  actor,
  action,
  fid,
  castHash: cast_hash && toHex(cast_hash),
  name,
  reason,
})
