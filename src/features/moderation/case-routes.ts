import Type from 'typebox'
import { cursorParam, limitParam, pageReply } from '../../kernel/http/input/paging.ts'
import { described, intParam, optional, wordParam } from '../../kernel/http/input/params.ts'
import { json, route } from '../../kernel/http/route.ts'
import {
  ACTS,
  REPORT_KINDS,
  type Report,
  reportRows,
  withRule,
} from '../moderation-records/port.ts'
import { ANSWERED_AT_ONCE } from './answering.ts'
import { CLAIM_SECONDS, giveBackCase, takeCase } from './claims.ts'
import {
  actorFields,
  actorIn,
  DONE,
  Done,
  daysField,
  decisionFields,
  decisionOf,
  memberIn,
  Next,
  type OperatorContext,
  TAGS,
  usernamesOf,
} from './decisions.ts'
import { WARNED_ONCE_SECONDS } from './moderation.ts'
import { MAX_RULE_CHARACTERS } from './report-routes.ts'
import {
  CaseSchema,
  ClaimSchema,
  caseJson,
  claimJson,
  ReportSchema,
  reportJson,
} from './schemas.ts'
import { MAX_EARLIER_READ, subjectOf } from './subject.ts'
import { type CaseClaim, claimRows } from './tables/claims.ts'
import { heldRows } from './tables/held.ts'
import { MAX_NOTES } from './tables/notes.ts'
import type { StaffMember } from './tables/staff.ts'

// What is reported, as who moderates reads it: everything about one thing together, decided in one act.

/** Reports of one case that are shown, each with up to 500 characters. */
const MAX_REPORTS_SHOWN = 20
const MAX_CASES = 50
const MAX_WORD_CHARACTERS = 300
type Found = {
  readonly first: Report
  readonly reports: number
  readonly kinds: Parameters<typeof caseJson>[0]['kinds']
  readonly claim: CaseClaim | undefined
}

/** The case with all that one needs to decide it; with notes, if the reader may read those about the account. */
async function caseOf(
  { storage, staff, polls }: OperatorContext,
  { first, reports, kinds, claim }: Found,
  member: StaffMember | undefined,
) {
  const { cast_hash } = first
  const subject = await subjectOf({ storage, staff }, first, member)
  const [shown, held, poll] = await Promise.all([
    storage.of(reportRows).waitingOn(first, MAX_REPORTS_SHOWN),
    cast_hash ? storage.of(heldRows).cast(cast_hash) : undefined,
    polls?.among(subject.content.urls),
  ])
  return caseJson({
    ...{ first, kinds, claim, subject },
    hasPoll: poll !== undefined,
    reportCount: reports,
    reports: shown,
    isHeld: held !== undefined,
    moreHeld: held ? await storage.of(heldRows).count(first.fid, 'new') : 0,
  })
}

