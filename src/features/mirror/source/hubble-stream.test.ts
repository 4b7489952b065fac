import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { EVENT_IDS_PER_MS } from '../../../kernel/protocol/event-id.ts'
import { HubEventSchema } from '../../../kernel/protocol/wire/hub_event_pb.js'
import { readEvent } from './events.ts'
import { subscribeToHubble } from './hubble-stream.ts'

const SECOND_IDS = 1_000 * EVENT_IDS_PER_MS

/** A source whose streams are played by the test. */
function scriptedSource() {
  const streams: { fromId: number | undefined; isOpen: boolean; send(id: number): void }[] = []
  const source = {
    info: async () => ({}) as never,
    subscribe: (
      _shard: number | undefined,
      fromId: number | undefined,
      { onMessage }: { onMessage(bytes: Buffer): void },
    ) => {
      const stream = {
        fromId,
        isOpen: true,
        send: (id: number) =>
          onMessage(
            Buffer.from(toBinary(HubEventSchema, create(HubEventSchema, { id: BigInt(id) }))),
          ),
      }
      streams.push(stream)
      const ended = new Promise<void>(() => {})
      const close = () => {
        stream.isOpen = false
      }
      return { ended, close, pause() {}, resume() {} }
    },
  }
  return { source, streams }
}

test('live events of Hubble wait until the stored ones have come past them, and then one stream is left', async (t) => {
  const { source, streams } = scriptedSource()
  const ids: number[] = []
  const joined = await subscribeToHubble(source, 0, (bytes) => ids.push(readEvent(bytes).id))
  t.after(() => joined.close())
  const [live, stored] = streams
  assert.deepEqual([live!.fromId, stored!.fromId], [undefined, 0])
  live!.send(SECOND_IDS)
  stored!.send(1)
  assert.deepEqual(ids, [1])
  stored!.send(20 * SECOND_IDS)
  assert.deepEqual(ids, [1, 20 * SECOND_IDS, SECOND_IDS])
  assert.deepEqual([live!.isOpen, stored!.isOpen], [true, false])
  live!.send(21 * SECOND_IDS)
  assert.equal(ids.at(-1), 21 * SECOND_IDS)
})

test('live events of Hubble that are too many to wait are left to the stored ones, and waiting begins again', async (t) => {
  const { source, streams } = scriptedSource()
  const ids = new Set<number>()
  const joined = await subscribeToHubble(source, 0, (bytes) => ids.add(readEvent(bytes).id))
  t.after(() => joined.close())
  const [first, stored] = streams
  for (let id = 1; id <= 20_001; id++) first!.send(id)
  const again = streams[2]!
  assert.deepEqual([first!.isOpen, again.isOpen, again.fromId], [false, true, undefined])
  assert.equal(ids.size, 0)
  again.send(SECOND_IDS)
  for (let id = 1; id <= 20_001; id++) stored!.send(id)
  assert.equal(stored!.isOpen, true)
  stored!.send(20 * SECOND_IDS)
  assert.equal(stored!.isOpen, false)
  assert.equal(ids.size, 20_003)
})
