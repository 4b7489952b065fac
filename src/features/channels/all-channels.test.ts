import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { openWholeStore } from '../../store.ts'
import { type AllChannels, AllChannelsReader } from './all-channels.ts'
import { nextVersion } from './context.ts'
import { castTargetOf } from './edits.ts'
import type { ChannelText } from './tables/channels.ts'
import { channelRows } from './tables/channels.ts'
import { CHANNEL_JSON } from './tables/published-json.ts'

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
  const storage = await openWholeStore({ dataDir: dir, network: '3' })
  t.after(async () => {
    await storage.close()
    rmSync(dir, { recursive: true })
  })
  const put = (...channels: ChannelText[]) =>
    storage.write('platform', async (tx) => tx.of(channelRows).put(channels, await nextVersion(tx)))
  return { storage, put }
}

async function idsOf(list: AllChannels): Promise<string[]> {
  const { content, onClose } = list.open()
  onClose?.()
  const { result } = JSON.parse(content instanceof Readable ? await text(content) : `${content}`)
  return result.channels.map(({ id }: { id: string }) => id)
}

test('security finding 8: the list of all channels is bounded in bytes, and leaves the newest out', async (t) => {
  const { storage, put } = await store(t)
  const long = 'x'.repeat(1_000)
  await put(channel('new', 30, long), channel('old', 10, long), channel('mid', 20, long))
  const all = await new AllChannelsReader(storage, 10_000).read()
  assert.deepEqual(await idsOf(all), ['old', 'mid', 'new'])

  const bounded = new AllChannelsReader(storage, 3_000).read
  assert.deepEqual(await idsOf(await bounded()), ['old', 'mid'])
  await put(channel('later', 40))
  assert.deepEqual(await idsOf(await bounded()), ['old', 'mid'])
  await put(channel('first', 1, long))
  assert.deepEqual(await idsOf(await bounded()), ['first', 'old'])
  assert.deepEqual(await idsOf(await new AllChannelsReader(storage, 3_000).read()), [
    'first',
    'old',
  ])
})

test('security finding 8: readers of the list of all channels share its bytes, and slow ones hold a bounded part of earlier lists', async (t) => {
  const { storage, put } = await store(t)
  const long = 'x'.repeat(6_000)
  await put(...Array.from({ length: 1_000 }, (_, i) => channel(`c${i}`, i, long)))
  const read = new AllChannelsReader(storage, 20_000_000).read
  const lists: AllChannels[] = []
  /** One version of six megabytes after the other, each with two readers that do not receive it. */
  const openNext = async () => {
    await put(channel('changing', 1_000, `${lists.length}`))
    const list = await read()
    lists.push(list)
    return [list.open(), list.open()] as const
  }
  const slow = [await openNext(), await openNext(), await openNext()]
  for (const [one, other] of slow) {
    assert.ok(Buffer.isBuffer(one.content), 'in one piece')
    assert.equal(one.content, other.content, 'readers of a version share its bytes')
  }

  // These three are held now: with a fourth they would have more than 20 MB.
  const [late] = await openNext()
  assert.ok(late.content instanceof Readable)
  const chunks = (await late.content.toArray()) as Buffer[]
  const sizes = chunks.map(({ length }) => length)
  assert.ok(sizes.length > 5 && Math.max(...sizes) < 1_060_000, `${sizes}`)
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    lists.at(-1)!.byteLength,
  )
  const { result } = JSON.parse(String(Buffer.concat(chunks)))
  assert.equal(result.channels.at(-1).description, '3')
  const [again] = await openNext()
  assert.ok(again.content instanceof Readable, 'what changes later does not make room')

  // Room is made when all readers of a list have received it.
  slow[0]![0].onClose!()
  assert.ok((await openNext())[0].content instanceof Readable)
  slow[0]![1].onClose!()
  assert.ok(Buffer.isBuffer((await openNext())[0].content))

  // A reader that asked just before a change gets what it asked for.
  const before = lists.at(-1)!
  await openNext()
  assert.ok(before.open().content instanceof Readable)
  assert.equal((await idsOf(before)).length, 1_001)
})
