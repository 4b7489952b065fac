import Type from 'typebox'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import {
  type ModerationEntry,
  REPORT_KINDS,
  type Report,
  type ReportKind,
} from '../moderation-records/port.ts'
import type { AccountState } from './moderation.ts'
import type { Subject } from './subject.ts'
import type { Appeal } from './tables/appeals.ts'
import type { CaseClaim } from './tables/claims.ts'
import type { ModerationNote } from './tables/notes.ts'
import { STAFF_ROLES, type StaffMember } from './tables/staff.ts'

export const AccountSchema = Type.Object(
  {
    fid: Type.Integer(),
    suspended: Type.Boolean(),
    suspendedUntil: Type.Union([Type.Integer(), Type.Null()], {
      description: 'When a suspension ends by itself, in Unix seconds; null: for good, or none.',
    }),
    limited: Type.Boolean({
      description: 'Trends, searches and notifications show it only to those who follow it.',
    }),
    erasing: Type.Boolean({ description: 'Its messages are being erased.' }),
    erasedBefore: Type.Integer({
      description: 'Messages up to this timestamp (seconds since 2021-01-01) were erased; 0: none.',
    }),
  },
  { $id: 'ModeratedAccount' },
)

export const accountJson = (account: AccountState) => ({
  fid: account.fid,
  suspended: account.suspended === 1,
  suspendedUntil: account.suspendedUntil ?? null,
  limited: account.isLimited,
  erasing: account.erasing === 1,
  erasedBefore: account.erased_before,
})

export const NoteSchema = Type.Object(
  {
    id: Type.Integer(),
    fid: Type.Integer({ description: 'The account that it is about.' }),
    at: Type.Integer({ description: 'Unix seconds.' }),
    author: Type.String({ description: 'Who wrote it.' }),
    text: Type.String(),
  },
  { $id: 'ModerationNote' },
)

export const noteJson = ({ id, fid, at, author, text }: ModerationNote) => ({
  ...{ id, fid, at, author, text },
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
      missing: Type.Optional(
        Type.Boolean({ description: 'Its bytes are lost, and `data` is empty.' }),
      ),
      data: Type.String({ description: 'The file in base64.' }),
    }),
    { description: 'One, or none when there is no file.' },
  ),
  nextPageToken: Type.String({ description: 'Empty on the last page.' }),
})

export const ExportRowsReply = Type.Object({
  rows: Type.Array(
    Type.Object({
      table: Type.String({ description: 'The table that it is in.' }),
      row: Type.Record(
        Type.String(),
        Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
        { description: 'Its columns; bytes in hex. Times are Unix seconds or milliseconds.' },
      ),
    }),
    { description: 'Those of one table stand together.' },
  ),
  nextPageToken: Type.String({ description: 'Empty on the last page.' }),
})

const orNull = (schema: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>) =>
  Type.Union([schema, Type.Null()])

