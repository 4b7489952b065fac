// The two ports of a mirror without servers and threads: a source in memory, and a hub that applies steps to a store.

import { Registry } from 'prom-client'
import { Applier } from '../src/features/mirror/apply.ts'
import type { HubPort, MirrorContext } from '../src/features/mirror/context.ts'
import { createMirrorMetrics } from '../src/features/mirror/metrics.ts'
import { followContext } from '../src/features/mirror/people/cast-context.ts'
import { newPerson } from '../src/features/mirror/people/new-person.ts'
import { Scope } from '../src/features/mirror/people/scope.ts'
import { Reader } from '../src/features/mirror/reader.ts'
import { addRule, parseRule } from '../src/features/mirror/rules.ts'
import { hashOfMessage, type SourceEvent } from '../src/features/mirror/source/events.ts'
import { LISTS } from '../src/features/mirror/source/lists.ts'
import type {
  GaslessKey,
  ListMethod,
  SourcePort,
  Usage,
} from '../src/features/mirror/source/source.ts'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { mirrorUpstream } from '../src/features/mirror/upstream.ts'
import { mergeAndTell } from '../src/kernel/accounts/on-chain-events.ts'
import { examine, packBodies } from '../src/kernel/hub/submit/examination.ts'
import { MirrorIntake } from '../src/kernel/hub/submit/mirror-intake.ts'
import { applySteps } from '../src/kernel/hub/submit/mirrored.ts'
import { equalBytes } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { MESSAGE_SETS, messageSetOf } from '../src/kernel/protocol/slots.ts'
import type { UserNameProof } from '../src/kernel/protocol/wire/message_pb.js'
import type {
  OnChainEvent,
  OnChainEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { movableClock } from './movable-clock.ts'
import { postgresPlace, sqlitePlace } from './storage-support.ts'
import {
  accountEvents,
  DEVNET,
  type EngineName,
  type TestAccount,
  testAccount,
  WORLD_START_MS,
} from './world.ts'

type Held = {
  readonly messages: Map<number, Uint8Array[]>
  readonly account: readonly OnChainEvent[]
}

/** A hub that is asked in memory: it has what it is given, and says what it is told to. */
export class MemorySource implements SourcePort {
  readonly address = 0
  readonly host = 'memory:1'
  readonly throttledMs = 0
  readonly #people = new Map<number, Held>()
  /** What it says it has of somebody's sets, in place of what it lists. */
  readonly counts = new Map<number, ReadonlyMap<number, number>>()
  /** Called before a page is handed out. */
  beforePage: (method: ListMethod) => Promise<void> = async () => {}

  add(fid: number): TestAccount {
    const account = testAccount(fid)
    const events = accountEvents(account, Math.floor(WORLD_START_MS / 1_000), 10)
    this.#people.set(fid, { messages: new Map(), account: events })
    return account
  }

  /** Lists these messages, of their set or as bytes of this one. */
  list(fid: number, ...messages: readonly (SignedMessage | { set: number; bytes: Uint8Array })[]) {
    for (const one of messages) {
      const [set, bytes] =
        'set' in one ? [one.set, one.bytes] : [messageSetOf(one.data.type), encodeEnvelope(one)]
      this.#setOf(fid, set).push(bytes)
    }
  }

  clear(fid: number, set: number): void {
    this.#setOf(fid, set).length = 0
  }

  #setOf(fid: number, set: number): Uint8Array[] {
    return this.#people.get(fid)!.messages.getOrInsertComputed(set, () => [])
  }

  async info() {
    const shards = [{ shard: 0, height: 0 }]
    return { kind: 'rookery' as const, version: '1', shards, registered: 0, path: '' }
  }

  async *messages(method: ListMethod, fid: number) {
    const { set } = LISTS.find((one) => one.method === method)!
    const page = [...(this.#people.get(fid)?.messages.get(set) ?? [])]
    await this.beforePage(method)
    if (page.length > 0) yield page
  }

  async accountEvents(fid: number, type: OnChainEventType) {
    return (this.#people.get(fid)?.account ?? []).filter((event) => event.type === type)
  }

  async usage(fid: number): Promise<Usage> {
    const messages = this.#people.get(fid)?.messages ?? new Map<number, Uint8Array[]>()
    const listed = new Map([...messages].map(([set, { length }]) => [set, length]))
    return { used: this.counts.get(fid) ?? listed, total: 0, limits: [] }
  }

  used = async (fid: number) => (await this.usage(fid)).used
  /** Names that somebody has, as this hub lists them: without the messages that prove them. */
  readonly names = new Map<number, readonly UserNameProof[]>()
  /** Gasless keys that it says somebody has. */
  readonly keys = new Map<number, readonly GaslessKey[]>()
  /** Links to a person. */
  readonly links = new Map<number, readonly SignedMessage[]>()

  nameProofs = async (fid: number) => [...(this.names.get(fid) ?? [])]
  gaslessKeys = async (fid: number) => ({ keys: this.keys.get(fid) ?? [], areAll: true })
  fidOf = async () => undefined
  async cast(fid: number, hash: Uint8Array) {
    const casts = this.#people.get(fid)?.messages.get(MESSAGE_SETS.casts) ?? []
    return casts.find((message) => equalBytes(hashOfMessage(message), hash))
  }
  trieNode = async () => ({ items: 0, hash: '' })
  events = async () => []
  async *followers(fid: number) {
    const page = (this.links.get(fid) ?? []).map(encodeEnvelope)
    if (page.length > 0) yield page
  }
  async *castsOf() {}
  async *fids() {}
  subscribe = (): never => {
    throw new Error('a source in memory has no stream: give events to the applier')
  }
  async submit() {}
  noteFault() {}
  noteSuccess() {}
  close() {}
}

/** Verifies and merges in the calling thread, by the functions that the threads of a server call. */
export function hubOn(storage: Storage, clock: { now(): number }): HubPort {
  const rules = { network: DEVNET }
  const context = { ...rules, storageEnds: true, upstream: mirrorUpstream }
  const intake = new MirrorIntake({
    examiners: {
      examine: async (bodies, admission) => [examine(packBodies(bodies, admission), rules)],
    },
    merger: {
      mirror: (request) =>
        storage.writeShared('hub', (tx) =>
          applySteps(tx, request, { ...context, nowMs: request.nowMs }),
        ),
    },
    questions: { askOutside: async () => undefined },
    clock,
  })
  return { mirror: (steps, terms) => intake.take(steps, terms) }
}

export async function createMemoryMirror(engine: EngineName) {
  const place = await (engine === 'sqlite' ? sqlitePlace() : postgresPlace())
  const storage = await place.open()
  const clock = movableClock({ now: () => WORLD_START_MS })
  const source = new MemorySource()
  const ended = new AbortController()
  const context: MirrorContext = {
    storage,
    clock,
    hub: hubOn(storage, clock),
    mergeAccounts: (tx, log, events, options) => mergeAndTell(tx, log, events, undefined, options),
    takesNames: true,
    source,
    kind: 'rookery',
    shards: 1,
    network: DEVNET,
    acceptsUnknownSigners: false,
    chainId: 10,
    checkDays: 1,
    contextDepth: 3,
    recheckMs: 0,
    metrics: createMirrorMetrics(new Registry()),
    log: { info() {}, warn() {}, error() {} } as unknown as MirrorContext['log'],
    lease: undefined,
    signal: ended.signal,
  }
  const applier = new Applier(context, async () => {})
  const reader = new Reader(context, applier)
  const scope = new Scope(context, false)
  let following: Promise<void> | undefined
  const mirror = storage.of(mirrorRows)
  const cursor = {
    shard: 0,
    cursor: 0,
    block_number: 0,
    block_hash: new Uint8Array(0),
    at: clock.now(),
  }
  const noGaps = { gaps_seen: 0, gaps_repaired: 0, gaps_pruned: 0 }
  await storage.write('hub', (tx) => tx.of(mirrorRows).putShards([{ ...cursor, ...noGaps }]))
  return {
    storage,
    clock,
    source,
    mirror,
    applier,
    context,
    /** Chooses somebody, and compares them as often as they are asked for at once. */
    async read(fid: number) {
      await storage.write('hub', (tx) => tx.of(mirrorRows).insertNewFids([newPerson(fid, 0)]))
      await reader.compare((await mirror.fids([fid]))[0]!)
      return (await mirror.fids([fid]))[0]!
    },
    /** Compares everybody whose comparison is due. Returns who they are. */
    async compareDue() {
      const due = (await mirror.fidsAfter(0, 100)).filter(({ due_at }) => due_at <= clock.now())
      for (const row of due) await reader.compare(row)
      return due.map(({ fid }) => fid)
    },
    /** Adds a rule, or adds it again, and finds out whom the rules name. */
    async follow(text: string, cap = 0) {
      const rule = parseRule(text)
      await storage.write('hub', (tx) => addRule(tx, rule, { now: clock.now(), cap }))
      await scope.resolve()
      return (await mirror.rules()).find(
        ({ kind, value }) => kind === rule.kind && value === rule.value,
      )
    },
    /** Notes what casts of chosen people refer to, until the end. */
    followContext() {
      following = followContext(context)
    },
    /** Says that no rule names this person any more. */
    async freeze(fid: number) {
      const [row] = await mirror.fids([fid])
      const frozen = { ...row!, state: 'frozen' as const, asks: 0 }
      await storage.write('hub', (tx) => tx.of(mirrorRows).putFids([frozen]))
    },
    /** Applies events as those of the one shard, which has come this far then. */
    apply: (events: readonly SourceEvent[], at: number) =>
      applier.events(events, { ...cursor, ...noGaps, cursor: at }),
    async close() {
      ended.abort()
      await following
      await storage.close()
      await place.drop()
    },
  }
}
