// validateMessage: its five checks, each failing alone, and that it believes no field it has not checked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { castAdd, frameAction, userDataAdd } from '../src/kernel/protocol/build.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { signEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { hashOf } from '../src/kernel/protocol/crypto/hash.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import {
  accepted,
  bytes,
  hex,
  inForm,
  inWorld,
  onEngines,
  refused,
  removeKey,
} from './hub-support.ts'
import { type TestAccount, testAccount, type World } from './world.ts'

const INVALID = 'bad_request.validation_failure'

const cast = (world: World, account: TestAccount, text = 'valid?') =>
  world.sign(account, castAdd(world.origin(account), text))

type Check = {
  readonly what: string
  readonly make: (world: World, account: TestAccount) => SignedMessage
  readonly code: string
  readonly says: RegExp
  readonly field: string
}

const CHECKS: readonly Check[] = [
  {
    what: 'the fid must be registered',
    make: (world) => cast(world, testAccount(77)),
    code: 'bad_request.unknown_fid',
    says: /^unknown fid: 77$/,
    field: 'data.fid',
  },
  {
    what: 'the signer must be an active key of the fid',
    make: (world, account) => world.sign(testAccount(77), castAdd(world.origin(account), 'x')),
    code: 'bad_request.unknown_signer',
    says: /^invalid signer: /,
    field: 'signer',
  },
  {
    what: 'the hash must be that of the data',
    make: (world, account) => {
      const hash = bytes(20, 1)
      return { ...cast(world, account), hash, signature: signEd25519(hash, account.seed) }
    },
    code: INVALID,
    says: /^invalid hash\. /,
    field: 'hash',
  },
  {
    what: 'the signature must hold',
    make: (world, account) => ({ ...cast(world, account), signature: bytes(64, 1) }),
    code: INVALID,
    says: /^invalid signature$/,
    field: 'signature',
  },
  {
    what: 'the body must keep the rules of its type',
    make: (world, account) => cast(world, account, 'x'.repeat(321)),
    code: INVALID,
    says: /^text > 320 bytes$/,
    field: 'castAddBody.text',
  },
]

onEngines('validate', (world) => {
  test('validate accepts a valid message and stores nothing', async () => {
    const account = await world().account(1)
    for (const form of ['data', 'dataBytes', 'both'] as const) {
      const message = inForm(cast(world(), account), form)
      const body = accepted(await world().validate(message))
      assert.deepEqual(Object.keys(body), ['valid', 'message'])
      assert.equal(body.valid, true)
      assert.equal(body.message.hash, hex(message.hash))
      assert.equal('dataBytes' in body.message, form !== 'data')
    }
    assert.deepEqual(accepted(await world().get('/v1/castsByFid?fid=1')).messages, [])
  })

  for (const { what, make, code, says, field } of CHECKS) {
    test(`${what}, and when it alone fails the answer says so`, async () => {
      const account = await world().account(1)
      const message = make(world(), account)
      for (const form of ['data', 'dataBytes'] as const) {
        const body = accepted(await world().validate(inForm(message, form)))
        const { valid, errCode, reason } = body
        assert.deepEqual(
          { valid, errCode, field: body.field },
          { valid: false, errCode: code, field },
        )
        assert.match(reason, says)
        assert.equal(body.details, reason)
        assert.equal(body.message.hash, hex(message.hash))
      }
    })
  }

  test('validate ignores what is stored already and refuses a removed key', async () => {
    const account = await world().account(2)
    const message = cast(world(), account)
    accepted(await world().submit(message))
    assert.equal(accepted(await world().validate(message)).valid, true)
    await removeKey(world(), account)
    const body = accepted(await world().validate(message))
    assert.deepEqual([body.valid, body.errCode], [false, 'bad_request.unknown_signer'])
  })

  test('validate checks the holder of a username', async () => {
    const account = await world().account(3)
    const type = UserDataType.USER_DATA_TYPE_USERNAME
    const body = accepted(
      await world().validate(
        world().sign(account, userDataAdd(world().origin(account), type, 'nobodys')),
      ),
    )
    assert.equal(body.valid, false)
    assert.match(body.reason, /^name nobodys is not registered$/)
  })
})

