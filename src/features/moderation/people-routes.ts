import Type from 'typebox'
import { cursorParam, limitParam, pageReply } from '../../kernel/http/input/paging.ts'
import {
  described,
  fidParam,
  fidsParam,
  intParam,
  optional,
  textParam,
  wordParam,
} from '../../kernel/http/input/params.ts'
import { json, route } from '../../kernel/http/route.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import { registrationTimes } from '../../kernel/storage/reads/registration-times.ts'
import { moderationLogRows } from '../moderation-records/port.ts'
import { castTextsOf } from './cast-text.ts'
import {
  DecisionBody,
  DONE,
  Done,
  decisionFields,
  decisionOf,
  memberIn,
  Next,
  type OperatorContext,
  TAGS,
  usernamesOf,
} from './decisions.ts'
import {
  AppealCaseSchema,
  AppealSchema,
  appealCaseJson,
  appealJson,
  RoleSchema,
  StaffSchema,
  staffJson,
} from './schemas.ts'
import { MAX_EARLIER_READ, subjectOf } from './subject.ts'
import { type Appeal, appealRows } from './tables/appeals.ts'
import { MAX_NOTES } from './tables/notes.ts'
import { isDecidedBy, type StaffMember, staffRows } from './tables/staff.ts'

// The operator's routes about people: appeals of members, and the accounts that moderate.

const NamedAppealSchema = Type.Object({
  ...AppealCaseSchema.properties,
  username: Type.Optional(Type.String({ description: 'Of the account that appeals.' })),
})

const MAX_APPEALS = 100
/** Of a name below a domain. */
export const MAX_NAME_BYTES = 255

/** An appeal with all that one needs to answer it. */
async function appealCaseOf(
  context: OperatorContext,
  appeal: Appeal,
  member: StaffMember | undefined,
) {
  const [subject, decided] = await Promise.all([
    subjectOf(context, appeal, member),
    context.storage.of(moderationLogRows).find(appeal.decision),
  ])
  const isOwn = member && decided && isDecidedBy(decided.actor, member.fid)
  return appealCaseJson(appeal, subject, { decided, mayAnswer: subject.mayDecide && !isOwn })
}

const listAppeals = route('GET /moderation/appeals', {
  callers: 'operator',
  summary: 'Appeals of members',
  description:
    'Open ones unless `state` says otherwise, the oldest first. Each with the decision, what the cast says and carries, and what is known of the account.',
  tags: TAGS,
  query: {
    state: optional(described(wordParam(['open', 'answered'] as const), 'Which appeals.')),
    limit: limitParam({ default: 50, max: MAX_APPEALS }),
    cursor: cursorParam('n'),
  },
  reply: Type.Object({
    result: Type.Object({ appeals: Type.Array(NamedAppealSchema) }),
    next: Next,
  }),
  errors: [],
  cost: { cpu: 'medium', rows: MAX_APPEALS * (MAX_EARLIER_READ + MAX_NOTES) },
  handler: async (context: OperatorContext, { query, body }) => {
    const after = (query.cursor?.[0] as number | undefined) ?? 0
    const rows = await context.storage
      .of(appealRows)
      .list(query.state ?? 'open', after, query.limit + 1)
    const member = memberIn(body)
    const appeals = await Promise.all(rows.map((row) => appealCaseOf(context, row, member)))
    const names = await usernamesOf(context.storage, [...new Set(rows.map(({ fid }) => fid))])
    return pageReply(
      appeals,
      query.limit,
      ({ id }) => [id],
      (items) => ({
        appeals: items.map((one) => {
          const username = names.get(one.fid)
          return { ...one, ...(username && { username }) }
        }),
      }),
    )
  },
})

const answerAppeal = route('POST /moderation/appeals/:id/answer', {
  callers: 'operator',
  summary: 'Answer an appeal',
  description:
    '`reversed` shows the cast, restores the account or takes the warning back; `upheld` leaves the decision in force. The member reads the ' +
    'reason. The same answer once more changes nothing; another one is answered with 409. An account with a role answers no ' +
    'appeal against its own decision.',
  tags: TAGS,
  params: {
    id: described(intParam({ min: 1, max: Number.MAX_SAFE_INTEGER }), 'Id of the appeal.'),
  },
  body: json(
    Type.Object({ ...decisionFields, outcome: Type.Enum(['upheld', 'reversed'] as const) }),
  ),
  reply: AppealSchema,
  errors: ['bad_request.validation_failure', 'changed_meanwhile', 'not_found'],
  cost: 'write',
  handler: async ({ appeals, storage }: OperatorContext, { params, body }) => {
    const appeal = await appeals.answer(params.id, body.outcome, decisionOf(body))
    const [text] = await castTextsOf(storage, [appeal.cast_hash])
    return appealJson(appeal, text!)
  },
})

const STAFF_PROFILE = ['username', 'displayName', 'picture'] as const
const NamedStaffSchema = Type.Object({
  ...StaffSchema.properties,
  username: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String({ description: 'Its address.' })),
})