export const ReportSchema = Type.Object(
  {
    id: Type.Integer(),
    reporterFid: Type.Integer({
      description: '0: the server itself, which holds the cast for review.',
    }),
    fid: Type.Integer({
      description:
        'The account that is reported, or the author of the cast or mini app; 0 for an app that nobody has signed.',
    }),
    castHash: orNull(Type.String()),
    miniAppDomain: orNull(Type.String()),
    kind: Type.Union([Type.Enum([...REPORT_KINDS]), Type.Null()], {
      description: '`held`: by the server. Null for clients that do not ask for it.',
    }),
    rule: orNull(Type.String({ description: 'The rule of the server that the reporter names.' })),
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
  miniAppDomain: report.mini_app,
  kind: report.kind,
  rule: report.rule,
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

export const ClaimSchema = Type.Object(
  {
    actor: Type.String({ description: 'Who has it, as the log names them.' }),
    fid: orNull(Type.Integer({ description: 'The account; null for the token of the operator.' })),
    since: Type.Integer({ description: 'Unix seconds.' }),
    until: Type.Integer({ description: 'When it ends by itself, in Unix seconds.' }),
    word: orNull(Type.String({ description: 'Why it was taken over from somebody else.' })),
  },
  { $id: 'CaseClaim' },
)

export const claimJson = ({ actor, fid, taken_at, ends_at, word }: CaseClaim) => ({
  ...{ actor, fid, word },
  since: taken_at,
  until: ends_at,
})

/** Of what is decided about: by a report, or by an appeal. */
const subjectFields = {
  castText: orNull(
    Type.String({ description: 'Also of a hidden cast; null of one that was deleted.' }),
  ),
  castUrls: Type.Array(Type.String(), {
    description: 'The addresses that the cast carries, and the one that it answers.',
  }),
  castQuotes: Type.Array(Type.Object({ fid: Type.Integer(), hash: Type.String() }), {
    description: 'The casts that it quotes.',
  }),
  castParent: Type.Union([Type.Object({ fid: Type.Integer(), hash: Type.String() }), Type.Null()], {
    description: 'The cast that it answers.',
  }),
  hidden: Type.Boolean({ description: 'The cast is hidden at the moment.' }),
  suspended: Type.Boolean({ description: 'The account is suspended at the moment.' }),
  limited: Type.Boolean({ description: 'The account is limited at the moment.' }),
  mayDecide: Type.Boolean({
    description:
      'False where the reader may not decide: about accounts with a role that is not below.',
  }),
  earlier: Type.Array(EntrySchema, {
    description: 'Decisions about the account, the newest first.',
  }),
  notes: Type.Array(NoteSchema, {
    description: 'Notes of moderators about the account, the newest first.',
  }),
}

const subjectJson = ({ content, earlier, notes, ...rest }: Subject) => ({
  castText: content.text,
  castUrls: [...content.urls, ...content.parentUrls],
  castQuotes: content.quotes.map(({ fid, hash }) => ({ fid, hash: toHex(hash) })),
  castParent: content.parent ? { fid: content.parent.fid, hash: toHex(content.parent.hash) } : null,
  hidden: rest.isHidden,
  suspended: rest.isSuspended,
  limited: rest.isLimited,
  mayDecide: rest.mayDecide,
  earlier: earlier.map(entryJson),
  notes: notes.map(noteJson),
})

export const CaseSchema = Type.Object(
  {
    id: Type.Integer({ description: 'The id of its first report.' }),
    fid: Type.Integer({ description: 'Whose it is; 0 for a mini app that nobody has signed.' }),
    castHash: orNull(Type.String()),
    miniAppDomain: orNull(Type.String()),
    ...subjectFields,
    held: Type.Boolean({
      description:
        'The cast is hidden until it is decided about: `hide` and `suspend` keep it so, every other act shows it.',
    }),
    moreHeld: Type.Integer({
      description:
        'Further casts of the account that are hidden and come into the queue when those in it are decided about.',
    }),
    hasPoll: Type.Boolean({ description: 'The cast carries a poll of this server.' }),
    taken: Type.Union([ClaimSchema, Type.Null()], {
      description: 'Who looks at it at the moment.',
    }),
    reportCount: Type.Integer(),
    kinds: Type.Array(Type.Object({ kind: Type.Enum([...REPORT_KINDS]), count: Type.Integer() }), {
      maxItems: REPORT_KINDS.length,
      description:
        'The kinds of all its reports with how many there are of each, the most frequent first.',
    }),
    reports: Type.Array(ReportSchema, { description: 'The first of them.' }),
  },
  { $id: 'ModerationCase' },
)

type Case = {
  readonly first: Report
  readonly reportCount: number
  readonly kinds: readonly { readonly kind: ReportKind; readonly n: number }[]
  readonly reports: readonly Report[]
  readonly isHeld: boolean
  readonly hasPoll: boolean
  readonly claim: CaseClaim | undefined
  readonly moreHeld: number
  readonly subject: Subject
}

export const caseJson = ({ first, reports, subject, ...rest }: Case) => ({
  id: first.id,
  fid: first.fid,
  castHash: first.cast_hash && toHex(first.cast_hash),
  miniAppDomain: first.mini_app,
  ...subjectJson(subject),
  held: rest.isHeld,
  moreHeld: rest.moreHeld,
  hasPoll: rest.hasPoll,
  taken: rest.claim ? claimJson(rest.claim) : null,
  reportCount: rest.reportCount,
  kinds: rest.kinds.map(({ kind, n }) => ({ kind, count: n })),
  reports: reports.map(reportJson),
})

const appealFields = {
  id: Type.Integer(),
  decision: Type.Integer({ description: 'The id of the decision in the log.' }),
  action: Type.String({ description: '`warn`, `hide`, `hold`, `limit` or `suspend`.' }),
  castHash: orNull(Type.String()),
  text: Type.String({ description: 'What the member wrote.' }),
  state: Type.Enum(['open', 'answered']),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  answeredAt: orNull(Type.Integer()),
  outcome: Type.Union([Type.Enum(['upheld', 'reversed']), Type.Null()]),
  answer: orNull(Type.String()),
}
/** As the member sees it. */
export const OwnAppealSchema = Type.Object(appealFields, { $id: 'OwnAppeal' })
export const AppealSchema = Type.Object(
  {
    ...appealFields,
    fid: Type.Integer(),
    castText: orNull(Type.String()),
    answeredBy: orNull(Type.String()),
  },
  { $id: 'ModerationAppeal' },
)

/** With all that one needs to answer it. */
export const AppealCaseSchema = Type.Object(
  {
    ...AppealSchema.properties,
    ...subjectFields,
    mayAnswer: Type.Boolean({
      description: 'False where the reader may not decide, and for who has made the decision.',
    }),
    decided: Type.Union([EntrySchema, Type.Null()], {
      description: 'The decision that it is against.',
    }),
  },
  { $id: 'ModerationAppealCase' },
)

export const ownAppealJson = (appeal: Appeal) => ({
  id: appeal.id,
  decision: appeal.decision,
  action: appeal.action,
  castHash: appeal.cast_hash && toHex(appeal.cast_hash),
  text: appeal.text,
  state: appeal.state,
  createdAt: appeal.created_at,
  answeredAt: appeal.answered_at,
  outcome: appeal.outcome,
  answer: appeal.answer,
})

export const appealJson = (appeal: Appeal, castText: string | null) => ({
  ...ownAppealJson(appeal),
  fid: appeal.fid,
  castText,
  answeredBy: appeal.answered_by,
})

export const appealCaseJson = (
  appeal: Appeal,
  subject: Subject,
  { decided, mayAnswer }: { decided: ModerationEntry | undefined; mayAnswer: boolean },
) => ({
  ...appealJson(appeal, subject.content.text),
  ...subjectJson(subject),
  mayAnswer,
  decided: decided ? entryJson(decided) : null,
})

export const RoleSchema = Type.Enum([...STAFF_ROLES])
export const StaffSchema = Type.Object(
  {
    fid: Type.Integer(),
    role: RoleSchema,
    since: Type.Integer({ description: 'Unix seconds.' }),
    appointedBy: Type.String(),
  },
  { $id: 'StaffMember' },
)
export const staffJson = ({ fid, role, since, appointed_by }: StaffMember) => ({
  fid,
  role,
  since,
  appointedBy: appointed_by,
})
