// Thousands of requests that are almost right, to every route of channels: none is a fault of ours.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelClient } from './channels-support.ts'
import { effort } from './effort.ts'
import { routesOf, serve } from './http-support.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { createWorld, enginesOf } from './world.ts'

const REQUESTS = { sqlite: effort(800, 8_000), postgres: effort(250, 2_000) }
const SEED = runSeed()

const NASTY: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, '', ' ', '0', '1'],
  ...['\u0000', 'a\u0000b', '\ud800', '💥', 'x'.repeat(2_000), '%', '__proto__', 'birds', 'Birds'],
  ...['0x', `0x${'00'.repeat(20)}`, `0x${'f'.repeat(41)}`, 'https://', 'javascript:x', '{x}'],
  ...[[], {}, [null], [[]], { a: { b: [] } }, [1, 2], { constructor: 1 }, 'member', 'moderator'],
]
const TEXTS = NASTY.filter((value) => typeof value === 'string' || typeof value === 'number')
/** Also such that are well formed and of another list. */
const CURSORS = [
  ['a'],
  [1],
  [1, 2],
  [1, 'a'],
  [1, 'a', 2],
  [2 ** 53 - 1, '\uffff', -5],
  [1, '\0'],
  {},
]

for (const engine of enginesOf(import.meta.url)) {
  test(`almost valid channel requests never cause internal errors, on ${engine} (seed ${SEED})`, async () => {
    const world = await createWorld({ engine, env: { ROOKERY_CHANNELS_PER_FID: '1000000' } })
    try {
      const client = channelClient(world)
      const [owner, user] = await world.accounts([1, 2])
      const { url } = await client.create(owner!, 'birds')
      const castHash = client.hashOf(await client.cast(user!, 'a cast', url))
      const routes = routesOf(world.app, 'channels')
      const api = serve(routes, { errors: 'platform', name: 'platform' })
      const tokens = [owner!, user!].map((account) => `Bearer ${world.token(account)}`)
      const random = randomFrom(SEED)
      const told = new Map<number, number>()
      for (let i = 0; i < REQUESTS[engine]; i++) {
        const { method, path, query } = random.pick(routes).spec
        const text = queryOf(Object.keys(query ?? {}), random)
        const body = method === 'GET' ? undefined : bodyOf(random, castHash)
        const { statusCode, body: answer } = await api.inject({
          method,
          url: path + text,
          headers: {
            authorization: random.int(20) === 0 ? 'Bearer x' : random.pick(tokens),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { payload: body }),
        })
        const what = `${method} ${path}${text} ${body}`
        assert.ok(statusCode < 500, `${statusCode} for ${what}: ${answer}`)
        const { errors, result } = JSON.parse(answer)
        assert.ok(statusCode === 200 ? typeof result === 'object' : errors.length === 1, what)
        told.set(statusCode, (told.get(statusCode) ?? 0) + 1)
      }
      for (const status of [200, 400, 401, 403, 404]) assert.ok(told.has(status), `${status}`)
    } finally {
      await world.close()
    }
  })
}

function queryOf(names: readonly string[], random: Random): string {
  const parts = names.flatMap((name) => {
    if (random.int(3) === 0) return []
    const value =
      name === 'cursor' && random.int(2)
        ? cursorOf(random)
        : random.int(2)
          ? { channelId: 'birds', fid: '1', limit: '5' }[name]
          : random.pick(TEXTS)
    return `${name}=${encodeURIComponent(String(value ?? '').toWellFormed())}`
  })
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

const cursorOf = (random: Random) =>
  Buffer.from(JSON.stringify({ after: random.pick(CURSORS) })).toString('base64url')

/** What any of the routes takes, with up to three properties that are something else or missing. */
function bodyOf(random: Random, castHash: string): string {
  const right: Record<string, unknown> = {
    channelId: random.int(4) ? 'birds' : `b${random.int(1e6)}`,
    inviteFid: 2,
    removeFid: 2,
    banFid: 2,
    unbanFid: 2,
    role: 'member',
    accept: true,
    castHash,
    action: 'hide',
    name: 'Birds',
    description: 'Birds',
    externalLink: { title: 'More', url: 'https://example.org' },
    publicCasting: true,
    ids: ['kept'],
    lines: [
      { channel: { id: 'in', url: `https://in.example`, name: 'In', createdAt: 1 } },
      { follow: { channelId: 'in', fid: 5, followedAt: 6 } },
      { standing: { channelId: 'in', fid: 5, standing: 'member', since: 7 } },
    ],
  }
  if (random.int(10) === 0) return JSON.stringify(random.pick(NASTY))
  if (random.int(10) === 0) delete right.castHash
  for (let i = random.int(4); i > 0; i--) spoil(right, random)
  return JSON.stringify(right)
}

/** Changes one thing, here or further in. */
function spoil(value: Record<string, unknown> | unknown[], random: Random): void {
  const keys = Object.keys(value)
  const key = keys.length === 0 || random.int(12) === 0 ? 'other' : random.pick(keys)
  const holder = value as Record<string, unknown>
  const inner = holder[key]
  if (typeof inner === 'object' && inner !== null && random.int(4) > 0) {
    spoil(inner as Record<string, unknown>, random)
  } else if (random.int(4) === 0) delete holder[key]
  else holder[key] = structuredClone(random.pick(NASTY))
}