inWorld('validate', (world) => {
  test('validate accepts frame actions and writes their texts as text', async () => {
    const account = await world().account(1)
    const action = {
      url: Buffer.from('https://frame.example/ü'),
      buttonIndex: 2,
      inputText: Buffer.from('typed'),
      castId: { fid: 1n, hash: bytes(20, 4) },
    }
    const message = world().sign(account, frameAction(world().origin(account), action))
    const body = accepted(await world().validate(message))
    assert.equal(body.valid, true)
    assert.deepEqual(body.message.data.frameActionBody, {
      url: 'https://frame.example/ü',
      buttonIndex: 2,
      castId: { fid: 1, hash: hex(bytes(20, 4)) },
      inputText: 'typed',
      state: '',
      transactionId: '',
      address: '',
    })
    const wrong = frameAction(world().origin(account), { ...action, buttonIndex: 6 })
    const verdict = accepted(await world().validate(world().sign(account, wrong)))
    assert.deepEqual([verdict.valid, verdict.reason], [false, 'invalid button index'])
  })

  test('a message with any one bit of its envelope flipped is not valid', async () => {
    const account = await world().account(1)
    const action = { url: Buffer.from('https://frame.example'), buttonIndex: 1 }
    const origin = world().origin(account)
    for (const init of [castAdd(origin, 'bits'), frameAction(origin, action)]) {
      const message = inForm(world().sign(account, init), 'dataBytes')
      const fields = ['hash', 'signature', 'signer', 'dataBytes'] as const
      for (const field of fields) {
        for (let bit = 0; bit < message[field].length * 8; bit += 3) {
          const flipped = Uint8Array.from(message[field])
          flipped[bit >> 3]! ^= 1 << (bit & 7)
          await refusedOrInvalid(world(), { ...message, [field]: flipped })
        }
      }
      for (const scheme of [0, 2, 3, 5, 9, 65]) {
        await refusedOrInvalid(world(), { ...message, hashScheme: scheme })
        await refusedOrInvalid(world(), { ...message, signatureScheme: scheme })
      }
    }
  })

  test('validate uses data_bytes where data says something else', async () => {
    const account = await world().account(1)
    const shown = cast(world(), account, 'shown')
    const told = inForm(cast(world(), account, 'told'), 'dataBytes')
    const data = Buffer.concat([Uint8Array.of(0x0a, shown.dataBytes.length), shown.dataBytes])
    const both = await world().validate(Buffer.concat([data, encodeEnvelope(told)]))
    assert.equal(accepted(both).message.data.castAddBody.text, 'told')
    assert.equal(both.body.valid, true)
    const { hash, signature } = shown
    const lie = await world().validate(
      Buffer.concat([data, encodeEnvelope({ ...told, hash, signature })]),
    )
    assert.equal(accepted(lie).valid, false)
  })

  test('validate accepts a signature over the data bytes as submit does, and none by a weak key', async () => {
    const account = await world().account(1)
    const message = cast(world(), account)
    const signature = signEd25519(message.dataBytes, account.seed)
    assert.equal(accepted(await world().validate({ ...message, signature })).valid, true)
    const weak = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0))
    const forged = { ...message, signer: weak, signature: Buffer.concat([weak, bytes(32, 0)]) }
    assert.equal(accepted(await world().validate(forged)).valid, false)
  })

  test('undecodable bytes are an error and an invalid message is a verdict', async () => {
    const unreadable = await world().validate(Uint8Array.of(0xff, 0xff))
    refused(unreadable, { code: 'bad_request.parse_failure' })
    const empty = await world().validate(new Uint8Array(0))
    refused(empty, { code: INVALID, says: /^message data is missing$/ })
    const account = await world().account(1)
    const dataBytes = Uint8Array.of(0x2a, 0x03, 0x22, 0x01, 0xff) // a text that is not UTF-8
    const hash = hashOf(dataBytes)
    const signature = signEd25519(hash, account.seed)
    const broken = { ...cast(world(), account), dataBytes, hash, signature }
    refused(await world().validate(broken), { code: 'bad_request.parse_failure' })
  })

  test('the document of the hub lists the code with which each call of bytes refuses none and unreadable ones', async () => {
    const { hub } = world().app.urls
    const { paths } = accepted(await world().get('/openapi.json'))
    const calls = Object.keys(paths).filter(
      (path) => paths[path].post?.requestBody?.content['application/octet-stream'],
    )
    assert.ok(calls.length >= 3)
    for (const path of calls) {
      for (const body of [new Uint8Array(0), Uint8Array.of(0xff, 0xff)]) {
        const headers = { 'content-type': 'application/octet-stream' }
        const response = await fetch(hub + path, { method: 'POST', headers, body })
        if (response.ok) continue
        const { errCode } = (await response.json()) as { errCode: string }
        const listed = JSON.stringify(paths[path].post.responses[response.status] ?? {})
        assert.ok(listed.includes(`"${errCode}"`), `${path}: ${response.status} ${errCode}`)
      }
    }
  })
})

inWorld(
  'validate, with frames as deployed',
  (world) => {
    test('frame actions are written as base64 when the hub is set so', async () => {
      const account = await world().account(1)
      const action = { url: Buffer.from('https://f'), inputText: Buffer.from('typed') }
      const message = world().sign(account, frameAction(world().origin(account), action))
      const { url, inputText } = accepted(await world().validate(message)).message.data
        .frameActionBody
      assert.deepEqual([url, inputText], ['aHR0cHM6Ly9m', 'dHlwZWQ='])
    })
  },
  { env: { ROOKERY_JSON: 'deployed' } },
)

async function refusedOrInvalid(world: World, message: SignedMessage): Promise<void> {
  const { status, body } = await world.validate(message)
  if (status === 200) assert.equal(body.valid, false)
  else assert.deepEqual([status, body.errCode], [400, 'bad_request.parse_failure'])
}
