import { fromBinary } from '@bufbuild/protobuf'
import Type from 'typebox'
import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import {
  cursorParam,
  encodeCursor,
  limitParam,
  type Position,
  pageReply,
} from '../../kernel/http/input/paging.ts'
import { described, optional, textParam, wordParam } from '../../kernel/http/input/params.ts'
import { type Route, route } from '../../kernel/http/route.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/kinds/kinds.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { MAX_FID } from '../../kernel/protocol/sizes.ts'
import { activeUnits, type StorageTerms, unitCount } from '../../kernel/protocol/storage-units.ts'
import { HOUR_SECONDS, SECOND_MS, unixMsOf } from '../../kernel/protocol/time.ts'
import { OnChainEventSchema } from '../../kernel/protocol/wire/onchain_event_pb.js'
import { type Profile, readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { FindPeople } from '../search/port.ts'
import {
  MAX_COUNTED_REPORTS,
  PEOPLE_LISTS,
  PEOPLE_ORDERS,
  type PersonFacts,
  type PersonPlace,
  peopleRows,
} from './tables/people.ts'

const MAX_PAGE = 100
type Usage = { readonly fid: number; readonly store: number; readonly count: number }
const CASTS = MESSAGE_SETS.casts
const MAX_QUERY_BYTES = 64

const reportCount = (state: string) =>
  Type.Integer({
    description: `${state} reports about the account, ${MAX_COUNTED_REPORTS} at most.`,
  })

const Person = Type.Object({
  fid: Type.Integer(),
  name: Type.Optional(Type.String({ description: 'The name that it holds in the registry.' })),
  displayName: Type.Optional(Type.String({ description: 'As the account calls itself.' })),
  pictureUrl: Type.Optional(Type.String({ description: 'Of the picture of its profile.' })),
  custody: Type.Optional(Type.String({ description: 'Its custody address.' })),
  joinedAt: Type.Optional(Type.Integer({ description: 'Unix seconds of its registration.' })),
  lastSeenAt: Type.Optional(
    Type.Integer({ description: 'Unix seconds of the hour of its newest message.' }),
  ),
  units: Type.Integer({ description: 'Storage units that it may use now.' }),
  messages: Type.Integer({ description: 'Messages of it that are stored.' }),
  posts: Type.Integer({ description: 'Casts among them.' }),
  openReports: reportCount('Open'),
  resolvedReports: reportCount('Resolved'),
  isSuspended: Type.Boolean(),
  isLimited: Type.Boolean({
    description: 'Whether trends, searches and notifications show it only to those who follow it.',
  }),
  role: Type.Optional(Type.Enum(['moderator', 'operator'] as const)),
  isErased: Type.Boolean({ description: 'Whether its messages were erased once.' }),
})

export type PeopleContext = {
  readonly storage: Pick<Reader, 'of' | 'storageLends' | 'messages'>
  readonly clock: Clock
  readonly terms: StorageTerms
  /** By words of names, as far as they are shown. */
  readonly findPeople: FindPeople
}

/** Accounts as the operator sees them. An account with the role learns nothing of reports about itself. */
export const peopleRoutes = (context: PeopleContext): Route[] => [
  route('GET /people', {
    callers: 'operator',
    summary: 'The accounts of this server',
    description:
      'In an order, hidden accounts too; a page may be shorter than `limit` although another follows. With `q` those that match: a fid, the beginning of a name, words of a display name, or a custody address; then there is one page.',
    tags: [{ name: 'People', description: 'The accounts of this server.' }],
    query: {
      q: optional(
        described(
          textParam({ maxBytes: MAX_QUERY_BYTES }),
          'A fid, a name, a display name or an address.',
        ),
      ),
      list: optional(described(wordParam(PEOPLE_LISTS), 'Which accounts; all unless given.')),
      order: optional(
        described(
          wordParam(PEOPLE_ORDERS),
          'The newest first unless given; `seen`: the last seen first; `reports`: those with the most open reports first. Accounts that never wrote, or that no open report is about, come last.',
        ),
      ),
      limit: limitParam({ default: 50, max: MAX_PAGE }),
      cursor: cursorParam('nn'),
    },
    reply: Type.Object({
      result: Type.Object({ people: Type.Array(Person, { maxItems: MAX_PAGE }) }),
      next: Type.Optional(Type.Object({ cursor: Type.String() })),
    }),
    errors: [],
    // Other lists than `all` are short: 10,000 reports are open at most, and few accounts are suspended, limited or have a role.
    // A page that is not full has looked through 10,000 accounts, in another order than the newest twice.
    cost: { cpu: 'small', rows: 1_000, scanned: 20_000 },
    handler: async (_, { query, body }) => {
      const { q, list = 'all', order = 'newest', limit, cursor } = query
      const own = (body as { member?: { fid: number } } | undefined)?.member?.fid
      const tellsReports = list === 'reported' || order === 'reports'
      const { places, on } =
        q === undefined
          ? await context.storage.of(peopleRows).page(
              {
                ...{ list, order, after: placeIn(cursor) },
                without: tellsReports ? own : undefined,
              },
              limit + 1,
            )
          : { places: (await found(context, q.trim(), limit)).map((fid) => ({ fid, place: 0 })) }
      const positionOf = ({ place, fid }: PersonPlace) => [place, fid]
      const { result, next = on && { cursor: encodeCursor(positionOf(on)) } } = pageReply(
        places,
        limit,
        positionOf,
        (items) => ({ fids: items.map(({ fid }) => fid) }),
      )
      const people = (await peopleOf(context, result.fids)).map((one) =>
        one.fid === own ? { ...one, openReports: 0, resolvedReports: 0 } : one,
      )
      return { result: { people }, ...(next && { next }) }
    },
  }),
]

const placeIn = (cursor: Position | undefined): PersonPlace | undefined =>
  cursor && { place: cursor[0] as number, fid: cursor[1] as number }

/** The fids that a text may mean. */
async function found(
  { storage, findPeople }: PeopleContext,
  text: string,
  limit: number,
): Promise<readonly number[]> {
  const people = storage.of(peopleRows)
  const address = /^0x[0-9a-f]{40}$/i.test(text) ? fromHex(text) : undefined
  if (address) return people.heldBy(address, limit)
  const name = text.replace(/^@/, '').toLowerCase()
  const named =
    name === ''
      ? []
      : (
          await Promise.all([
            people.named(Buffer.from(name), limit),
            findPeople(text, limit).catch(noneWhenBusy),
          ])
        ).flat()
  const fid = /^!?\d{1,10}$/.test(text) ? Number(text.replace('!', '')) : 0
  return [...new Set([...(fid > 0 && fid <= MAX_FID ? [fid] : []), ...named])].slice(0, limit)
}

/** Everybody's search may be busy: the names that the registry has are found all the same. */
function noneWhenBusy(error: unknown): readonly number[] {
  if (error instanceof Rejection && error.code.startsWith('unavailable')) return []
  throw error
}

async function peopleOf({ storage, clock, terms }: PeopleContext, fids: readonly number[]) {
  const [rows, holdings, usage, profiles] = await Promise.all([
    storage.of(peopleRows).facts(fids),
    storage.storageLends.holdings(fids),
    storage.messages.usage(fids),
    readProfiles(storage.messages, fids, ['displayName', 'picture']),
  ])
  const byFid = new Map(rows.map((row) => [row.fid, row]))
  const countOf = (fid: number, isCounted: (one: Usage) => boolean) =>
    usage.reduce((sum, one) => sum + (one.fid === fid && isCounted(one) ? one.count : 0), 0)
  return fids.flatMap((fid, at) => {
    const facts = byFid.get(fid)
    // Somebody may look for a fid that nobody has registered.
    if (!facts?.address) return []
    return {
      ...personOf(facts),
      ...profileOf(profiles[at]!),
      units: unitCount(activeUnits(holdings.of(fid), unixSeconds(clock), terms)),
      messages: countOf(fid, () => true),
      posts: countOf(fid, ({ store }) => store === CASTS),
    }
  })
}

const profileOf = ({ displayName, picture }: Profile<'displayName' | 'picture'>) => ({
  ...(displayName !== undefined && { displayName }),
  ...(picture !== undefined && { pictureUrl: picture }),
})

const personOf = (facts: PersonFacts) => ({
  fid: facts.fid,
  ...(facts.name && { name: Buffer.from(facts.name).toString() }),
  ...(facts.address && { custody: toHex(facts.address) }),
  ...(facts.registered && {
    joinedAt: Number(fromBinary(OnChainEventSchema, facts.registered).blockTimestamp),
  }),
  ...(facts.hour !== null && {
    lastSeenAt: unixMsOf(facts.hour * HOUR_SECONDS) / SECOND_MS,
  }),
  openReports: facts.open,
  resolvedReports: facts.resolved,
  isSuspended: facts.suspended === 1,
  isLimited: facts.limited === 1,
  ...(facts.role && { role: facts.role }),
  isErased: facts.erased === 1,
})
