import Type, { type Static } from 'typebox'
import { fidParam } from '../../kernel/http/input/params.ts'
import { json, jsonText, noContent, type Route, route } from '../../kernel/http/route.ts'

import { Fid, Result, SingleLineText, UnixSeconds } from '../../kernel/platform/schemas.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Badges } from './badges.ts'
import { FAILURES, type Failure } from './records.ts'
import type { BadgeMark, BadgeSet } from './tables/badges.ts'

type Needs = { readonly badges: Badges }

const MAX_REASON_CHARACTERS = 500

const holders = route('GET /v2/power-badge-users', {
  callers: 'anyone',
  summary: 'Who has a power badge',
  description:
    'Recalculated on Tuesdays at 12:00:00 UTC; until then the list changes only where the ' +
    'operator adds or excludes an account. Ascending.',
  tags: [{ name: 'Power badges', description: 'Which accounts have a power badge.' }],
  reply: Result(Type.Object({ fids: Type.Array(Fid) })),
  errors: [],
  cost: 'lookup',
  handler: async ({ badges }: Needs) => {
    const { body, etag, freshSeconds } = await badges.current()
    const freshness = freshSeconds > 0 ? `public, max-age=${freshSeconds}` : 'no-cache'
    return jsonText(body, { headers: { etag, 'cache-control': freshness } })
  },
})

/** For the client platform's interface. */
export const badgeRoutes: readonly Route<Needs>[] = [holders]

const OPERATOR = [{ name: 'Operator', description: 'What only the operator may do.' }]

const Kind = Type.Enum(['add', 'exclude'])
const Mark = Type.Object({ fid: Fid, kind: Kind, reason: Type.String(), markedAt: UnixSeconds })
const Summary = Type.Object({
  accounts: Type.Integer(),
  activeAccounts: Type.Integer(),
  edges: Type.Integer(),
  seeds: Type.Array(Fid),
  threshold: Type.Number(),
  supportersNeeded: Type.Integer(),
})
const SetJson = Type.Object({
  due: UnixSeconds,
  computedAt: UnixSeconds,
  count: Type.Integer({ description: 'The number of badge holders.' }),
  summary: Summary,
})
const ExplanationReply = Type.Object({
  fid: Fid,
  hasBadge: Type.Boolean(),
  mark: Type.Optional(Mark),
  set: Type.Optional(SetJson),
  score: Type.Number(),
  rank: Type.Optional(Type.Integer()),
  supporters: Type.Integer(),
  failed: Type.Array(Type.Enum(Object.keys(FAILURES) as Failure[]), {
    description: 'Missing requirements. The profile is checked only when nothing else is missing.',
  }),
})

const seconds = (unixMs: number) => Math.floor(unixMs / 1000)
const markJson = ({ marked_at, ...mark }: BadgeMark) => ({ ...mark, markedAt: seconds(marked_at) })
const setJson = ({ due, computedAt, fids, summary }: BadgeSet) => ({
  due: seconds(due),
  computedAt: seconds(computedAt),
  count: fids.length,
  summary: JSON.parse(summary) as Static<typeof Summary>,
})

const ofFid = { fid: fidParam }

const explain = route('GET /platform/badges/explanations/:fid', {
  callers: 'operator',
  summary: 'Why a fid has a power badge, or has none',
  description: 'Its score and what it lacked when the set in force was computed.',
  tags: OPERATOR,
  params: ofFid,
  reply: ExplanationReply,
  errors: [],
  cost: 'lookup',
  handler: async ({ badges }: Needs, { params }) => {
    const { mark, set, rank, failed, ...rest } = await badges.explain(params.fid)
    return {
      ...rest,
      failed: [...failed],
      ...(rank && { rank }),
      ...(mark && { mark: markJson(mark) }),
      ...(set && { set: setJson(set) }),
    }
  },
})

const marks = route('GET /platform/badges/marks', {
  callers: 'operator',
  summary: 'Fids that the operator added or excluded',
  description: 'They have or lack the badge regardless of their score.',
  tags: OPERATOR,
  reply: Type.Object({ marks: Type.Array(Mark) }),
  errors: [],
  cost: 'lookup',
  handler: async ({ badges }: Needs) => ({ marks: (await badges.marks()).map(markJson) }),
})

const mark = route('PUT /platform/badges/marks/:fid', {
  callers: 'operator',
  summary: 'Add a fid to the power badges, or exclude it',
  description:
    'At once. From the next run on, trust begins with who is added, and flows neither to nor from ' +
    'who is excluded.',
  tags: OPERATOR,
  params: ofFid,
  body: json(
    Type.Object(
      {
        kind: Kind,
        reason: SingleLineText({ minLength: 1, maxLength: MAX_REASON_CHARACTERS }),
      },
      { additionalProperties: false },
    ),
  ),
  reply: Mark,
  errors: ['bad_request'],
  cost: 'write',
  handler: async ({ badges }: Needs, { params, body }) =>
    markJson(await badges.mark(params.fid, body.kind, body.reason)),
})

const unmark = route('DELETE /platform/badges/marks/:fid', {
  callers: 'operator',
  summary: 'Remove the mark of a fid',
  description: 'Its score decides again.',
  tags: OPERATOR,
  params: ofFid,
  status: 204,
  reply: Type.Object({}),
  errors: ['not_found'],
  cost: 'write',
  handler: async ({ badges }: Needs, { params: { fid } }) => {
    if (await badges.unmark(fid)) return noContent
    throw new Rejection('not_found', `FID ${fid} is neither added nor excluded`)
  },
})

const set = route('GET /platform/badges/set', {
  callers: 'operator',
  summary: 'The computed set in force',
  description: 'Without it before the first run. The holders are in /v2/power-badge-users.',
  tags: OPERATOR,
  reply: Type.Object({ set: Type.Optional(SetJson) }),
  errors: [],
  cost: 'lookup',
  handler: async ({ badges }: Needs) => {
    const found = await badges.set()
    return found ? { set: setJson(found) } : {}
  },
})

const STARTED = { started: true } as const

const run = route('POST /platform/badges/runs', {
  callers: 'operator',
  summary: 'Compute the set now, in place of the last one',
  description: 'In the background.',
  tags: OPERATOR,
  reply: Type.Object({ started: Type.Literal(true) }),
  errors: [],
  cost: 'write',
  handler: ({ badges }: Needs) => {
    badges.runInBackground()
    return STARTED
  },
})

/** For the operations interface. */
export const operatorBadgeRoutes: readonly Route<Needs>[] = [explain, marks, mark, unmark, set, run]
