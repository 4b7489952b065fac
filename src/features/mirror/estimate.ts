import { publicKeyOf, signEd25519, verifyEd25519 } from '../../kernel/protocol/crypto/ed25519.ts'
import type { Network } from '../../kernel/protocol/wire/message_pb.js'
import { membersOf } from './people/members.ts'
import { parseRule } from './rules.ts'
import { networkOf, otherNetwork, someFids } from './source/network.ts'
import type { Source } from './source/source.ts'

// What a mirror would cost, by a sample of the people whom it would read.

const SAMPLED = 200
const SAMPLED_FOR_BYTES = 20
/** Lists, types of account events, names, gasless keys and counts. */
const CALLS_PER_PERSON = 13
const MESSAGES_PER_CALL = 1_000
/** Of the bytes of messages, on SQLite without views (docs/performance.md). */
const DISK_SHARE = 1.38
const DEFAULT_MESSAGE_BYTES = 300
const VERIFIED = 500
/** Of what this machine verifies: the rest goes into reading and storing. */
const CPU_SHARE = 0.5
const Z_95 = 1.96

export type Estimate = {
  readonly source: string
  readonly kind: string
  /** That of its messages; undefined when none was found. */
  readonly network: Network | undefined
  readonly people: number
  readonly sampled: number
  /** With a probability of 95 % it is between the two. */
  readonly messages: { readonly least: number; readonly expected: number; readonly most: number }
  readonly calls: number
  readonly diskBytes: number
  readonly seconds: { readonly byCalls: number | undefined; readonly byCpu: number }
}

/** SQLite is not meant for more messages: a file of some 40 GB that is read at random. */
const MAX_EMBEDDED_MESSAGES = 100_000_000

/** What the store of a mirror is; free bytes are undefined when they are those of a database server. */
export type MirrorStore = {
  readonly isEmbedded: boolean
  readonly freeBytes: number | undefined
  /** Undefined before the setting is made. */
  readonly network: Network | undefined
}

/** What to change before such a mirror is started. */
export function adviceOf(
  { messages, diskBytes, network }: Pick<Estimate, 'messages' | 'diskBytes' | 'network'>,
  { isEmbedded, freeBytes, network: own }: MirrorStore,
): string[] {
  const isTooLarge = isEmbedded && messages.most > MAX_EMBEDDED_MESSAGES
  const isOther = network !== undefined && own !== undefined && network !== own
  const isFull = freeBytes !== undefined && diskBytes > freeBytes
  return [
    ...(isOther ? [otherNetwork(network, own)] : []),
    ...(isTooLarge
      ? ['SQLite is meant for up to 100 million messages: set DATABASE_URL to a PostgreSQL.']
      : []),
    ...(isFull ? ['There is not enough free disk: set ROOKERY_DATA_DIR to another one.'] : []),
  ]
}

export async function estimate(
  source: Source,
  { rules, rate }: { readonly rules: readonly string[] | 'all'; readonly rate: number },
): Promise<Estimate> {
  const info = await source.info()
  const { kind, version, shards, registered } = info
  const all = rules === 'all' ? await someFids(source, shards) : await fidsOf(source, rules)
  const people = rules === 'all' ? Math.max(registered, all.length) : all.length
  const sample = shuffled(all).slice(0, SAMPLED)
  const counts = await Promise.all(sample.map(async (fid) => (await source.usage(fid)).total))
  const mean = counts.reduce((sum, n) => sum + n, 0) / Math.max(1, counts.length)
  const variance =
    counts.reduce((sum, n) => sum + (n - mean) ** 2, 0) / Math.max(1, counts.length - 1)
  // Of a sample that is everybody nothing is uncertain.
  const isAll = sample.length === people
  const margin = isAll ? 0 : Z_95 * Math.sqrt(variance / Math.max(1, counts.length)) * people
  const expected = Math.round(mean * people)
  const calls = people * CALLS_PER_PERSON + Math.ceil(expected / MESSAGES_PER_CALL)
  return {
    source: source.host,
    kind: `${kind} ${version}`.trim(),
    network: await networkOf(source, info),
    people,
    sampled: sample.length,
    messages: {
      least: Math.max(0, Math.round(expected - margin)),
      expected,
      most: Math.round(expected + margin),
    },
    calls,
    diskBytes: Math.round(expected * (await messageBytes(source, sample)) * DISK_SHARE),
    seconds: {
      byCalls: rate > 0 ? calls / rate : undefined,
      byCpu: expected / (CPU_SHARE * verifiedPerSecond()),
    },
  }
}

const NEW_RULE = { id: 0, added_at: 0, resolved_at: 0, people: 0, error: null, cap: 0 }

async function fidsOf(source: Source, rules: readonly string[]): Promise<number[]> {
  const fids = new Set<number>()
  const parts = { source, clock: { now: () => Date.now() }, signal: new AbortController().signal }
  for (const text of rules) {
    const rule = parseRule(text)
    if (rule.kind === 'name') {
      const fid = await source.fidOf(rule.value)
      if (fid) fids.add(fid)
    } else for (const fid of await membersOf(parts, { ...NEW_RULE, ...rule })) fids.add(fid)
  }
  return [...fids]
}

async function messageBytes(source: Source, fids: readonly number[]): Promise<number> {
  let [bytes, messages] = [0, 0]
  for (const fid of fids.slice(0, SAMPLED_FOR_BYTES)) {
    const { value = [] } = await source.messages('GetAllCastMessagesByFid', fid).next()
    for (const message of value as readonly Uint8Array[]) bytes += message.length
    messages += (value as readonly Uint8Array[]).length
  }
  return messages === 0 ? DEFAULT_MESSAGE_BYTES : bytes / messages
}

function verifiedPerSecond(): number {
  const seed = new Uint8Array(32).fill(1)
  const data = new Uint8Array(20).fill(2)
  const [signature, key] = [signEd25519(data, seed), publicKeyOf(seed)]
  const started = performance.now()
  for (let i = 0; i < VERIFIED; i++) verifyEd25519(signature, data, key)
  return (1_000 * VERIFIED) / (performance.now() - started)
}

function shuffled(fids: readonly number[]): number[] {
  const mixed = [...fids]
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1))
    ;[mixed[i], mixed[other]] = [mixed[other]!, mixed[i]!]
  }
  return mixed
}
