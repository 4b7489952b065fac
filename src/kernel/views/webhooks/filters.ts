import type { Static } from 'typebox'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { compileExpression } from './expression.ts'
import type {
  CastFilterValues,
  Filters,
  FiltersSchema,
  PairFilterValues,
  WebhookEventType,
} from './filter-schema.ts'

// What a webhook is told of. A subscription has one filter for each type of event: `{}` takes all events of the
// type, a missing type none.

/** What happened, as far as filters look at it. Hashes are 20 bytes. */
export type CastFacts = {
  readonly fid: number
  /** As stored: without the names of those mentioned. */
  readonly text: string
  readonly mentions: readonly number[]
  readonly parent?:
    | { readonly url: string }
    | { readonly fid: number; readonly hash: Uint8Array }
    | undefined
  /** The parent url of the thread's root, where known. */
  readonly rootParentUrl?: string | undefined
  readonly embeds: readonly (
    | { readonly url: string }
    | { readonly fid: number; readonly hash: Uint8Array }
  )[]
  /** Undefined as long as no scores were computed. */
  readonly score?: number | undefined
}
export type PairFacts = {
  readonly fid: number
  readonly targetFid?: number | undefined
  readonly targetHash?: Uint8Array | undefined
}

/** Compiled filters of one subscription. */
export type CompiledFilters = {
  readonly cast: (type: WebhookEventType, facts: CastFacts) => boolean
  /** Follows, reactions and users. */
  readonly pair: (type: WebhookEventType, facts: PairFacts) => boolean
  /** Whether `score` of casts makes a difference. */
  readonly needsScores: boolean
}

/** Throws a Rejection that names the faulty part unless the filters, which fit the schema, can be used. */
export function checkFilters(filters: Static<typeof FiltersSchema>, field: string): Filters {
  if ('trade.created' in filters) {
    const text = 'trade.created is not supported: this server knows no trades'
    throw new Rejection('not_supported', text, { field: `${field}.trade.created` })
  }
  compileFilters(filters, field)
  return filters
}

/** Compiles filters. Throws a Rejection for an expression that cannot be used. */
export function compileFilters(filters: Filters, field = 'subscription'): CompiledFilters {
  const casts = new Map<WebhookEventType, (facts: CastFacts) => boolean>()
  const pairs = new Map<WebhookEventType, (facts: PairFacts) => boolean>()
  for (const type of Object.keys(filters) as WebhookEventType[]) {
    const filter = filters[type]
    if (!filter) continue
    if (type === 'cast.created' || type === 'cast.deleted') {
      casts.set(type, compileCast(filter as CastFilterValues, `${field}.${type}`))
    } else pairs.set(type, compilePair(filter as PairFilterValues))
  }
  return {
    cast: (type, facts) => casts.get(type)?.(facts) ?? false,
    pair: (type, facts) => pairs.get(type)?.(facts) ?? false,
    needsScores: [filters['cast.created'], filters['cast.deleted']].some(
      (filter) => (filter?.minimum_author_score ?? 0) > 0,
    ),
  }
}

type Test<F> = (facts: F) => boolean

/** All events when there is no condition, else those for which one holds. */
const anyOf = <F>(tests: readonly (Test<F> | undefined)[]): Test<F> => {
  const given = tests.filter((test) => test !== undefined)
  return given.length === 0 ? () => true : (facts) => given.some((test) => test(facts))
}

function compileCast(filter: CastFilterValues, field: string): Test<CastFacts> {
  const { text, embeds, exclude_author_fids, minimum_author_score = 0 } = filter
  const textTest = text === undefined ? undefined : compileExpression(text, `${field}.text`)
  const urlTest = embeds === undefined ? undefined : compileExpression(embeds, `${field}.embeds`)
  const excluded = new Set(exclude_author_fids)
  const wanted = anyOf<CastFacts>([
    fidTest(filter.author_fids, ({ fid }) => [fid]),
    fidTest(filter.mentioned_fids, ({ mentions }) => mentions),
    urlsTest(filter.parent_urls, ({ parent }) =>
      parent && 'url' in parent ? parent.url : undefined,
    ),
    urlsTest(filter.root_parent_urls, ({ rootParentUrl }) => rootParentUrl),
    hashTest(filter.parent_hashes, ({ parent }) => castsIn([parent]).map(({ hash }) => hash)),
    fidTest(filter.parent_author_fids, ({ parent }) => castsIn([parent]).map(({ fid }) => fid)),
    hashTest(filter.embedded_cast_hashes, (facts) => castsIn(facts.embeds).map(({ hash }) => hash)),
    fidTest(filter.embedded_cast_author_fids, (facts) =>
      castsIn(facts.embeds).map(({ fid }) => fid),
    ),
    textTest && ((facts) => textTest.test(facts.text)),
    urlTest && ((facts) => facts.embeds.some((embed) => 'url' in embed && urlTest.test(embed.url))),
  ])
  return (facts) =>
    !excluded.has(facts.fid) &&
    (facts.score === undefined || facts.score >= minimum_author_score) &&
    wanted(facts)
}

const compilePair = (filter: PairFilterValues): Test<PairFacts> =>
  anyOf<PairFacts>([
    fidTest(filter.fids, ({ fid }) => [fid]),
    fidTest(filter.target_fids, ({ targetFid }) => (targetFid === undefined ? [] : [targetFid])),
    hashTest(filter.target_cast_hashes, ({ targetHash }) => (targetHash ? [targetHash] : [])),
  ])

function fidTest<F>(
  fids: readonly number[] | undefined,
  fidsOf: (facts: F) => readonly number[],
): Test<F> | undefined {
  if (!fids) return undefined
  const wanted = new Set(fids)
  return (facts) => fidsOf(facts).some((fid) => wanted.has(fid))
}

function hashTest<F>(
  hashes: readonly string[] | undefined,
  hashesOf: (facts: F) => readonly Uint8Array[],
): Test<F> | undefined {
  if (!hashes) return undefined
  const wanted = new Set(hashes.map((hash) => toHex(fromHex(hash)!)))
  return (facts) => hashesOf(facts).some((hash) => wanted.has(toHex(hash)))
}

function urlsTest<F>(
  urls: readonly string[] | undefined,
  urlOf: (facts: F) => string | undefined,
): Test<F> | undefined {
  if (!urls) return undefined
  const wanted = new Set<string | undefined>(urls)
  return (facts) => {
    const url = urlOf(facts)
    return url !== undefined && wanted.has(url)
  }
}

type CastOrUrl = CastFacts['embeds'][number]
const castsIn = (parts: readonly (CastOrUrl | undefined)[]) =>
  parts.filter((part) => part !== undefined && 'hash' in part)