const caseId = described(
  intParam({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  'Id of the case, or of any report in it.',
)

const listCases = route('GET /moderation/cases', {
  callers: 'operator',
  summary: 'What is reported: open reports, together by what they are about',
  description:
    `The longest waiting first. Each with what the cast says and carries, hidden or not, up to ${MAX_REPORTS_SHOWN} reports, ` +
    'how many of all its reports are of which kind, and the newest decisions about the account. An account with a role sees nothing that is about itself.',
  tags: TAGS,
  query: {
    kind: optional(described(wordParam(REPORT_KINDS), 'Only what somebody has reported as this.')),
    limit: limitParam({ default: 20, max: MAX_CASES }),
    cursor: cursorParam('n'),
  },
  reply: Type.Object({
    result: Type.Object({
      cases: Type.Array(CaseSchema),
      names: Type.Record(Type.String(), Type.String(), {
        description: 'Of the accounts in them, by fid; those without a name are left out.',
      }),
    }),
    next: Next,
  }),
  errors: [],
  cost: {
    cpu: 'medium',
    rows:
      MAX_CASES * (2 * MAX_REPORTS_SHOWN + REPORT_KINDS.length + 1 + MAX_EARLIER_READ + MAX_NOTES),
  },
  handler: async (context: OperatorContext, { query: { kind, cursor, limit }, body }) => {
    const after = (cursor?.[0] as number | undefined) ?? 0
    const member = memberIn(body)
    const { storage, now } = context
    const which = { withoutReportsAbout: member?.fid, kind }
    const found = await storage.of(reportRows).cases(which, after, limit + 1)
    const ids = found.map(({ first }) => first.id)
    const [claims, kinds] = await Promise.all([
      storage.of(claimRows).ofReports(ids, now()),
      storage.of(reportRows).kindsOf(ids),
    ])
    const cases = await Promise.all(
      found.map((one) => {
        const { id } = one.first
        const more = { kinds: kinds.get(id) ?? [], claim: claims.get(id) }
        return caseOf(context, { ...one, ...more }, member)
      }),
    )
    const fids = new Set(
      cases.flatMap(({ fid, reports }) => [fid, ...reports.map((one) => one.reporterFid)]),
    )
    const names = await usernamesOf(storage, [...fids])
    return pageReply(
      cases,
      limit,
      ({ id }) => [id],
      (items) => ({ cases: items, names: Object.fromEntries(names) }),
    )
  },
})

const decideCase = route('POST /moderation/cases/:id/decide', {
  callers: 'operator',
  summary: 'Decide about what is reported, and answer the reports that this settles',
  description:
    '`leave` changes nothing, `warn` tells the account the reason, `hide` hides the cast, `remove-poll` removes the poll that it carries, `limit` limits the account, `suspend` suspends it, for `days` or for good. Answered are the open reports about the same ' +
    'thing, with `suspend` all about the account. Who reported, and whom it concerns, read the reason. The same once more ' +
    'changes nothing; a report that somebody else has answered is refused with 409.',
  tags: TAGS,
  params: {
    id: caseId,
  },
  body: json(
    Type.Object({
      ...decisionFields,
      ...daysField,
      act: Type.Enum(ACTS),
      once: Type.Optional(
        Type.Boolean({
          description: `With \`warn\`, for several cases about one account: it is warned once with the same words, in ${WARNED_ONCE_SECONDS / 60} minutes.`,
        }),
      ),
      rule: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_RULE_CHARACTERS,
          description: 'The rule of the server that was broken; the reason begins with it.',
        }),
      ),
    }),
  ),
  reply: Type.Object({
    answered: Type.Array(ReportSchema, {
      maxItems: ANSWERED_AT_ONCE + 1,
      description: 'The first of them.',
    }),
    count: Type.Integer({
      description: 'How many there are in all: the rest is answered after the call.',
    }),
    changed: Type.Boolean({
      description: 'Whether something was done: false of `leave`, and where it stood so already.',
    }),
    entry: Type.Optional(
      Type.Integer({
        description:
          'The id in the log of what was done to the account: by it a warning is taken back.',
      }),
    ),
  }),
  errors: ['bad_request.validation_failure', 'changed_meanwhile', 'not_found'],
  cost: 'write',
  handler: async (
    { reports }: OperatorContext,
    { params, body: { act, once, rule, days, ...given } },
  ) => {
    const { actor, reason } = decisionOf(given)
    const decision = { actor, reason: rule ? withRule(rule, reason) : reason }
    const done = await reports.decide(params.id, { act, days, once }, decision)
    const { first, count, changed, entry } = done
    return {
      ...{ answered: first.map(reportJson), count, changed },
      ...(entry !== undefined && { entry }),
    }
  },
})

const takeRoute = route('POST /moderation/cases/:id/take', {
  callers: 'operator',
  summary: 'Take a case, so that no other moderator answers it meanwhile',
  description:
    `Others see who has it and since when. It ends after ${CLAIM_SECONDS / 60} minutes, when it is decided or given back; ` +
    'taking it once more begins the time anew. One that somebody else has is refused with 409, unless `word` says to them why ' +
    'it is taken over. Deciding needs no taking.',
  tags: TAGS,
  params: { id: caseId },
  body: json(
    Type.Object({
      ...actorFields,
      word: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_WORD_CHARACTERS,
          pattern: '\\S',
          description: 'Why it is taken over from somebody else, for other moderators.',
        }),
      ),
    }),
  ),
  reply: ClaimSchema,
  errors: ['bad_request.validation_failure', 'changed_meanwhile', 'not_found'],
  cost: 'write',
  handler: async ({ storage, now }: OperatorContext, { params: { id }, body }) => {
    const by = { fid: memberIn(body)?.fid ?? null, actor: actorIn(body) }
    return claimJson(await takeCase(storage, id, { by, word: body.word?.trim(), now: now() }))
  },
})

const giveBackRoute = route('DELETE /moderation/cases/:id/take', {
  callers: 'operator',
  summary: 'Give a case back that one has taken',
  description: 'It changes nothing when somebody else has it, or nobody.',
  tags: TAGS,
  params: { id: caseId },
  reply: Done,
  errors: ['changed_meanwhile', 'not_found'],
  cost: 'write',
  handler: async ({ storage, now }: OperatorContext, { params: { id }, body }) => {
    await giveBackCase(storage, id, actorIn(body), now())
    return DONE
  },
})

export const caseRoutes = [listCases, decideCase, takeRoute, giveBackRoute]
