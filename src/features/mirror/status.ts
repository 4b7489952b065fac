import Type, { type Static } from 'typebox'
import { GIB } from '../../kernel/protocol/sizes.ts'
import { MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { Mirror } from './mirror.ts'
import { MAX_CONTEXT } from './people/cast-context.ts'
import { mirrorRows } from './tables/mirror.ts'
import { mirrorContextRows } from './tables/mirror-context.ts'

const Count = Type.Integer()

const STATES = ['connecting', 'reading', 'following', 'paused', 'stopped', 'elsewhere'] as const

export const MirrorReply = Type.Object({
  source: Type.String({ description: 'Host and port.' }),
  kind: Type.String({ description: 'What runs there, and its version.' }),
  trust: Type.String({ description: 'What is believed without proof.' }),
  state: Type.Unsafe<(typeof STATES)[number]>({
    type: 'string',
    enum: STATES,
    description: '`elsewhere`: another process follows the source.',
  }),
  stopped: Type.Union([Type.String(), Type.Null()], {
    description: 'Why nothing goes on until somebody acts.',
  }),
  problem: Type.Union([Type.String(), Type.Null()], { description: 'What is tried again.' }),
  shards: Type.Array(
    Type.Object({
      shard: Count,
      cursor: Type.Integer({ description: 'Id of the last event that was applied.' }),
      block: Count,
      lagSeconds: Count,
      gaps: Type.Object({ seen: Count, repaired: Count, pruned: Count }),
    }),
  ),
  people: Type.Object({
    waiting: Count,
    reading: Count,
    live: Count,
    differ: Count,
    frozen: Count,
  }),
  context: Type.Object(
    {
      people: Count,
      casts: Count,
      waiting: Count,
      missing: Type.Integer({
        description: 'Casts that the source does not have, or that were refused.',
      }),
      isFull: Type.Boolean({ description: 'Whether nothing more is noted.' }),
    },
    {
      description:
        'What casts of chosen people refer to: casts, and people of whom only the profile is mirrored.',
    },
  ),
  toCompare: Type.Integer({
    description: 'People who are compared now or in the next minute.',
  }),
  isComplete: Type.Boolean({ description: 'Whether everybody was read at least once.' }),
  oldestCheck: Type.Union([Type.String(), Type.Null()]),
  merged: Type.Integer({ description: 'Messages that were stored since this process started.' }),
  perSecond: Type.Integer({ description: 'Messages that are stored a second.' }),
  etaSeconds: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'Seconds until everybody is read, at the present rate; null when nobody is being read or the rate is not known.',
  }),
  diskFreeGib: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Free GiB on the disk of the data; null when the data are on a database server.',
  }),
  quarantine: Type.Record(Type.String(), Count, { description: 'Messages by reason.' }),
  withheld: Type.Integer({ description: 'Messages that moderation of this server keeps away.' }),
})
export type MirrorStatus = Static<typeof MirrorReply>

type StatusOptions = {
  readonly storage: Storage
  readonly mirror: Mirror
  readonly trust: string
  readonly host: string
  readonly isLeader: () => boolean
  readonly now: () => number
}

export async function mirrorStatus(options: StatusOptions): Promise<MirrorStatus> {
  const { storage, mirror, now } = options
  const [source, shards, states, reasons, oldest, withheld, toCompare, context, free] =
    await Promise.all([
      storage.of(mirrorRows).source(),
      storage.of(mirrorRows).shards(),
      storage.of(mirrorRows).states(),
      storage.of(mirrorRows).quarantineReasons(),
      storage.of(mirrorRows).oldestCheck(),
      storage.of(mirrorRows).withheld(),
      storage.of(mirrorRows).dueCount(now() + MINUTE_MS),
      contextOf(storage),
      mirror.freeBytes(),
    ])
  const people = Object.fromEntries(states.map(({ state, n }) => [state, Number(n)]))
  const lagOf = (shard: number, at: number) =>
    mirror.followers.find(({ row }) => row.shard === shard)?.lagMs ?? Math.max(0, now() - at)
  return {
    source: options.isLeader() ? options.host : (source?.host ?? options.host),
    kind: source ? `${source.kind} ${source.version}`.trim() : 'unknown',
    trust: options.trust,
    state: stateOf(options, source, (people.waiting ?? 0) + mirror.reading),
    stopped: source?.stopped ?? mirror.refused ?? null,
    problem: mirror.problem ?? null,
    shards: shards.map((row) => ({
      shard: row.shard,
      cursor: row.cursor,
      block: row.block_number,
      lagSeconds: Math.round(lagOf(row.shard, row.at) / 1_000),
      gaps: { seen: row.gaps_seen, repaired: row.gaps_repaired, pruned: row.gaps_pruned },
    })),
    people: {
      waiting: people.waiting ?? 0,
      reading: mirror.reading,
      live: people.live ?? 0,
      differ: people.differs ?? 0,
      frozen: people.frozen ?? 0,
    },
    context: { people: people.context ?? 0, ...context },
    toCompare,
    isComplete: (source?.complete_at ?? 0) > 0,
    merged: mirror.progress.merged,
    perSecond: mirror.progress.perSecond,
    etaSeconds: people.waiting ? (mirror.progress.etaSeconds(people.waiting) ?? null) : null,
    diskFreeGib: free === undefined ? null : Math.floor(free / GIB),
    oldestCheck: oldest > 0 ? new Date(oldest).toISOString() : null,
    quarantine: Object.fromEntries(reasons.map(({ reason, n }) => [reason, Number(n)])),
    withheld,
  }
}

async function contextOf(storage: Storage) {
  const context = storage.of(mirrorContextRows)
  const [states, rows] = await Promise.all([context.states(), context.count()])
  const of = (state: string) => Number(states.find((one) => one.state === state)?.n ?? 0)
  return {
    casts: of('stored'),
    waiting: of('waiting'),
    missing: of('missing'),
    isFull: rows >= MAX_CONTEXT,
  }
}

function stateOf(
  { mirror, isLeader }: StatusOptions,
  source: { readonly stopped: string | null; readonly paused: number } | undefined,
  open: number,
): MirrorStatus['state'] {
  if (source?.stopped || mirror.refused) return 'stopped'
  if (!isLeader()) return 'elsewhere'
  if (mirror.followers.length === 0) return 'connecting'
  if (source?.paused === 1) return 'paused'
  return open > 0 ? 'reading' : 'following'
}
