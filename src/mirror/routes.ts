import Type from 'typebox'
import { described, intParam, optional, textParam, wordParam } from '../http/input/params.ts'
import { json, type Route, type RouteFor } from '../http/route.ts'
import { routesFor } from '../http/route-for.ts'
import { toHex } from '../protocol/codec/bytes.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { Storage } from '../storage/storage.ts'
import type { Mirror } from './mirror.ts'
import { MAX_CAP, RULE_FORMS, ruleText, USUAL_CAP } from './rules.ts'
import type { Source } from './source.ts'
import { MirrorReply, type MirrorStatus } from './status.ts'
import { LEVELS, verifyPerson } from './verify.ts'

const TAGS = [{ name: 'Mirror', description: 'Following another hub.' }]
/** As many as a person reads. */
const MAX_LISTED = 100
const MAX_RULE_CHARACTERS = 120_000
/** Each costs up to twelve requests to the source, and more for long lists. */
const MAX_VERIFIED = 20
const MAX_FID = 2 ** 32 - 1

/** What works while this server is a mirror. */
export type MirrorParts = {
  readonly mirror: Mirror
  readonly storage: Storage
  readonly status: () => Promise<MirrorStatus>
  readonly source: Source
}

export type MirrorRoutesContext = {
  /** Throws a Rejection when this server mirrors nothing. */
  readonly parts: () => MirrorParts
}

export const noMirror = (): never => {
  throw new Rejection('not_supported', 'this server mirrors no other hub: see ROOKERY_MIRROR_URLS')
}

const { route } = routesFor<MirrorRoutesContext>()

const RuleBody = json(
  Type.Object({
    rule: Type.String({ description: RULE_FORMS, maxLength: MAX_RULE_CHARACTERS }),
    maxPeople: Type.Optional(
      Type.Integer({
        description: `A rule that names more people adds nobody; ${USUAL_CAP} unless given`,
        minimum: 1,
        maximum: MAX_CAP,
      }),
    ),
  }),
)

const RemoveBody = json(
  Type.Object({
    rule: Type.String({ description: RULE_FORMS, maxLength: MAX_RULE_CHARACTERS }),
    erase: Type.Optional(Type.Boolean({ description: 'Remove the messages, too' })),
  }),
)

