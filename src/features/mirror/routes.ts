import Type from 'typebox'
import {
  described,
  intParam,
  optional,
  textParam,
  wordParam,
} from '../../kernel/http/input/params.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'

import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { Mirror } from './mirror.ts'
import { MAX_CAP, RULE_FORMS, ruleText, USUAL_CAP } from './rules.ts'
import { MirrorReply, type MirrorStatus } from './status.ts'
import { mirrorRows } from './tables/mirror.ts'
import { comparePeople, MAX_VERIFIED } from './verify/compare-people.ts'
import type { OtherHub } from './verify/compared.ts'
import { LEVELS, type Level, type VerifyParts } from './verify/verify-person.ts'

const TAGS = [{ name: 'Mirror', description: 'Following another hub.' }]
/** As many as a person reads. */
const MAX_LISTED = 100
const MAX_RULE_CHARACTERS = 120_000

/** What works while this server is a mirror. */
export type MirrorParts = {
  readonly mirror: Mirror
  readonly storage: Storage
  readonly status: () => Promise<MirrorStatus>
  /** The hub that is mirrored, as it is compared with. */
  readonly toVerify: () => Promise<VerifyParts>
  /** Another hub; `close` ends its connections. Throws a Rejection when the address is none. */
  readonly against: (other: OtherHub) => Promise<VerifyParts & { close(): void }>
  /** People who are compared at a time. */
  readonly concurrency: number
}

export type MirrorRoutesContext = {
  /** Throws a Rejection when this server mirrors nothing. */
  readonly parts: () => MirrorParts
}

export const noMirror = (): never => {
  throw new Rejection('not_supported', 'this server mirrors no other hub: see ROOKERY_MIRROR_URLS')
}

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
      resolvedAt: Type.Union([Type.Integer(), Type.Null()], {
        description: 'When the source was asked for these people last; null before.',
      }),
      error: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
})

const rulesOf = async ({ storage }: MirrorParts) => ({
  rules: (await storage.of(mirrorRows).rules()).map((rule) => ({
    rule: ruleText(rule),
    people: rule.people,
    addedAt: rule.added_at,
    resolvedAt: rule.resolved_at || null,
    error: rule.error,
  })),
})

const getStatus = route('GET /mirror', {
  callers: 'operator',
  summary: 'How far the mirror is',
  description: 'The source, its shards, the people who are mirrored and what is not stored.',
  tags: TAGS,
  reply: MirrorReply,
  errors: ['not_supported'],
  cost: 'lookup',
  handler: ({ parts }: MirrorRoutesContext) => parts().status(),
})

const getRules = route('GET /mirror/rules', {
  callers: 'operator',
  summary: 'Who is mirrored',
  description: 'The rules, and how many people each names.',
  tags: TAGS,
  reply: RulesReply,
  errors: ['not_supported'],
  cost: 'lookup',
  handler: ({ parts }: MirrorRoutesContext) => rulesOf(parts()),
})

const addRule = route('POST /mirror/rules', {
  callers: 'operator',
  summary: 'Mirror more people',
  description: `Adds a rule: ${RULE_FORMS}. They are read next; whom a rule names is found out again every hour, and when it is added again.`,
  tags: TAGS,
  body: RuleBody,
  reply: RulesReply,
  errors: ['not_supported', 'bad_request.conflict'],
  cost: 'write',
  handler: async ({ parts }: MirrorRoutesContext, { body }) => {
    await parts().mirror.addRule(body.rule, body.maxPeople)
    return rulesOf(parts())
  },
})

const removeRule = route('POST /mirror/rules/remove', {
  callers: 'operator',
  summary: 'Mirror fewer people',
  description:
    'Removes a rule. People whom no other rule names are followed for another day; then their messages stay, and no new ones ' +
    'are taken. With `erase` their messages are removed instead, beginning at once.',
  tags: TAGS,
  body: RemoveBody,
  reply: RulesReply,
  errors: ['not_supported', 'not_found'],
  cost: 'write',
  handler: async ({ parts }: MirrorRoutesContext, { body }) => {
    await parts().mirror.removeRule(body.rule, body.erase)
    return rulesOf(parts())
  },
})

const setPaused = (isPaused: boolean) =>
  route(`POST ${isPaused ? '/mirror/pause' : '/mirror/resume'}`, {
    callers: 'operator',
    summary: isPaused ? 'Read nobody for now' : 'Read people again',
    description: isPaused
      ? 'Nobody is read or compared until /mirror/resume; events are followed.'
      : 'Ends /mirror/pause.',
    tags: TAGS,
    reply: MirrorReply,
    errors: ['not_supported', 'unavailable'],
    cost: 'write',
    handler: async ({ parts }: MirrorRoutesContext) => {
      await parts().mirror.setPaused(isPaused)
      return parts().status()
    },
  })

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

