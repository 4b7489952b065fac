import Type from 'typebox'
import { described, textParam } from '../http/input/params.ts'
import { json, type Route, route } from '../http/route.ts'
import { toHex } from '../protocol/codec/bytes.ts'
import type { Storage } from '../storage/storage.ts'
import type { Mirror } from './mirror.ts'
import { ruleText } from './scope.ts'
import type { Source } from './source.ts'
import { MirrorReply, type MirrorStatus } from './status.ts'

const TAGS = [{ name: 'Mirror', description: 'Following another hub.' }]
/** As many as a person reads. */
const MAX_LISTED = 100
const MAX_RULE_CHARACTERS = 120_000

type RouteOptions = {
  readonly mirror: Mirror
  readonly storage: Storage
  readonly status: () => Promise<MirrorStatus>
  readonly source: Source
}

const RuleBody = json(
  Type.Object({
    rule: Type.String({ description: 'fid:1,2,3 or @name', maxLength: MAX_RULE_CHARACTERS }),
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

/** What the operator may ask a mirror. */
export const mirrorRoutes = ({ mirror, storage, status }: RouteOptions): Route[] => [
  route(
    {
      method: 'GET',
      path: '/mirror',
      summary: 'How far the mirror is',
      description: 'The source, its shards, the people who are mirrored and what is not stored.',
      tags: TAGS,
      reply: MirrorReply,
    },
    status,
  ),
  ...ruleRoutes(mirror, storage),
  route(
    {
      method: 'GET',
      path: '/mirror/quarantine',
      summary: 'Messages of the source that are not stored',
      description: `The first ${MAX_LISTED}, and why each was refused.`,
      tags: TAGS,
      reply: QuarantineReply,
    },
    async () => ({
      messages: (await storage.mirror.quarantineAfter(undefined, undefined, MAX_LISTED)).map(
        ({ fid, hash, reason, detail, tries, last_seen }) => ({
          fid,
          hash: toHex(hash),
          reason,
          detail,
          tries,
          lastSeen: last_seen,
        }),
      ),
    }),
  ),
]

const ruleRoutes = (mirror: Mirror, storage: Storage): Route[] => {
  const rules = async () => ({
    rules: (await storage.mirror.rules()).map((rule) => ({
      rule: ruleText(rule),
      people: rule.people,
      addedAt: rule.added_at,
      error: rule.error,
    })),
  })
  return [
    route(
      {
        method: 'GET',
        path: '/mirror/rules',
        summary: 'Who is mirrored',
        description: 'The rules, and how many people each names.',
        tags: TAGS,
        reply: RulesReply,
      },
      rules,
    ),
    route(
      {
        method: 'POST',
        path: '/mirror/rules',
        summary: 'Mirror more people',
        description: 'Adds a rule: fid:1,2,3 or @name. They are read next.',
        tags: TAGS,
        body: RuleBody,
        reply: RulesReply,
        errors: ['bad_request.conflict'],
      },
      async ({ body }) => {
        await mirror.addRule(body.rule)
        return rules()
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/mirror/rules',
        summary: 'Mirror fewer people',
        description:
          'Removes a rule. Messages of people whom no other rule names stay, and get no new ones.',
        tags: TAGS,
        query: {
          rule: described(textParam({ maxBytes: MAX_RULE_CHARACTERS }), 'fid:1,2,3 or @name'),
        },
        reply: RulesReply,
        errors: ['not_found'],
      },
      async ({ query }) => {
        await mirror.removeRule(query.rule)
        return rules()
      },
    ),
  ]
}
