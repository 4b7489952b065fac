// Both sides of a signed key request on the command line.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import jsQR from 'jsqr'
import { qrCode, waitForEnd } from '../src/cli/commands/key-request.ts'
import { devAccount } from '../src/dev/accounts.ts'
import { appKey, GASLESS_DOMAIN, signRequest } from './key-requests-support.ts'
import {
  type Commands,
  createPlace,
  type Env,
  type Program,
  startCommands,
  startProgram,
} from './program.ts'

describe('keys for apps on the command line', { concurrency: 1 }, () => {
  let place: Awaited<ReturnType<typeof createPlace>>
  let program: Program
  /** Commands of the app and of its users, in separate processes so that they run at once. */
  let [app, users]: Commands[] = []
  let env: Env

  before(async () => {
    place = await createPlace('sqlite')
    program = await startProgram('start', { ...place.env, ROOKERY_CONFIRMATION_MS: '300' })
    app = startCommands()
    users = startCommands()
    env = program.client
  })
  after(async () => {
    app!.stop()
    users!.stop()
    await program.stop()
    await place.remove()
  })

  const succeed = async (by: Commands, ...args: string[]) => {
    const result = await by.run(env, ...args)
    assert.equal(result.code, 0, result.stderr)
    return result
  }
  const fail = async (by: Commands, ...args: string[]) => {
    const result = await by.run(env, ...args)
    assert.equal(result.code, 1, result.stdout)
    return result.stderr
  }
  /** Creates a request without waiting for it; returns its token. */
  const ask = async (...args: string[]) =>
    (await succeed(app!, 'connect', '--fid', '1', '--no-wait', ...args)).stdout.trim()

  it('connect waits for approval, after which the key signs for the user', async () => {
    const asked = await succeed(app!, 'connect', '--fid', '1', '--no-wait')
    const token = asked.stdout.trim()
    assert.match(token, /^0x[0-9a-f]{48}$/)
    const link = `${program.web}/platform/~/connect?token=${token}`
    assert(asked.stderr.includes(link), asked.stderr)
    assert(asked.stderr.includes(`farcaster://signed-key-request?token=${token}`))

    const waiting = succeed(app!, 'connect', '--token', token)
    const approved = await succeed(users!, 'approve', link, '--fid', '2')
    assert.match(
      approved.stderr,
      /^rook \(fid 1\) asks to sign for fid 2 with the key 0x[0-9a-f]{64}$/m,
    )
    assert.match(approved.stdout, /^fid 1 may sign for fid 2 with the key 0x/)
    const { stdout, stderr } = await waiting
    assert.match(stderr, /^fid 2 has approved; waiting for confirmation of the key$/m)
    const [, key] =
      /^the key (0x[0-9a-f]{64}) may sign for fid 2\n$/.exec(stdout) ?? assert.fail(stdout)

    const said = await succeed(app!, 'cast', 'by an app', '--fid', '2', '--json')
    assert.equal(JSON.parse(said.stdout).signer, key)
    assert.match(await fail(users!, 'approve', token, '--fid', '2'), /already active/)
    assert.match(await fail(users!, 'approve', token, '--fid', '3'), /request is already completed/)
  })

  it('a request for a gasless key is approved, and says what it is for', async () => {
    const { key } = appKey(4_711)
    const deadline = Math.floor(Date.now() / 1_000) + 3_600
    const request = { requestFid: 1, key, deadline }
    const signature = await signRequest(devAccount(0).custody, request, GASLESS_DOMAIN)
    const gasless = { scopes: ['MESSAGE_TYPE_CAST_ADD', 'MESSAGE_TYPE_LINK_ADD'], ttl: 3_600 }
    const response = await fetch(`${env.ROOKERY_PLATFORM_URL}/v2/signed-key-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, signature, gasless }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: JSON of the platform
    const { token } = ((await response.json()) as any).result.signedKeyRequest
    const approved = await succeed(users!, 'approve', token, '--fid', '5')
    assert.match(
      approved.stderr,
      /^for MESSAGE_TYPE_CAST_ADD, MESSAGE_TYPE_LINK_ADD, until .* 3600 s$/m,
    )
    assert.match((await succeed(users!, 'key', 'list', '--fid', '5')).stdout, new RegExp(key))
  })

  it('a sponsor can pay for a key request', async () => {
    assert.match(await fail(app!, 'connect', '--fid', '1', '--sponsor', '5'), /needs 100/)
    await succeed(users!, 'credit', '5', '150')
    await succeed(users!, 'approve', await ask('--sponsor', '5'), '--fid', '3')
    assert.match((await succeed(users!, 'credit', '5')).stdout, /^fid 5 has 50 credits$/m)
  })

  it('the app learns that the user declined', async () => {
    const token = await ask()
    await succeed(users!, 'deny', token, '--fid', '4')
    assert.match(await fail(app!, 'connect', '--token', token), /the user has declined/)
    assert.match(await fail(app!, 'connect', '--token', token), /does not contain the private key/)
    assert.match(await fail(users!, 'approve', token, '--fid', '4'), /request is already denied/)
    const unknown = `0x${'00'.repeat(24)}`
    assert.match(await fail(users!, 'approve', unknown, '--fid', '4'), /does not know this request/)
    assert.equal((await users!.run(env, 'approve', 'https://example.com')).code, 2)
  })

  it('connect polls without an event stream and outlasts a server restart', async () => {
    const states = ['pending', 'away', 'approved', 'completed']
    const asked: string[] = []
    const server = createServer(({ url = '', socket }, response) => {
      asked.push(url.split('?')[0]!)
      const state = url.startsWith('/v2/signed-key-request-events') ? 'away' : states.shift()
      if (state === 'away') return socket.destroy()
      const approval = { token: '0x', state, userFid: 2, now: 1_000, deadline: 2_000 }
      response.end(JSON.stringify({ result: { approval } }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const platform = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const target = { platform } as Parameters<typeof waitForEnd>[0]
      assert.equal((await waitForEnd(target, '0x', 20)).state, 'completed')
      const stream = '/v2/signed-key-request-events'
      assert.deepEqual([asked.filter((path) => path === stream).length, states], [3, []])
    } finally {
      server.close()
    }
  })

  it('the QR code of the approval link can be scanned', () => {
    const url = `http://192.0.2.7:2286/~/connect?token=0x${'5f0c'.repeat(12)}`
    assert.equal(readCode(qrCode(url)), url)
  })
})

/** Decodes a QR code drawn with half blocks on a dark terminal. */
function readCode(code: string): string | undefined {
  const lines = code.trimEnd().split('\n')
  const rows = lines.flatMap((line) => [
    [...line].map((block) => '█▀'.includes(block)),
    [...line].map((block) => '█▄'.includes(block)),
  ])
  const size = rows[0]!.length
  const scale = 4
  const pixels = new Uint8ClampedArray((size * scale) ** 2 * 4).fill(255)
  for (let y = 0; y < size * scale; y++) {
    for (let x = 0; x < size * scale; x++) {
      const isLight = rows[Math.floor(y / scale)]?.[Math.floor(x / scale)] ?? true
      pixels.fill(isLight ? 255 : 0, (y * size * scale + x) * 4, (y * size * scale + x) * 4 + 3)
    }
  }
  return jsQR.default(pixels, size * scale, size * scale)?.data
}
