// Thousands of requests that are almost right, to every route of signed key requests: every fault is the
// caller's fault and said so. TEST_SEED gives those of an earlier run.

import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { toHex } from 'viem'
import { effort } from './effort.ts'
import { routesOf, serve } from './http-support.ts'
import { appKey, type Body, keyRequestClient } from './key-requests-support.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import type { Person } from './registry-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

/** Two signatures are checked for most of them. */
const REQUESTS = { sqlite: effort(400, 5_000), postgres: effort(150, 5_000) }
const SEED = runSeed()

const NASTY: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1, 2, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63, 1e300, -1e300],
  ...['', ' ', '0', '1', '01', '-1', '1e3', '9'.repeat(16), '9'.repeat(17), '4294967296', 'x'],
  ...['\u0000', 'a\u0000b', '\ud800', '💥', 'x'.repeat(2_000), '%', '__proto__', 'javascript:x'],
  ...['0x', '0x0', '0xzz', `0x${'00'.repeat(20)}`, `0x${'00'.repeat(24)}`, `0X${'ab'.repeat(32)}`],
  ...[`0x${'ff'.repeat(65)}`, `0x${'00'.repeat(65)}`, `0x${'1b'.repeat(4_096)}`, 'ab'.repeat(65)],
  ...[[], {}, [null], [[]], { a: [] }, [1, 2], { constructor: 1 }, { sponsorFid: 3 }],
]
const TEXTS = NASTY.filter((value) => typeof value === 'string' || typeof value === 'number')
const CURSORS = [['0x'], [1], ['0x00'], [-1], ['0xab', 1], [2 ** 53 - 1], ['\uffff'], {}, ['zz']]

/** What a right request has: the body of each path, and what queries ask for. */
type Right = { readonly query: Record<string, string>; readonly bodies: Record<string, Body> }

for (const engine of enginesOf(import.meta.url)) {
  test(`almost valid key requests never cause internal errors, on ${engine} (seed ${SEED})`, async () => {
    const world = await createWorld({ engine })
    try {
      const client = keyRequestClient(world)
      const people = await client.people([1, 2, 3])
      await client.grant(3, 1_000_000)
      const rights: Right[] = []
      for (const user of people) rights.push(await rightOf(world, client, people, user))
      const authorization = `Bearer ${await client.custodyToken(people[1]!)}`
      const routes = routesOf(world.app, 'key requests')
      const api = serve(routes, { errors: 'platform', name: 'platform' })
      const random = randomFrom(SEED)
      const told = new Map<number, number>()
      for (let i = 0; i < REQUESTS[engine]; i++) {
        const { method, path, query } = random.pick(routes).spec
        const right = random.pick(rights)
        const url = `${path}?${queryOf(Object.keys(query ?? {}), right, random)}`
        const body = method === 'GET' ? undefined : bodyOf(right.bodies[path]!, random)
        const response = await api.inject({
          method,
          url,
          headers: {
            ...(random.int(3) > 0 && { authorization: random.int(4) ? authorization : 'Bearer x' }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { payload: body }),
          payloadAsStream: true,
        })
        const { statusCode } = response
        told.set(statusCode, (told.get(statusCode) ?? 0) + 1)
        if (statusCode === 200 && path.endsWith('-events')) {
          response.stream().destroy()
          continue
        }
        const answer = await text(response.stream())
        const what = `${statusCode} for ${method} ${url} ${body}: ${answer}`
        assert.ok(statusCode < 500, what)
        const { errors, result } = JSON.parse(answer)
        assert.ok(statusCode === 200 ? typeof result === 'object' : errors.length === 1, what)
      }
      for (const status of [200, 400, 401, 404]) assert.ok(told.has(status), `${status}`)
      const log = JSON.stringify(api.logged)
      for (const { query } of rights) assert.ok(!log.includes(query.token!), 'a token is logged')
      assert.ok(log.includes('/v2/signed-key-request'))
    } finally {
      await world.close()
    }
  })
}

async function rightOf(
  world: World,
  client: ReturnType<typeof keyRequestClient>,
  [app, , sponsor]: readonly Person[],
  user: Person,
): Promise<Right> {
  const key = appKey(user.fid)
  const create = {
    ...(await client.bodyOf(app!, key, { sponsor: sponsor! })),
    redirectUrl: 'a://b',
  }
  const token = await client.ask(app!, key)
  const { key: old } = user.app
  const path = `/v2/signer-removal?fid=${user.fid}&key=${toHex(old)}`
  const { typedData } = (await world.platform(path)).body.result
  const removal = {
    fid: user.fid,
    key: toHex(old),
    deadline: typedData.message.deadline,
    signature: await user.account.signTypedData(typedData),
  }
  const approval = await client.approvalOf(token, user)
  const query = {
    token,
    fid: `${user.fid}`,
    address: user.account.address,
    key: key.key,
    limit: '2',
  }
  return {
    query,
    bodies: {
      '/v2/signed-key-requests': create,
      '/v2/signed-key-request': create,
      '/v2/approve-signed-key-requests': approval,
      '/v2/simulate-create-signed-key-request': approval,
      '/v2/deny-signed-key-request': { token: await client.ask(app!, key) },
      '/v2/signers': removal,
      '/platform/credits': { fid: 1, amount: 5, reason: 'a test' },
    },
  }
}

function queryOf(names: readonly string[], { query }: Right, random: Random): string {
  const parts = names.flatMap((name) => {
    if (random.int(5) === 0) return []
    const value =
      name === 'cursor' && random.int(2)
        ? Buffer.from(JSON.stringify({ after: random.pick(CURSORS) })).toString('base64url')
        : random.int(3)
          ? query[name]
          : random.pick(TEXTS)
    return `${name}=${encodeURIComponent(String(value ?? '').toWellFormed())}`
  })
  return parts.join('&')
}

/** A right body with up to three properties that are something else or missing. */
function bodyOf(right: Body, random: Random): string {
  if (random.int(20) === 0) return JSON.stringify(random.pick(NASTY))
  const body = structuredClone(right)
  for (let i = random.int(4); i > 0; i--) spoil(body, random)
  return JSON.stringify(body)
}

function spoil(body: Body, random: Random): void {
  const name = random.pick([...Object.keys(body), 'other'])
  const inner = body[name]
  if (typeof inner === 'object' && inner !== null && random.int(4) > 0) spoil(inner as Body, random)
  else if (random.int(5) === 0) delete body[name]
  else if (typeof inner === 'string' && inner.startsWith('0x') && random.int(2)) {
    const at = 2 + random.int(inner.length - 2)
    body[name] = inner.slice(0, at) + random.pick(['0', 'f', 'ff', '', 'g']) + inner.slice(at + 1)
  } else body[name] = structuredClone(random.pick(NASTY))
}
