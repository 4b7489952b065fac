import { readDomain } from '../../kernel/base/web-domain.ts'
import type { Route } from '../../kernel/http/route.ts'
import type { Ports } from '../../kernel/ports.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { miniAppRows } from '../mini-apps/port.ts'
import { type Act, moderationLogRows, reportRows } from '../moderation-records/port.ts'
import { POLLS } from '../polls/port.ts'
import { nameTransferRows } from '../registry/port.ts'
import { castContentOf } from './cast-text.ts'
import { unknownReport } from './resolving.ts'
import { forbidden, type Staff } from './staff.ts'
import { appealRows } from './tables/appeals.ts'
import { actorName, isDecidedBy, type StaffMember, type StaffRole } from './tables/staff.ts'

// The operator's routes for accounts with a role, on the client platform: the same calls below `/v1`, with a token that a
// key of the account has signed in place of the operator's token. The log names the account.

type Input = Parameters<Route['handler']>[1]
type Subject = (source: Source, input: Input) => Promise<number | undefined | readonly number[]>
type Source = {
  readonly storage: Storage
  readonly find: Ports['find']
}

type Terms = {
  readonly role: StaffRole
  /** Whom it is decided about, if anybody. */
  readonly subject?: Subject
  readonly check?: (input: Input, member: StaffMember, source: Source) => Promise<void> | void
}

const account: Subject = async (_, { params }) => params.fid as number
const authorOf: Subject = async ({ storage: { moderation, messages } }, { params }) => {
  const hash = params.hash as Uint8Array
  return ((await moderation.hiddenCast(hash)) ?? (await messages.castByHash(hash)))?.fid
}
const reported: Subject = async ({ storage: { of } }, { params }) =>
  (await of(reportRows).find(params.id as number))?.fid || undefined
/** Whose it is that is reported, and who made the poll that is removed with it. */
const decidedOn: Subject = async ({ storage, find }, { params, body }) => {
  const report = await storage.of(reportRows).find(params.id as number)
  const removesPoll = (body as { act: Act }).act === 'remove-poll'
  const { urls } = await castContentOf(storage, (removesPoll && report?.cast_hash) || null)
  const poll = await find(POLLS)?.among(urls)
  return [report?.fid, poll?.fid].filter((fid) => fid !== undefined && fid !== 0) as number[]
}
const appellant: Subject = async ({ storage: { of } }, { params }) =>
  (await of(appealRows).find(params.id as number))?.fid
/** Nobody learns by its number whether another entry of the log is about them. */
const warned: Subject = async ({ storage: { of } }, { params }) => {
  const entry = await of(moderationLogRows).find(params.id as number)
  return entry?.action === 'warn' ? (entry.fid ?? undefined) : undefined
}
const holder: Subject = async ({ storage: { of } }, { params }) =>
  (await of(nameTransferRows).latestOf(params.name as string))?.to_fid || undefined

/** The route normalizes the domain too: `App.example` and `https://app.example/` are the same app. */
const appAuthor: Subject = async ({ storage: { of } }, { body }) => {
  const domain = readDomain((body as { domain: string }).domain, true)
  return (domain && (await of(miniAppRows).byDomain(domain))?.author_fid) || undefined
}

/** Who uploaded the file at an address; 0: the operator. */
const uploaders: Subject = async ({ find }, { body }) =>
  (await find(MEDIA_OF_USERS)?.uploadersOf((body as { url: string }).url)) ?? []

/** A report about the member is for them as if it did not exist. */
const checkMaySee: NonNullable<Terms['check']> = async ({ params }, { fid }, { storage }) => {
  const id = params.id as number
  if ((await storage.of(reportRows).find(id))?.fid === fid) throw unknownReport(id)
}

const checkDecidedByOther: NonNullable<Terms['check']> = async ({ params }, { fid }, source) => {
  const { of } = source.storage
  const appeal = await of(appealRows).find(params.id as number)
  const decision = appeal && (await of(moderationLogRows).find(appeal.decision))
  if (decision && isDecidedBy(decision.actor, fid)) {
    throw forbidden('the appeal is against your own decision: somebody else has to answer it')
  }
}

const onlyByToken = () => forbidden('only the token of the operator makes operators')

