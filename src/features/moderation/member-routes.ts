import Type from 'typebox'
import { bind, json, type RequestInfo, type Route, route } from '../../kernel/http/route.ts'

import { equalBytes, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { NO_BYTES } from '../../kernel/protocol/sizes.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import type { AskedConsent, JoinsWaiting } from '../joining/port.ts'
import {
  ACTS,
  type Act,
  ENDED_BY,
  type ModerationAction,
  type ModerationEntry,
  moderationLogRows,
  type Report,
  reportRows,
} from '../moderation-records/port.ts'
import { type Appeals, MAX_APPEAL_CHARACTERS } from './appeals.ts'
import { castTextsOf } from './cast-text.ts'
import { TIME_IS_OVER } from './moderation.ts'
import { OwnAppealSchema, ownAppealJson, RoleSchema } from './schemas.ts'
import { type Newcomer, newcomerOf } from './screening/newcomers.ts'
import { appealRows } from './tables/appeals.ts'
import { limitRows } from './tables/limits.ts'
import { staffRows } from './tables/staff.ts'
import { waitingFor } from './telling/waiting.ts'

// What a member sees of moderation: what was decided about own content, what came of own reports, and appeals. Suspended
// accounts may read it and appeal.

export type MemberContext = {
  readonly storage: Storage
  readonly appeals: Appeals
  /** Who signed the request, suspended or not. */
  readonly callerOf: (request: RequestInfo) => Promise<{ readonly fid: number }>
  /** Unix seconds. */
  readonly now: () => number
  /** How many people wait to be let in. */
  readonly joinsWaiting: JoinsWaiting
  /** What an account has to agree to. */
  readonly askedConsent: AskedConsent
}

const TAGS = [{ name: 'Reports', description: 'What users report to the operator.' }]

/** Of each list, the newest. */
const MAX_SHOWN = 50
/** Of casts that were held, so that they leave room for other decisions. */
const MAX_HOLDS_SHOWN = 25
/** Decisions that took others back, among which those are found that took back what was done about own reports. */
const MAX_REVERSED = 200
/** Acts that take back what was done about a report. Releases are read apart, by cast: an account may have hundreds of held casts. */
const REVERSALS = (['warn', 'hide', 'limit', 'suspend'] satisfies Act[])
  .flatMap((act) => ENDED_BY[act] ?? [])
  .filter((action) => action !== 'release')
/** What concerns the member; the log also has what was decided about reports. */
const SHOWN: readonly ModerationAction[] = [
  'suspend',
  'restore',
  'limit',
  'unlimit',
  'warn',
  'unwarn',
  'hide',
  'unhide',
  'release',
  'take-name',
  'remove-file',
  'remove-poll',
  'appoint',
  'dismiss',
]

/** The newest decisions of which an account may know, and as a list of their own its casts that were held. */
export async function ownDecisions({ of }: Pick<Reader, 'of'>, fid: number) {
  const newest = (actions: readonly ModerationAction[], limit: number) =>
    of(moderationLogRows).list({ fid, actions }, Number.MAX_SAFE_INTEGER, limit)
  const [decisions, holds] = await Promise.all([
    newest(SHOWN, MAX_SHOWN),
    newest(['hold'], MAX_HOLDS_SHOWN),
  ])
  return [...decisions, ...holds].sort((a, b) => b.id - a.id)
}

const isOnSame = (one: Pick<Report, 'cast_hash'>, other: Pick<Report, 'cast_hash'>): boolean =>
  equalBytes(one.cast_hash ?? NO_BYTES, other.cast_hash ?? NO_BYTES)

/** The first decision after a report was answered that took back what was done about it; the newest are given first, and answers by their ids. */
const reversalOf = (
  { fid, act, decision, resolved_at, cast_hash }: Report,
  reversed: readonly ModerationEntry[],
  answers: ReadonlyMap<number, ModerationEntry>,
): ModerationEntry | undefined => {
  if (act === null) return undefined
  const ends = reversed.filter(
    (entry) => entry.fid === fid && ENDED_BY[act]?.some((end) => end === entry.action),
  )
  if (act === 'warn') {
    const warning = decision === null ? undefined : answers.get(decision)?.goes_with
    return ends.find(({ name }) => Number(name) === warning)
  }
  const isLater = ({ id, at }: ModerationEntry) =>
    // Of an earlier version.
    decision === null ? at >= (resolved_at ?? 0) : id > decision
  const end = ends.findLast(
    (entry) => isLater(entry) && (act !== 'hide' || isOnSame(entry, { cast_hash })),
  )
  // A suspension whose time is over was not taken back, and what ends a later one says nothing about it.
  return end?.actor === TIME_IS_OVER.actor ? undefined : end
}

const orNull = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const seconds = () => Type.Integer({ description: 'Unix seconds.' })

const own = route('GET /v1/own-moderation', {
  callers: 'user',
  summary: 'What was decided about the own account, and what came of own reports',
  description: `With the reason of each decision. The newest ${MAX_SHOWN} of each list, and of casts that were held ${MAX_HOLDS_SHOWN}. A suspended account may ask too.`,
  tags: TAGS,
  reply: Type.Object({
    result: Type.Object({
      suspended: Type.Boolean(),
      suspendedUntil: orNull(
        Type.Integer({ description: 'Unix seconds; null: for good, or not suspended.' }),
      ),
      limited: Type.Boolean({
        description:
          'Trends, searches and notifications show the account only to those who follow it.',
      }),
      role: orNull(RoleSchema),
      decisions: Type.Array(
        Type.Object(
          {
            id: Type.Integer(),
            at: seconds(),
            action: Type.String({ description: [...SHOWN, 'hold'].join(', ') }),
            castHash: orNull(Type.String()),
            castText: orNull(Type.String()),
            name: orNull(Type.String()),
            reason: Type.String(),
          },
          { $id: 'OwnDecision' },
        ),
      ),
      appeals: Type.Array(OwnAppealSchema),
      reports: Type.Array(
        Type.Object(
          {
            id: Type.Integer(),
            fid: Type.Integer(),
            castHash: orNull(Type.String()),
            reason: Type.String(),
            state: Type.Enum(['open', 'resolved']),
            createdAt: seconds(),
            resolvedAt: orNull(Type.Integer()),
            answer: orNull(Type.String({ description: 'What a moderator says.' })),
            act: Type.Union([Type.Enum(ACTS), Type.Null()], {
              description: 'What was done; null: nothing, or it is not known.',
            }),
            reversedAt: orNull(
              Type.Integer({
                description:
                  'When what was done was taken back, in Unix seconds; null: it was not.',
              }),
            ),
          },
          { $id: 'OwnReport' },
        ),
      ),
    }),
  }),
  errors: [],
  cost: { cpu: 'small', rows: 4 * MAX_SHOWN + MAX_HOLDS_SHOWN + 2 * MAX_REVERSED },
  handler: async ({ storage, callerOf }: MemberContext, { request }) => {
    const { fid } = await callerOf(request)
    const staff = storage.of(staffRows)
    const limits = storage.of(limitRows)
    const [account, isLimited, endsAt, member, shown, appeals, reports] = await Promise.all([
      storage.moderation.account(fid),
      limits.isLimited(fid),
      limits.endOf(fid),
      staff.find(fid),
      ownDecisions(storage, fid),
      storage.of(appealRows).ofFid(fid, MAX_SHOWN),
      storage.of(reportRows).ofReporter(fid, MAX_SHOWN),
    ])
    const reported = (some: readonly Report[]) => some.map((report) => report.fid)
    const log = storage.of(moderationLogRows)
    const hidden = reports.filter(({ act }) => act === 'hide')
    const casts = hidden.flatMap(({ cast_hash }) => cast_hash ?? [])
    const [others, released, answers] = await Promise.all([
      log.ofAccounts(reported(reports), REVERSALS, MAX_REVERSED),
      log.ofCasts(reported(hidden), casts, 'release', MAX_REVERSED),
      log.findAll(reports.flatMap(({ decision }) => decision ?? [])),
    ])
    const answersById = new Map(answers.map((entry) => [entry.id, entry]))
    const reversed = [...others, ...released].sort((a, b) => b.id - a.id)
    const texts = await castTextsOf(
      storage,
      shown.map(({ cast_hash }) => cast_hash),
    )
    return {
      result: {
        suspended: account?.suspended === 1,
        suspendedUntil: endsAt ?? null,
        limited: isLimited,
        role: member?.role ?? null,
        decisions: shown.map(({ id, at, action, cast_hash, name, reason }, i) => ({
          ...{ id, at, action, name, reason },
          castHash: cast_hash && toHex(cast_hash),
          castText: texts[i]!,
        })),
        appeals: appeals.map(ownAppealJson),
        reports: reports.map((report) => ({
          id: report.id,
          fid: report.fid,
          castHash: report.cast_hash && toHex(report.cast_hash),
          reason: report.reason,
          state: report.state,
          createdAt: report.created_at,
          resolvedAt: report.resolved_at,
          answer: report.answer,
          act: report.act,
          reversedAt: reversalOf(report, reversed, answersById)?.at ?? null,
        })),
      },
    }
  },
})

const standing = route('GET /v1/own-standing', {
  callers: 'user',
  summary: 'What an account may do here, and what is asked of it before it writes',
  description:
    '`waiting` counts cases (what open reports are about) and open appeals (of the newest 100) which the caller may decide about, and people who wait to be let in; 0 without a role. `newAccount` is there while the operator limits the account because it is new; a number in it that is null is not limited. `consent` is there until the account has agreed to the rules of now (`PUT /v1/consent` of the accounts interface).',
  tags: TAGS,
  reply: Type.Object({
    result: Type.Object({
      role: orNull(RoleSchema),
      suspended: Type.Boolean(),
      suspendedUntil: orNull(
        Type.Integer({ description: 'Unix seconds; null: for good, or not suspended.' }),
      ),
      waiting: Type.Integer(),
      newAccount: orNull(
        Type.Object(
          {
            endsAt: seconds(),
            posts: orNull(Type.Integer({ description: 'In 24 hours.' })),
            links: orNull(Type.Integer({ description: 'In one cast.' })),
            mentions: orNull(Type.Integer({ description: 'In one cast.' })),
          },
          { $id: 'OwnNewAccount' },
        ),
      ),
      consent: orNull(
        Type.Object({
          version: Type.String({ description: 'Of the rules; empty without rules.' }),
          minimumAge: Type.Integer({ description: 'Years; 0: none.' }),
        }),
      ),
    }),
  }),
  errors: [],
  cost: 'lookup',
  handler: async ({ storage, callerOf, joinsWaiting, askedConsent, now }: MemberContext, input) => {
    const { fid } = await callerOf(input.request)
    const [account, endsAt, member, newcomer, asked] = await Promise.all([
      storage.moderation.account(fid),
      storage.of(limitRows).endOf(fid),
      storage.of(staffRows).find(fid),
      newcomerOf(storage, fid, now()),
      askedConsent(storage, fid),
    ])
    const rest = {
      consent: asked ?? null,
      suspended: account?.suspended === 1,
      suspendedUntil: endsAt ?? null,
    }
    if (!member) {
      const newAccount = newAccountJson(newcomer)
      return { result: { role: null, waiting: 0, newAccount, ...rest } }
    }
    const [{ cases, appeals }, joins] = await Promise.all([
      waitingFor(storage, member),
      joinsWaiting(storage),
    ])
    const waiting = cases + appeals + joins
    return { result: { role: member.role, waiting, newAccount: null, ...rest } }
  },
})

const newAccountJson = (newcomer: Newcomer | undefined) => {
  if (!newcomer) return null
  const { posts, links, mentions } = newcomer.rule
  return { endsAt: newcomer.endsAt, posts, links, mentions }
}

const appeal = route('POST /v1/appeals', {
  callers: 'user',
  summary: 'Appeal a decision about the own account or an own cast',
  description:
    'Each suspension, limit, warning and hidden cast once, while it is in force: what has ended or was taken back is answered with 409. ' +
    'Five appeals in 24 hours. The answer is in `/v1/own-moderation`. A suspended account may appeal too.',
  tags: TAGS,
  body: json(
    Type.Object({
      decision: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
      text: Type.String({ minLength: 1, maxLength: MAX_APPEAL_CHARACTERS, pattern: '\\S' }),
    }),
  ),
  reply: Type.Object({ result: Type.Object({ appeal: OwnAppealSchema }) }),
  errors: [
    'bad_request.validation_failure',
    'changed_meanwhile',
    'not_found',
    'rate_limited',
    'unavailable.overloaded',
  ],
  cost: 'write',
  handler: async ({ appeals, callerOf }: MemberContext, { body, request }) => {
    const { fid } = await callerOf(request)
    return { result: { appeal: ownAppealJson(await appeals.add(fid, body.decision, body.text)) } }
  },
})

export const memberRoutes = (context: MemberContext): Route[] =>
  bind(context, [own, standing, appeal])
