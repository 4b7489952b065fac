import Type from 'typebox'
import { json, route } from '../../../kernel/http/route.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import type { Writer } from '../../../kernel/storage/storage.ts'
import {
  actorFields,
  decisionOf,
  MAX_REASON_CHARACTERS,
  type OperatorContext,
  TAGS,
} from '../decisions.ts'
import { type NewcomerRule, newcomerRows } from '../tables/newcomers.ts'

// What new accounts may send. It is kept in the store and in force with the next message, in every process.

/** A longer time would be a rule for everybody. */
const MAX_DAYS = 90
/** More is no limit for a person. */
const MAX_POSTS = 1_000
/** As many as a cast can have. */
const MAX_IN_ONE = 10

const most = (maximum: number, description: string) =>
  Type.Integer({ minimum: 0, maximum, description })

const RuleFields = {
  days: Type.Integer({
    minimum: 0,
    maximum: MAX_DAYS,
    description:
      'For how many days after its registration an account is new; 0: nothing is limited, and the other numbers are kept.',
  }),
  posts: most(MAX_POSTS, 'Casts in 24 hours, replies among them.'),
  links: most(MAX_IN_ONE, 'Links in one cast that lead away from this server.'),
  mentions: most(MAX_IN_ONE, 'Mentions in one cast.'),
}
const orNull = <S extends Type.TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const RuleReply = Type.Object(
  {
    days: RuleFields.days,
    posts: orNull(RuleFields.posts),
    links: orNull(RuleFields.links),
    mentions: orNull(RuleFields.mentions),
    changedAt: orNull(Type.Integer({ description: 'Unix seconds.' })),
    changedBy: orNull(Type.String()),
  },
  { $id: 'NewAccountRule' },
)

const ruleJson = (rule: NewcomerRule | undefined) => ({
  days: rule?.days ?? 0,
  posts: rule?.posts ?? null,
  links: rule?.links ?? null,
  mentions: rule?.mentions ?? null,
  changedAt: rule?.changed_at ?? null,
  changedBy: rule?.changed_by ?? null,
})

const readRule = route('GET /moderation/new-accounts', {
  callers: 'operator',
  summary: 'What new accounts may send',
  description:
    'Nothing is limited unless the operator says so. A number that is null is not limited.',
  tags: TAGS,
  reply: RuleReply,
  errors: [],
  cost: 'lookup',
  handler: async ({ storage }: OperatorContext) => ruleJson(await storage.of(newcomerRows).kept()),
})

const writeRule = route('PUT /moderation/new-accounts', {
  callers: 'operator',
  summary: 'Limit what new accounts may send',
  description:
    'A number that is not given is not limited; with `days` 0 it stays what it was, for when the rule is turned on again. In force with the next message. Accounts with a role are not limited, nor is what a mirror takes over. Whoever is limited reads it before writing, and in the refusal until when.',
  tags: TAGS,
  body: json(
    Type.Object({
      days: RuleFields.days,
      posts: Type.Optional(RuleFields.posts),
      links: Type.Optional(RuleFields.links),
      mentions: Type.Optional(RuleFields.mentions),
      reason: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_REASON_CHARACTERS })),
      ...actorFields,
    }),
  ),
  reply: RuleReply,
  errors: ['not_supported'],
  cost: 'write',
  handler: async ({ moderation, isMirror, now }: OperatorContext, { body }) => {
    if (isMirror) {
      throw new Rejection('not_supported', 'a mirror leaves to its source what may be sent')
    }
    const { reason = 'edited', actor } = body
    const decision = decisionOf({ reason, ...(actor && { actor }) })
    const write = async (tx: Writer) => {
      const rows = tx.of(newcomerRows)
      const before = await rows.kept()
      const given = numbersOf(body, before)
      const isChanged = JSON.stringify(fieldsOf(before)) !== JSON.stringify(fieldsOf(given))
      if (!isChanged) return { result: ruleJson(before), isChanged }
      const rule = { ...given, changed_at: now(), changed_by: decision.actor }
      await rows.put(rule)
      return { result: ruleJson(rule), isChanged }
    }
    return moderation.recorded('limit-newcomers', { name: textOf(body) }, decision, write)
  },
})

type Given = Pick<NewcomerRule, 'days' | 'posts' | 'links' | 'mentions'>

type Numbers = { readonly [K in keyof Given]?: Given[K] | undefined } & Pick<Given, 'days'>

/** What is turned off keeps its numbers. */
function numbersOf({ days, posts, links, mentions }: Numbers, before: Given | undefined): Given {
  const missing = (name: 'posts' | 'links' | 'mentions') =>
    days === 0 ? (before?.[name] ?? null) : null
  return {
    days,
    posts: posts ?? missing('posts'),
    links: links ?? missing('links'),
    mentions: mentions ?? missing('mentions'),
  }
}

const fieldsOf = ({ days, posts, links, mentions }: Given = OFF) => [days, posts, links, mentions]
const OFF: Given = { days: 0, posts: null, links: null, mentions: null }

/** As the log names it. */
const textOf = ({ days, posts, links, mentions }: Numbers): string =>
  days === 0
    ? 'off'
    : `${days} days: posts ${posts ?? 'free'}, links ${links ?? 'free'}, mentions ${mentions ?? 'free'}`

export const newcomerRoutes = [readRule, writeRule]
