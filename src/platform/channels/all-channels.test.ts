import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import type { ChannelText } from '../../storage/channels.ts'
import { CHANNEL_JSON } from '../../storage/published-json.ts'
import { openStorage } from '../../storage/storage.ts'
import { type AllChannels, allChannelsReader } from './all-channels.ts'
import { nextVersion } from './context.ts'
import { castTargetOf } from './edits.ts'

const channel = (id: string, createdAt: number, description = ''): ChannelText => ({
  ...CHANNEL_JSON.defaults,
  id,
  name: id,
  description,
  url: `https://example.org/${id}`,
  cast_target: castTargetOf(`https://example.org/${id}`),
  lead_fid: null,
  created_at: createdAt,
  created_by: null,
})

async function store(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-channels-'))
  const storage = await openStorage({ dataDir: dir, network: '3' })
  t.after(async () => {
    await storage.close()
    rmSync(dir, { recursive: true })
  })
  const put = (...channels: ChannelText[]) =>
    storage.write('platform', async (tx) => tx.channels.put(channels, await nextVersion(tx)))
  return { storage, put }
}

const chunksOf = (list: AllChannels): Promise<Buffer[]> => list.stream().toArray()

async function idsOf(list: AllChannels): Promise<string[]> {
  const { result } = JSON.parse(await text(list.stream()))
  return result.channels.map(({ id }: { id: string }) => id)
}

test('security finding 8: the list of all channels is bounded in bytes, and leaves the newest out', async (t) => {
  const { storage, put } = await store(t)
  const long = 'x'.repeat(1_000)
  await put(channel('new', 30, long), channel('old', 10, long), channel('mid', 20, long))
  const all = await allChannelsReader(storage, 10_000)()
  assert.deepEqual(await idsOf(all), ['old', 'mid', 'new'])

  const bounded = allChannelsReader(storage, 3_000)
  assert.deepEqual(await idsOf(await bounded()), ['old', 'mid'])
  await put(channel('later', 40))
  assert.deepEqual(await idsOf(await bounded()), ['old', 'mid'])
  await put(channel('first', 1, long))
  assert.deepEqual(await idsOf(await bounded()), ['first', 'old'])
  assert.deepEqual(await idsOf(await allChannelsReader(storage, 3_000)()), ['first', 'old'])
})

test('security finding 8: the list of all channels is sent in chunks, and no text holds all of it', async (t) => {
  const { storage, put } = await store(t)
  const long = 'x'.repeat(6_000)
  await put(...Array.from({ length: 1_000 }, (_, i) => channel(`c${i}`, i, long)))
  const read = allChannelsReader(storage)
  const before = await read()
  const chunks = await chunksOf(before)
  const sizes = chunks.map(({ length }) => length)
  assert.ok(sizes.length > 5, `${sizes.length} chunks`)
  assert.ok(Math.max(...sizes) < 1_060_000)
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    before.byteLength,
  )
  assert.equal((await idsOf(before)).length, 1_000)
  // All readers of a version share its chunks.
  for (const [i, chunk] of (await chunksOf(before)).entries()) assert.equal(chunk, chunks[i])

  // A reader that began before a change ends with what it began with, and the old version is not kept joined.
  const half = before.stream()[Symbol.asyncIterator]()
  const received = [(await half.next()).value]
  await put(channel('c1000', 1_000))
  assert.equal((await idsOf(await read())).length, 1_001)
  for await (const chunk of half) received.push(chunk)
  assert.deepEqual(received, chunks)
  assert.notEqual((await chunksOf(before))[0], chunks[0])
})