const listStaff = route('GET /moderation/staff', {
  callers: 'operator',
  summary: 'The accounts that moderate',
  description: 'At most 100, by fid.',
  tags: TAGS,
  reply: Type.Object({ staff: Type.Array(NamedStaffSchema) }),
  errors: [],
  cost: 'lookup',
  handler: async ({ staff, storage }: OperatorContext) => {
    const members = await staff.list()
    const fids = members.map(({ fid }) => fid)
    const profiles = await readProfiles(storage.messages, fids, STAFF_PROFILE)
    return { staff: members.map((member, at) => ({ ...staffJson(member), ...profiles[at] })) }
  },
})

const MAX_PEOPLE = 100
const PERSON_PROFILE = ['username', 'displayName', 'picture', 'bio'] as const

const listPeople = route('GET /moderation/people', {
  callers: 'operator',
  summary: 'Who accounts are, suspended ones too',
  description:
    'Names, pictures, roles and how much they wrote, by fid or by a name. What is not registered is left out.',
  tags: TAGS,
  query: {
    fids: optional(fidsParam(MAX_PEOPLE)),
    username: optional(
      described(
        textParam({ maxBytes: MAX_NAME_BYTES }),
        'A name of an account, or `!` and its fid.',
      ),
    ),
  },
  reply: Type.Object({
    people: Type.Array(
      Type.Object({
        fid: Type.Integer(),
        username: Type.Optional(Type.String()),
        displayName: Type.Optional(Type.String()),
        picture: Type.Optional(Type.String({ description: 'Its address.' })),
        bio: Type.Optional(Type.String()),
        registeredAt: Type.Integer({ description: 'Unix seconds.' }),
        casts: Type.Integer({ description: 'That are stored, hidden ones too.' }),
        role: Type.Union([RoleSchema, Type.Null()]),
      }),
    ),
  }),
  errors: [],
  cost: 'list',
  handler: async ({ storage }: OperatorContext, { query }) => {
    const named = query.username && (await fidOfName(storage, query.username))
    const fids = [...new Set([...(query.fids ?? []), ...(named ? [named] : [])])]
    const [profiles, times, usage, staff] = await Promise.all([
      readProfiles(storage.messages, fids, PERSON_PROFILE),
      registrationTimes(storage, fids),
      storage.messages.usage(fids),
      storage.of(staffRows).ofFids(fids),
    ])
    const people = fids.flatMap((fid, at) => {
      const registeredAt = times.get(fid)
      if (registeredAt === undefined) return []
      const own = usage.find((one) => one.fid === fid && one.store === MESSAGE_SETS.casts)
      const role = staff.find((one) => one.fid === fid)?.role ?? null
      return [{ ...profiles[at], fid, registeredAt, casts: own?.count ?? 0, role }]
    })
    return { people }
  },
})

/** The account of a name, as the views know it, also while nobody is shown it. */
export const fidOfName = async (
  { appViews }: Pick<OperatorContext['storage'], 'appViews'>,
  name: string,
): Promise<number | undefined> =>
  /^!\d{1,10}$/.test(name) ? Number(name.slice(1)) : appViews.fidByName(name.toLowerCase())

const CustodyText = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'The custody address of the account, as you have seen it.',
})

const appoint = route('POST /moderation/staff/:fid/appoint', {
  callers: 'operator',
  summary: 'Give an account a role',
  description:
    'A moderator reads reports and appeals, hides casts and suspends accounts. An operator may also erase, export, take ' +
    'names, appoint moderators and change what the server says about itself. Only the token makes operators. `custody` is the ' +
    'address by which you know whose account it is: another one is answered with 409, because the account may have moved.',
  tags: TAGS,
  params: { fid: fidParam },
  body: json(Type.Object({ ...decisionFields, role: RoleSchema, custody: CustodyText })),
  reply: StaffSchema,
  errors: [
    'bad_request.validation_failure',
    'bad_request.conflict',
    'changed_meanwhile',
    'not_found',
  ],
  cost: 'write',
  handler: async ({ staff }: OperatorContext, { params: { fid }, body }) => {
    const appointment = { fid, custody: fromHex(body.custody)!, role: body.role }
    return staffJson(await staff.appoint(appointment, decisionOf(body)))
  },
})

const dismiss = route('POST /moderation/staff/:fid/dismiss', {
  callers: 'operator',
  summary: 'Take the role of an account away',
  description: 'At once, in every process. It changes nothing for an account without a role.',
  tags: TAGS,
  params: { fid: fidParam },
  body: DecisionBody,
  reply: Done,
  errors: ['bad_request.validation_failure'],
  cost: 'write',
  handler: async ({ staff }: OperatorContext, { params, body }) => {
    await staff.dismiss(params.fid, decisionOf(body))
    return DONE
  },
})

export const peopleRoutes = [listAppeals, answerAppeal, listPeople, listStaff, appoint, dismiss]