/** What each role may do. A route that is not listed is for the token alone. */
const TERMS: Readonly<Record<string, Terms>> = {
  'GET /moderation/accounts/:fid': { role: 'moderator' },
  'POST /moderation/accounts/:fid/suspend': { role: 'moderator', subject: account },
  'POST /moderation/accounts/:fid/restore': { role: 'moderator', subject: account },
  'POST /moderation/accounts/:fid/limit': { role: 'moderator', subject: account },
  'POST /moderation/accounts/:fid/unlimit': { role: 'moderator', subject: account },
  'GET /moderation/accounts/:fid/notes': { role: 'moderator', subject: account },
  'POST /moderation/accounts/:fid/notes': { role: 'moderator', subject: account },
  'DELETE /moderation/accounts/:fid/notes/:id': { role: 'moderator', subject: account },
  'POST /moderation/casts/:hash/hide': { role: 'moderator', subject: authorOf },
  'POST /moderation/casts/:hash/unhide': { role: 'moderator', subject: authorOf },
  'POST /moderation/warnings/:id/unwarn': { role: 'moderator', subject: warned },
  'POST /moderation/files/remove': { role: 'moderator', subject: uploaders },
  'GET /moderation/reports': { role: 'moderator' },
  'POST /moderation/reports/:id/resolve': {
    role: 'moderator',
    subject: reported,
    check: checkMaySee,
  },
  'GET /moderation/statistics': { role: 'moderator' },
  'GET /moderation/cases': { role: 'moderator' },
  'POST /moderation/cases/:id/decide': {
    role: 'moderator',
    subject: decidedOn,
    check: checkMaySee,
  },
  'POST /moderation/cases/:id/take': { role: 'moderator', subject: reported, check: checkMaySee },
  'DELETE /moderation/cases/:id/take': { role: 'moderator', subject: reported, check: checkMaySee },
  'GET /moderation/held-terms': { role: 'moderator' },
  'GET /moderation/held-terms/preview': { role: 'moderator' },
  'POST /moderation/held-terms': { role: 'moderator' },
  'DELETE /moderation/held-terms': { role: 'moderator' },
  'GET /moderation/new-accounts': { role: 'moderator' },
  'PUT /moderation/new-accounts': { role: 'operator' },
  'GET /moderation/appeals': { role: 'moderator' },
  'POST /moderation/appeals/:id/answer': {
    role: 'moderator',
    subject: appellant,
    check: checkDecidedByOther,
  },
  'GET /platform/mini-apps': { role: 'moderator' },
  'POST /platform/removed-mini-apps': { role: 'moderator', subject: appAuthor },
  'DELETE /platform/removed-mini-apps': { role: 'moderator', subject: appAuthor },
  'GET /joining/requests': { role: 'moderator' },
  'POST /joining/requests/decide': { role: 'moderator' },
  'GET /moderation/people': { role: 'moderator' },
  'GET /moderation/log': { role: 'moderator' },
  'GET /moderation/staff': { role: 'moderator' },
  'POST /moderation/accounts/:fid/erase': { role: 'operator', subject: account },
  'GET /moderation/accounts/:fid/messages': { role: 'operator', subject: account },
  'GET /moderation/accounts/:fid/rows': { role: 'operator', subject: account },
  'POST /moderation/names/:name/take': { role: 'operator', subject: holder },
  'POST /moderation/staff/:fid/appoint': {
    role: 'operator',
    subject: account,
    check: ({ body }) => {
      if ((body as { role?: unknown }).role !== 'moderator') {
        throw onlyByToken()
      }
    },
  },
  'POST /moderation/staff/:fid/dismiss': { role: 'operator', subject: account },
  'GET /accounts/invites': { role: 'operator' },
  'POST /accounts/invites': {
    role: 'operator',
    check: ({ body }) => {
      if ((body as { role?: unknown }).role === 'operator') throw onlyByToken()
    },
  },
  'DELETE /accounts/invites/:id': { role: 'operator' },
  'GET /people': { role: 'operator' },
  'GET /samples': { role: 'operator' },
  'GET /metrics': { role: 'operator' },
  'GET /app/recoveries': { role: 'operator' },
  'GET /app/mail': { role: 'operator' },
  'POST /app/mail/test': { role: 'operator' },
  'GET /server/texts': { role: 'operator' },
  'PUT /server/texts': { role: 'operator' },
  'PUT /server/picture': { role: 'operator' },
  'PUT /server/header': { role: 'operator' },
  'GET /server/settings': { role: 'operator' },
  'PUT /server/settings/:variable': { role: 'operator' },
  'POST /server/settings/:variable/reset': { role: 'operator' },
}

const PREFIX = '/v1'

export function staffRoutes(routes: readonly Route[], staff: Staff, source: Source): Route[] {
  return routes.flatMap((route) => {
    const terms = TERMS[`${route.spec.method} ${route.spec.path}`]
    return terms ? [forStaff(route, terms, staff, source)] : []
  })
}

const forStaff = ({ spec, handler }: Route, terms: Terms, staff: Staff, source: Source): Route => ({
  spec: {
    ...spec,
    callers: 'user',
    path: PREFIX + spec.path,
    cursorPath: spec.path,
    description:
      `${spec.description ?? ''} For accounts with the role ${terms.role}${terms.role === 'moderator' ? ' or operator' : ''}; the token must name this server in \`aud\`.`.trim(),
    errors: [...new Set([...spec.errors, 'unauthenticated', 'unauthorized'] as const)],
  },
  handler: async (_, input) => {
    const member = await staff.memberOf(input.request, terms.role)
    await terms.check?.(input, member, source)
    const subjects = [(await terms.subject?.(source, input)) ?? []].flat()
    for (const subject of subjects) await staff.checkMayDecideOn(member, subject)
    return handler(undefined, { ...input, body: signedBy(input.body, member) })
  },
})

/** A body that says who sends it. That of an upload is a function, which reads it when it is asked. */
function signedBy(body: unknown, member: StaffMember): object {
  const by = { actor: actorName(member), member }
  return typeof body === 'function' ? Object.assign(() => body(), by) : { ...(body ?? {}), ...by }
}