const RulesReply = Type.Object({
  rules: Type.Array(
    Type.Object({
      rule: Type.String(),
      people: Type.Integer(),
      addedAt: Type.Integer({ description: 'Unix milliseconds.' }),
      error: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
})

const rulesOf = async ({ storage }: MirrorParts) => ({
  rules: (await storage.mirror.rules()).map((rule) => ({
    rule: ruleText(rule),
    people: rule.people,
    addedAt: rule.added_at,
    error: rule.error,
  })),
})

const getStatus = route(
  {
    method: 'GET',
    path: '/mirror',
    summary: 'How far the mirror is',
    description: 'The source, its shards, the people who are mirrored and what is not stored.',
    tags: TAGS,
    reply: MirrorReply,
    errors: ['not_supported'],
  },
  ({ parts }) => parts().status(),
)

const getRules = route(
  {
    method: 'GET',
    path: '/mirror/rules',
    summary: 'Who is mirrored',
    description: 'The rules, and how many people each names.',
    tags: TAGS,
    reply: RulesReply,
    errors: ['not_supported'],
  },
  ({ parts }) => rulesOf(parts()),
)

const addRule = route(
  {
    method: 'POST',
    path: '/mirror/rules',
    summary: 'Mirror more people',
    description: `Adds a rule: ${RULE_FORMS}. They are read next; whom a rule names is found out again every hour.`,
    tags: TAGS,
    body: RuleBody,
    reply: RulesReply,
    errors: ['not_supported', 'bad_request.conflict'],
  },
  async ({ parts }, { body }) => {
    await parts().mirror.addRule(body.rule, body.maxPeople)
    return rulesOf(parts())
  },
)

const removeRule = route(
  {
    method: 'POST',
    path: '/mirror/rules/remove',
    summary: 'Mirror fewer people',
    description:
      'Removes a rule. People whom no other rule names are followed for another day; then their messages stay, and no new ones ' +
      'are taken. With `erase` their messages are removed instead, beginning at once.',
    tags: TAGS,
    body: RemoveBody,
    reply: RulesReply,
    errors: ['not_supported', 'not_found'],
  },
  async ({ parts }, { body }) => {
    await parts().mirror.removeRule(body.rule, body.erase)
    return rulesOf(parts())
  },
)

const setPaused = (isPaused: boolean) =>
  route(
    {
      method: 'POST',
      path: isPaused ? '/mirror/pause' : '/mirror/resume',
      summary: isPaused ? 'Read nobody for now' : 'Read people again',
      description: isPaused
        ? 'Nobody is read or compared until /mirror/resume; events are followed.'
        : 'Ends /mirror/pause.',
      tags: TAGS,
      reply: MirrorReply,
      errors: ['not_supported', 'unavailable'],
    },
    async ({ parts }) => {
      await parts().mirror.setPaused(isPaused)
      return parts().status()
    },
  )

const QuarantineReply = Type.Object({
  messages: Type.Array(
    Type.Object({
      fid: Type.Integer(),
      hash: Type.String(),
      reason: Type.String(),
      detail: Type.String(),
      tries: Type.Integer(),
      lastSeen: Type.Integer({ description: 'Unix milliseconds.' }),
    }),
    { maxItems: MAX_LISTED },
  ),
})
const reasonQuery = optional(described(textParam({ maxBytes: 100 }), 'Only this reason'))

const getQuarantine = route(
  {
    method: 'GET',
    path: '/mirror/quarantine',
    summary: 'Messages of the source that are not stored',
    description: `The first ${MAX_LISTED}, and why each was refused.`,
    tags: TAGS,
    query: { reason: reasonQuery },
    reply: QuarantineReply,
    errors: ['not_supported'],
  },
  async ({ parts }, { query }) => {
    const rows = await parts().storage.mirror.quarantineAfter(query.reason, undefined, MAX_LISTED)
    return {
      messages: rows.map(({ fid, hash, reason, detail, tries, last_seen }) => ({
        fid,
        hash: toHex(hash),
        reason,
        detail,
        tries,
        lastSeen: last_seen,
      })),
    }
  },
)

const retryQuarantine = route(
  {
    method: 'POST',
    path: '/mirror/quarantine/retry',
    summary: 'Try refused messages again',
    description: 'Their authors are compared with the source next.',
    tags: TAGS,
    body: json(Type.Object({ reason: Type.Optional(Type.String({ maxLength: 100 })) })),
    reply: Type.Object({ people: Type.Integer() }),
    errors: ['not_supported'],
  },
  async ({ parts }, { body }) => ({ people: await parts().mirror.retry(body.reason) }),
)

const VerifyReply = Type.Object({
  checked: Type.Integer({ description: 'People.' }),
  differences: Type.Array(
    Type.Object({
      fid: Type.Integer(),
      set: Type.String(),
      here: Type.Integer(),
      there: Type.Integer(),
      allowed: Type.Integer({ description: 'In quarantine, or kept away by moderation.' }),
      missing: Type.Array(Type.String()),
      extra: Type.Array(Type.String()),
    }),
  ),
  next: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The last fid that was looked at; null: there are no more.',
  }),
})

const verify = route(
  {
    method: 'GET',
    path: '/mirror/verify',
    summary: 'Compare people with the source',
    description: `Changes nothing. ${MAX_VERIFIED} people at a time, in the order of their fids.`,
    tags: TAGS,
    query: {
      level: described(
        wordParam(LEVELS),
        'counts: the numbers of each set; roots: hashes of each set, of Snapchain; lists: every message',
      ),
      after: optional(described(intParam({ min: 0, max: MAX_FID }), 'Only fids above this one')),
    },
    reply: VerifyReply,
    errors: ['not_supported', 'unavailable'],
  },
  async ({ parts }, { query }) => {
    const { storage } = parts()
    const page = await storage.mirror.fidsAfter(query.after ?? 0, MAX_VERIFIED)
    const people = page.filter(({ state }) => state !== 'frozen' && state !== 'context')
    const found = []
    for (const { fid } of people) found.push(...(await verifyPerson(parts(), fid, query.level)))
    const next = page.length < MAX_VERIFIED ? null : page.at(-1)!.fid
    return { checked: people.length, differences: found, next }
  },
)

/** What the operator may ask a mirror. */
const ROUTES: readonly RouteFor<MirrorRoutesContext>[] = [
  getStatus,
  getRules,
  addRule,
  removeRule,
  setPaused(true),
  setPaused(false),
  getQuarantine,
  retryQuarantine,
  verify,
]

export const mirrorRoutes = (context: MirrorRoutesContext): Route[] =>
  ROUTES.map((of) => of(context))
