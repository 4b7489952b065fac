import Type, { type Static } from 'typebox'
import { MAX_EXPRESSION_CHARACTERS } from './expression.ts'

// How filters of webhooks are sent. Apart from what compiles them: the thread that matches events needs no schemas, and their
// library is 373 modules.

const MAX_FILTER_VALUES = 10_000
const MAX_URL_CHARACTERS = 1_024

const closed = { additionalProperties: false } as const
const Fids = Type.Optional(
  Type.Array(Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 }), { maxItems: MAX_FILTER_VALUES }),
)
const Hashes = Type.Optional(
  Type.Array(Type.String({ pattern: '^(?:0[xX])?[0-9a-fA-F]{40}$' }), {
    maxItems: MAX_FILTER_VALUES,
  }),
)
const Urls = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_URL_CHARACTERS }), {
    maxItems: MAX_FILTER_VALUES,
  }),
)
const ExpressionText = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: MAX_EXPRESSION_CHARACTERS, description }))

const CastFilter = Type.Object(
  {
    author_fids: Fids,
    mentioned_fids: Fids,
    parent_urls: Urls,
    root_parent_urls: Urls,
    parent_hashes: Hashes,
    parent_author_fids: Fids,
    embedded_cast_hashes: Hashes,
    embedded_cast_author_fids: Fids,
    text: ExpressionText('An RE2 expression that the text must contain a match of.'),
    embeds: ExpressionText('An RE2 expression that an embedded url must contain a match of.'),
    exclude_author_fids: Fids,
    minimum_author_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  closed,
)
const FollowFilter = Type.Object({ fids: Fids, target_fids: Fids }, closed)
const ReactionFilter = Type.Object(
  { fids: Fids, target_fids: Fids, target_cast_hashes: Hashes },
  closed,
)
const UserFilter = Type.Object({ fids: Fids }, closed)

const FILTERS = {
  'cast.created': Type.Optional(CastFilter),
  'cast.deleted': Type.Optional(CastFilter),
  'follow.created': Type.Optional(FollowFilter),
  'follow.deleted': Type.Optional(FollowFilter),
  'reaction.created': Type.Optional(ReactionFilter),
  'reaction.deleted': Type.Optional(ReactionFilter),
  'user.created': Type.Optional(UserFilter),
  'user.updated': Type.Optional(UserFilter),
}

/** The filters of a subscription, by type of event, as apps send and get them. */
export const FiltersSchema = Type.Object(
  { ...FILTERS, 'trade.created': FILTERS['user.created'] },
  { ...closed, description: 'One filter for each type of event; `{}` takes all of a type.' },
)
export type Filters = Omit<Static<typeof FiltersSchema>, 'trade.created'>
export type WebhookEventType = keyof typeof FILTERS

export type CastFilterValues = Static<typeof CastFilter>
export type PairFilterValues = Static<typeof ReactionFilter>
