// A mirror and its source: two servers of which one follows the other.

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { MirrorStatus } from '../src/mirror/status.ts'
import { toHex } from '../src/protocol/codec/bytes.ts'
import { ALL_MESSAGE_SETS } from '../src/protocol/kinds/kinds.ts'
import type { Storage } from '../src/storage/storage.ts'
import { createWorld, type EngineName, type World } from './world.ts'

export type MirrorWorld = World & {
  status(): Promise<MirrorStatus>
  /** Adds a rule over the operator's interface. */
  follow(rule: string): Promise<void>
  /** Waits until everybody who is mirrored was compared and every event of the source was applied. */
  settled(source: World): Promise<void>
}

export async function createMirror(
  source: Pick<World, 'app' | 'clock'>,
  options: {
    engine?: EngineName
    env?: Readonly<Record<string, string>>
    logLines?: string[]
  } = {},
): Promise<MirrorWorld> {
  const world = await createWorld({
    ...options,
    startMs: source.clock.now(),
    env: {
      ROOKERY_MIRROR_URLS: `grpc://${source.app.urls.grpc}`,
      ROOKERY_MIRROR_MIN_FREE_GIB: '0',
      ...options.env,
    },
  })
  const status = async () => (await world.operate('/mirror')).body as MirrorStatus
  return Object.assign(world, {
    status,
    async follow(rule: string) {
      const { status: code, body } = await world.operate('/mirror/rules', { body: { rule } })
      assert.equal(code, 200, JSON.stringify(body))
    },
    async settled(of: World) {
      await until(async () => {
        world.clock.set(Math.max(world.clock.now(), of.clock.now()))
        const newest = await of.app.storage.events.newestId()
        const { people, shards, state } = await status()
        const rules = await world.app.storage.mirror.rules()
        const due = await world.app.storage.mirror.due(world.clock.now(), 1)
        const isRead = people.waiting === 0 && people.reading === 0 && due.length === 0
        const isResolved = rules.every(({ resolved_at }) => resolved_at > 0)
        assert.equal(state, 'following')
        return isRead && isResolved && shards.every(({ cursor }) => cursor >= newest)
      })
    },
  })
}

const WAIT_MS = 60_000

/** Waits for a condition; failures of assertions in it count as not yet. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS
  for (;;) {
    const failure = await condition().then(
      (is) => (is ? undefined : new Error('it does not become true')),
      (error: unknown) => error,
    )
    if (failure === undefined) return
    if (performance.now() > end) throw failure
    await delay(25)
  }
}

/** The hashes of all messages of these fids, by set and in the order of lists. */
export async function hashesOf(storage: Storage, fids: readonly number[]) {
  const found: Record<string, string[]> = {}
  for (const fid of fids) {
    for (const { number, key } of ALL_MESSAGE_SETS) {
      const hashes: string[] = []
      let token: Uint8Array | undefined
      do {
        const list = { fid, store: number }
        const page = await storage.messages.listByFid(list, { size: 1_000, token })
        hashes.push(...page.items.map(({ hash }) => toHex(hash)))
        token = page.next
      } while (token)
      if (hashes.length > 0) found[`${fid} ${key}`] = hashes
    }
  }
  return found
}
