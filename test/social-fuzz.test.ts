// Mutated requests about blocks and actions: every fault is the caller's and said so in
// the platform's words. TEST_SEED gives others.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ACTIONS } from '../src/features/actions/port.ts'
import { effort } from './effort.ts'
import { routesOf, serve } from './http-support.ts'
import { randomFrom, runSeed } from './random.ts'
import { createWorld, type World } from './world.ts'

const REQUESTS = effort(500, 10_000)
const SEED = runSeed()
const { int, pick } = randomFrom(SEED)

const LISTED = 'https://actions.example/a'

type Body = Record<string, unknown>
type Template = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Body
}

const pages = [
  ...['/v1/blocked-users', '/fc/blocked-users', '/platform/blocks/export', '/platform/actions'],
  ...['/v2/discover-actions', '/v2/discover-composer-actions', '/fc/installed-actions'],
].map((path): Template => {
  const cursor = Buffer.from('{"after":[1,2,3]}').toString('base64url')
  return { method: 'GET', path, query: { list: 'top', limit: '5', blockerFid: '1', cursor } }
})
const line = { block: { blockerFid: 2, blockedFid: 3, createdAt: 5 } }
const TEMPLATES: readonly Template[] = [
  ...pages,
  { method: 'POST', path: '/fc/blocked-users', body: { blockFid: 2 } },
  { method: 'DELETE', path: '/fc/blocked-users', body: { unblockFid: 2 } },
  { method: 'POST', path: '/fc/installed-actions', body: { actionUrl: LISTED } },
  { method: 'DELETE', path: '/fc/installed-actions', body: { actionUrl: LISTED } },
  { method: 'POST', path: '/platform/blocks/import', body: { lines: [line, line] } },
  { method: 'PUT', path: '/platform/featured-actions', body: { actionUrls: [LISTED] } },
  { method: 'DELETE', path: '/platform/actions', body: { actionUrl: `${LISTED}/b` } },
  // Nothing of what becomes of this may be asked for: see `values`.
  { method: 'POST', path: '/platform/actions', body: { actionUrl: 'https://10.0.0.1/' } },
  { method: 'POST', path: '/platform/refreshed-actions', body: { actionUrl: `${LISTED}/c` } },
]

const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1, 1.5, 2, 2 ** 31, 2 ** 32, 2 ** 53, 1e308, -1e308],
  ...['', ' ', '0', '1', 'x', '\u0000', '\ud800', '\u202e', '🦜'.repeat(600), '__proto__', '%00'],
  ...['https://', 'https://[', 'javascript:1', '//x', 'http://127.0.0.1:1/', 'https://0x7f.1/'],
  ...[[], {}, [[]], [null], { length: 1 }, { toString: 1 }, Array(600).fill(line)],
]

function changed(value: unknown): unknown {
  if (int(3) > 0 && typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) {
      const copy: unknown[] = [...value]
      copy[int(copy.length + 1)] = changed(pick(copy))
      return copy
    }
    const copy: Body = { ...value }
    const key = pick([...Object.keys(copy), 'more', 'constructor'])
    if (int(3) === 0) delete copy[key]
    else copy[key] = changed(copy[key])
    return copy
  }
  return pick(VALUES)
}

function bodyOf({ body }: Template): string | undefined {
  if (!body) return int(20) === 0 ? '{}' : undefined
  const text = JSON.stringify(int(8) === 0 ? body : changed(body))
  if (int(10) > 0 || text.includes('https://')) return text
  const at = int(text.length)
  return (
    text.slice(0, at) + pick(['', '"', '{', '\\', '\u0000', '1e999', '}']) + text.slice(at + int(3))
  )
}

function queryOf({ query = {} }: Template): string {
  const entries = Object.entries(query).filter(() => int(4) > 0)
  const texts = ['', '0', '-1', '1e3', '4294967296', '%', '%00', '%ff', 'x', '[]', 'bnVsbA', 'W10']
  const cursors = [
    'null',
    '{"after":[]}',
    '{"after":[1]}',
    '{"after":["x",1,2]}',
    '{"after":[1e99,1]}',
  ]
  return entries
    .map(([key, value]) => {
      if (int(2) === 0) return `${key}=${value}`
      const cursor = Buffer.from(pick(cursors)).toString('base64url')
      return `${key}=${pick([...texts, cursor])}`
    })
    .join('&')
}

describe(`mutated requests, seed ${SEED}`, () => {
  let world: World
  let token: string
  before(async () => {
    world = await createWorld()
    const [account] = await world.accounts([1, 2, 3])
    token = world.token(account!)
    const document = {
      ...{ name: 'A', icon: 'x', description: '', about_url: null, image_url: null },
      post_url: LISTED,
    }
    await world.app.of(ACTIONS).catalogue.put(LISTED, { kind: 'composer', document })
  })
  after(() => world.close())

  test(`the server answers ${REQUESTS} mutated requests without internal errors`, async () => {
    const routes = ['actions', 'blocks'].flatMap((name) => routesOf(world.app, name))
    const api = serve(routes, { name: 'platform', errors: 'platform' })
    const statuses = new Map<number, number>()
    for (let i = 0; i < REQUESTS; i++) {
      const template = pick(TEMPLATES)
      const body = bodyOf(template)
      const url = `${template.path}?${queryOf(template)}`
      const response = await api.inject({
        method: template.method,
        url,
        headers: {
          ...(int(10) > 0 && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: body }),
      })
      const { statusCode } = response
      const said = `${template.method} ${url} ${body?.slice(0, 500)}: ${response.body}`
      const answer = response.json()
      assert(statusCode < 500, said)
      if (statusCode >= 400) assert.equal(typeof answer.errors[0].message, 'string', said)
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
    }
    // Some got through to where rows are written, or the test would say nothing.
    for (const status of [200, 400, 401, 404]) {
      assert((statuses.get(status) ?? 0) > REQUESTS / 200, JSON.stringify([...statuses]))
    }
    await api.close()
  })
})