const getQuarantine = route('GET /mirror/quarantine', {
  callers: 'operator',
  summary: 'Messages of the source that are not stored',
  description: `The first ${MAX_LISTED}, and why each was refused.`,
  tags: TAGS,
  query: { reason: reasonQuery },
  reply: QuarantineReply,
  errors: ['not_supported'],
  cost: 'lookup',
  handler: async ({ parts }: MirrorRoutesContext, { query }) => {
    const rows = await parts()
      .storage.of(mirrorRows)
      .quarantineAfter(query.reason, undefined, MAX_LISTED)
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
})

const retryQuarantine = route('POST /mirror/quarantine/retry', {
  callers: 'operator',
  summary: 'Try refused messages again',
  description: 'Their authors are compared with the source next.',
  tags: TAGS,
  body: json(Type.Object({ reason: Type.Optional(Type.String({ maxLength: 100 })) })),
  reply: Type.Object({ people: Type.Integer() }),
  errors: ['not_supported'],
  cost: 'write',
  handler: async ({ parts }: MirrorRoutesContext, { body }) => ({
    people: await parts().mirror.retry(body.reason),
  }),
})

const compareAgain = route('POST /mirror/compare', {
  callers: 'operator',
  summary: 'Compare somebody again',
  description: 'Within seconds, and repairs what differs. Everybody is compared from time to time.',
  tags: TAGS,
  body: json(Type.Object({ fid: Type.Integer({ minimum: 1, maximum: MAX_FID }) })),
  reply: MirrorReply,
  errors: ['not_supported', 'not_found'],
  cost: 'write',
  handler: async ({ parts }: MirrorRoutesContext, { body }) => {
    await parts().mirror.compareAgain(body.fid)
    return parts().status()
  },
})

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
  notRead: Type.Integer({
    description: 'People of whom the source was not read yet: they were not compared.',
  }),
  notMirrored: Type.Array(Type.Integer(), {
    description: 'Those of `fids` who are not mirrored, and were not compared.',
  }),
  next: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The last fid that was looked at; null: there are no more.',
  }),
})

const LEVEL_TEXT =
  'counts: the numbers of each set; roots: hashes of each set, of Snapchain; lists: every message'

const verify = route('GET /mirror/verify', {
  callers: 'operator',
  summary: 'Compare people with the source',
  description: `Changes nothing. ${MAX_VERIFIED} people at a time, in the order of their fids.`,
  tags: TAGS,
  query: {
    level: described(wordParam(LEVELS), LEVEL_TEXT),
    after: optional(described(intParam({ min: 0, max: MAX_FID }), 'Only fids above this one')),
  },
  reply: VerifyReply,
  errors: ['not_supported', 'unavailable'],
  cost: 'lookup',
  handler: async ({ parts }: MirrorRoutesContext, { query }) => {
    const { toVerify, concurrency } = parts()
    return comparePeople(await toVerify(), query, concurrency)
  },
})

const Fid = Type.Integer({ minimum: 1, maximum: MAX_FID })

const verifySome = route('POST /mirror/verify', {
  callers: 'operator',
  summary: 'Compare some people, or with another hub',
  description:
    'Changes nothing. Another hub finds what the source leaves out; without `url` it is the source. ' +
    `${MAX_VERIFIED} people at a time, in the order of their fids. Keys of that hub are headers.`,
  tags: TAGS,
  body: json(
    Type.Object({
      url: Type.Optional(
        Type.String({ description: 'grpcs://host:port, or grpc://', maxLength: 1_000 }),
      ),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String({ maxLength: 4_096 }), {
          description: 'Metadata of each call',
          maxProperties: 20,
        }),
      ),
      level: Type.Unsafe<Level>({ type: 'string', enum: LEVELS, description: LEVEL_TEXT }),
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_FID })),
      fids: Type.Optional(Type.Array(Fid, { minItems: 1, maxItems: MAX_VERIFIED })),
    }),
  ),
  reply: VerifyReply,
  errors: ['not_supported', 'unavailable'],
  cost: 'write',
  handler: async ({ parts }: MirrorRoutesContext, { body }) => {
    const { toVerify, against, concurrency } = parts()
    const { url, headers } = body
    if (url === undefined) return comparePeople(await toVerify(), body, concurrency)
    const other = await against({ url, headers })
    try {
      return await comparePeople(other, body, concurrency)
    } finally {
      other.close()
    }
  },
})

/** What the operator may ask a mirror. */
const ROUTES: readonly Route<MirrorRoutesContext>[] = [
  getStatus,
  getRules,
  addRule,
  removeRule,
  setPaused(true),
  setPaused(false),
  getQuarantine,
  retryQuarantine,
  compareAgain,
  verify,
  verifySome,
]

export const mirrorRoutes = (context: MirrorRoutesContext): Route[] => bind(context, ROUTES)
