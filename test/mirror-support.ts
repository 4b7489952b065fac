// A mirror and its source: two servers of which one follows the other.

import assert from 'node:assert/strict'
import type { Config } from '../src/config.ts'
import type { MirrorStatus } from '../src/features/mirror/status.ts'
import { mirrorRows } from '../src/features/mirror/tables/mirror.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { ALL_MESSAGE_SETS } from '../src/kernel/protocol/kinds/kinds.ts'
import type { Storage } from '../src/kernel/storage/storage.ts'
import type { FakeHub } from './fake-hub/fake-hub.ts'
import { until } from './until.ts'
import { createWorld, type EngineName, type World } from './world.ts'

export type MirrorWorld = World & {
  status(): Promise<MirrorStatus>
  /** Adds a rule over the operator's interface. */
  follow(rule: string): Promise<void>
  /** Waits until every event of the source was applied and then everybody who is mirrored was compared. */
  settled(hasAll: HasAll): Promise<void>
}

export async function createMirror(
  source: { readonly address: string; readonly now: () => number },
  options: {
    engine?: EngineName
    env?: Readonly<Record<string, string>>
    config?: Partial<Config>
    logLines?: string[]
  } = {},
): Promise<MirrorWorld> {
  const env = { ...mirrorSettings(source), ...options.env }
  return asMirror(await createWorld({ ...options, startMs: source.now(), env }))
}

export const mirrorSettings = ({ address }: { readonly address: string }) => ({
  ROOKERY_MIRROR_URLS: `grpc://${address}`,
  ROOKERY_MIRROR_MIN_FREE_GIB: '0',
})

export function asMirror(world: World): MirrorWorld {
  const status = async () => (await world.operate('/mirror')).body as MirrorStatus
  return Object.assign(world, {
    status,
    async follow(rule: string) {
      const { status: code, body } = await world.operate('/mirror/rules', { body: { rule } })
      assert.equal(code, 200, JSON.stringify(body))
    },
    async settled(hasAll: HasAll) {
      const dueSoon = () => world.app.storage.of(mirrorRows).due(world.clock.now() + SOON_MS, 1)
      await until(async () => {
        // Comparisons that are to be repeated soon are.
        const [next] = await dueSoon()
        world.clock.advance(Math.max(1_000, (next?.due_at ?? 0) - world.clock.now()))
        // A server that has just started may still have people to compare before it follows.
        const before = await status()
        if (before.state !== 'following' || !(await hasAll(before.shards))) return false
        const due = await dueSoon()
        const rules = await world.app.storage.of(mirrorRows).rules()
        const { people, state } = await status()
        assert.equal(state, 'following')
        const isRead = people.waiting === 0 && people.reading === 0 && due.length === 0
        return isRead && rules.every(({ resolved_at }) => resolved_at > 0)
      })
    },
  })
}

/** Whether all events of the source were applied. */
export type HasAll = (shards: MirrorStatus['shards']) => Promise<boolean> | boolean

/** A comparison that is due so soon is waited for. */
const SOON_MS = 10 * 60_000

/** A Rookery as a source. */
export const sourceOf = (world: World) => ({
  address: world.app.urls.grpc,
  now: () => world.clock.now(),
})

export const allOf =
  (source: World): HasAll =>
  async (shards) => {
    const newest = await source.app.storage.events.newestId()
    return shards.length > 0 && shards.every(({ cursor }) => cursor >= newest)
  }

/** Whether the blocks that there are now were applied. */
export function heights(fake: FakeHub): HasAll {
  const { shardInfos = [] } = fake.info()
  const wanted = shardInfos.filter(({ shardId }) => shardId !== 0)
  return (shards) =>
    wanted.every(({ shardId, maxHeight }) =>
      shards.some(({ shard, block }) => shard === shardId && block >= Number(maxHeight)),
    )
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
