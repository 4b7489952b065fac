// An app written from the published description alone, in the libraries that its authors use and with nothing of
// ours: it makes a key, asks for it, shows a link, polls, and posts by the key. The user's side is a wallet's.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519'
import { blake3 } from '@noble/hashes/blake3.js'
import { toHex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { DAY_SECONDS } from '../src/kernel/protocol/time.ts'
import { keyRequestClient } from './key-requests-support.ts'
import type { Person } from './registry-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const POLL_MS = 2_000
/** Two polls of the app. */
const CONFIRMATION_MS = 2 * POLL_MS

const DOMAIN = {
  name: 'Farcaster SignedKeyRequestValidator',
  version: '1',
  chainId: 10,
  verifyingContract: '0x00000000fc700472606ed4fa22623acf62c60553',
} as const
const TYPES = {
  SignedKeyRequest: [
    { name: 'requestFid', type: 'uint256' },
    { name: 'key', type: 'bytes' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
/** 2021-01-01, from which messages count their seconds. */
const EPOCH_SECONDS = 1_609_459_200

type Owner = { readonly fid: number; readonly account: LocalAccount }

/** What the app knows of the world. */
type AppOptions = {
  readonly apiUrl: string
  readonly hubUrl: string
  readonly owner: Owner
  readonly sponsor?: Owner
  now(): number
  wait(ms: number): Promise<void>
  /** Shows the link, as a QR code where there is no wallet app. */
  present(deeplinkUrl: string): void
}

/** Signs the user in and answers with their fid, how the states went, and what the hub says to their first cast. */
async function runApp(options: AppOptions, text: string) {
  const privateKey = ed25519.utils.randomPrivateKey()
  const key = toHex(ed25519.getPublicKey(privateKey))
  const created = await create(options, key)
  assert.equal(created.key, key)
  assert.equal(created.state, 'pending')
  options.present(created.deeplinkUrl)
  const { states, userFid } = await poll(options, created.token)
  const message = encodeCast({ fid: userFid, text, privateKey, now: options.now() })
  const response = await fetch(`${options.hubUrl}/v1/submitMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: message,
  })
  return { userFid, states, key, status: response.status, cast: await jsonOf(response) }
}

async function create({ apiUrl, owner, sponsor, now }: AppOptions, key: `0x${string}`) {
  const deadline = now() + DAY_SECONDS
  const signature = await owner.account.signTypedData({
    domain: DOMAIN,
    types: TYPES,
    primaryType: 'SignedKeyRequest',
    message: { requestFid: BigInt(owner.fid), key, deadline: BigInt(deadline) },
  })
  const sponsorship = sponsor && {
    sponsorFid: sponsor.fid,
    signature: await sponsor.account.signMessage({ message: { raw: signature } }),
  }
  const response = await fetch(`${apiUrl}/v2/signed-key-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key, requestFid: owner.fid, deadline, signature, sponsorship }),
  })
  const body = await jsonOf(response)
  assert.equal(response.status, 200, JSON.stringify(body))
  return body.result.signedKeyRequest
}

async function poll({ apiUrl, wait }: AppOptions, token: string) {
  const states: string[] = []
  for (;;) {
    await wait(POLL_MS)
    const response = await fetch(`${apiUrl}/v2/signed-key-request?token=${token}`)
    const { state, userFid } = (await jsonOf(response)).result.signedKeyRequest
    assert.equal(userFid === undefined, state === 'pending')
    states.push(state)
    if (state === 'completed') return { states, userFid }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an app looks into JSON as it finds it
const jsonOf = (response: Response): Promise<any> => response.json()

type Cast = { fid: number; text: string; privateKey: Uint8Array; now: number }

/** A Message by hand: each field is its tag and its value. */
function encodeCast({ fid, text, privateKey, now }: Cast): Buffer<ArrayBuffer> {
  const body = field(4, Buffer.from(text))
  const data = Buffer.concat([
    number(1, 1),
    number(2, fid),
    number(3, now - EPOCH_SECONDS),
    number(4, 3),
    field(5, body),
  ])
  return Buffer.concat([
    field(2, blake3(data, { dkLen: 20 })),
    number(3, 1),
    field(4, ed25519.sign(data, privateKey)),
    number(5, 1),
    field(6, ed25519.getPublicKey(privateKey)),
    field(7, data),
  ])
}

const number = (tag: number, value: number) => Buffer.concat([varint(tag << 3), varint(value)])
const field = (tag: number, bytes: Uint8Array) =>
  Buffer.concat([varint((tag << 3) | 2), varint(bytes.length), bytes])

function varint(value: number): Buffer {
  const bytes = []
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  return Buffer.from([...bytes, value])
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`an app that knows the description alone, on ${engine}`, () => {
    let world: World
    let wallet: ReturnType<typeof keyRequestClient>
    let owner: Person
    let user: Person
    let sponsor: Person
    before(async () => {
      const env = { ROOKERY_CONFIRMATION_MS: String(CONFIRMATION_MS) }
      world = await createWorld({ engine, env })
      wallet = keyRequestClient(world)
      ;[owner, user, sponsor] = (await wallet.people([9152, 2, 3])) as [Person, Person, Person]
    })
    after(() => world.close())

    /** Runs the app; its user approves after the first poll, and time passes while it waits. */
    const run = (text: string, parties: { sponsor?: Owner } = {}) => {
      let shown = ''
      let waits = 0
      const options: AppOptions = {
        ...parties,
        apiUrl: world.app.urls.platform,
        hubUrl: world.app.urls.hub,
        owner,
        now: wallet.now,
        present: (deeplinkUrl) => {
          shown = deeplinkUrl
        },
        async wait(ms) {
          if (waits++ === 1) {
            const token = new URL(shown).searchParams.get('token')!
            assert.equal((await wallet.approve(token, user)).status, 200)
          }
          world.clock.advance(ms)
          await world.app.ledger!.confirmDue()
        },
      }
      return runApp(options, text)
    }

    test('an app gets a key from a user and can post with it at once', async () => {
      const { states, userFid, key, status, cast } = await run('By an app of strangers')
      assert.deepEqual(states, ['pending', 'approved', 'completed'])
      assert.equal(userFid, user.fid)
      assert.equal(status, 200, JSON.stringify(cast))
      assert.equal(cast.data.castAddBody.text, 'By an app of strangers')
      assert.equal(cast.signer, key)
    })

    test('a sponsor pays a hundred credits for a key request', async () => {
      await wallet.grant(sponsor.fid, 99)
      await assert.rejects(run('Too early', { sponsor }), /insufficient_warps/)
      await wallet.grant(sponsor.fid, 1)
      const { states, status } = await run('Paid for', { sponsor })
      assert.equal(states.at(-1), 'completed')
      assert.equal(status, 200)
      const { credit } = await wallet.creditOf(sponsor.fid)
      assert.deepEqual(credit, { fid: sponsor.fid, balance: 0, reserved: 0 })
    })
  })
}
