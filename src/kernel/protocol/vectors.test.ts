// Published vectors first: messages made with the network's own client library.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { toBinary } from '@bufbuild/protobuf'
import { buildMessage, castAdd, verificationAddEth, verificationAddSol } from './build.ts'
import { checkMessage } from './check.ts'
import { fromHex, toHex } from './codec/bytes.ts'
import { decodeMessage, encodeMessage } from './codec/decode.ts'
import { publicKeyOf, signEd25519, verifyEd25519 } from './crypto/ed25519.ts'
import { recoverTypedDataSigner, usernameProofTypedData } from './crypto/eip712.ts'
import { hashOf } from './crypto/hash.ts'
import { MESSAGE_FORMS, type SignedMessage } from './message.ts'
import { tsHashOf } from './slots.ts'
import { MessageDataSchema } from './wire/message_pb.js'

type Vector = {
  name: string
  dataBytes: string
  hash: string
  signature: string
  tsHash: string
  messageDataBytesOnly: string
}
const file = new URL('../../../fixtures/hub-message-vectors.json', import.meta.url)
const { privateKey, publicKey, vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
  privateKey: string
  publicKey: string
  vectors: Vector[]
}
const seed = fromHex(privateKey)!
const plain = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('the published vectors are complete', () => {
  assert.equal(vectors.length, 17)
  assert.equal(plain(publicKeyOf(seed)), publicKey)
})

for (const vector of vectors) {
  test(`the vector ${vector.name} is decoded, hashed and verified`, () => {
    const message = decodeMessage(fromHex(vector.messageDataBytesOnly)!)
    assert.equal(message.form, MESSAGE_FORMS.dataBytes)
    assert.equal(plain(message.dataBytes), vector.dataBytes)
    assert.equal(plain(hashOf(message.dataBytes)), vector.hash)
    assert.equal(plain(message.hash), vector.hash)
    assert.equal(plain(signEd25519(message.hash, seed)), vector.signature)
    assert.ok(verifyEd25519(message.signature, message.hash, message.signer))
    const { timestamp } = message.data
    assert.equal(plain(tsHashOf({ timestamp, hash: message.hash })), vector.tsHash)
    checkMessage(message, { now: timestamp, network: message.data.network, pro: true })

    const again = decodeMessage(encodeMessage(message))
    assert.deepEqual({ ...again, form: message.form }, message)
  })
}

type Data = SignedMessage['data']

const HI = {
  'text "hi"': '0801100718e80720012a081200220268692a00',
  'parent url "u"': '0801100718e80720012a0b12003a0175220268692a00',
  'the long type': '0801100718e80720012a0a1200220268692a004001',
}

function textOf({ body }: Data): string | undefined {
  return body.case === 'castAddBody' ? body.value.text : undefined
}

/** MessageData that old encoders produced: empty lists written, parent_url in front of text. */
const OLD_ENCODINGS = [
  '0801100718e80720012a0912002a0032030a0165',
  '0801100718e80720012a22120303ac021a050801120109220268692a02000132030a0165320712050802120108',
  '0803100718e80720013a0508011a0175',
  '0805100718e8072001720c0a06666f6c6c6f7710001800',
  '080b100718e807200162020806',
  ...Object.values(HI),
]

for (const [name, hex] of Object.entries(HI)) {
  test(`the old encoding of a cast with ${name} is decoded`, () => {
    assert.equal(textOf(envelopeOf(hex).data), 'hi')
  })
}

test('data without data bytes is hashed as received, whatever its encoding', () => {
  for (const hex of OLD_ENCODINGS) {
    const message = envelopeOf(hex)
    assert.equal(message.form, MESSAGE_FORMS.data)
    assert.equal(plain(message.dataBytes), hex)
    assert.equal(message.data.timestamp, 1000)
    assert.equal(message.fid, 7)
  }
})

test('three encodings of one cast are accepted, each with its own hash', () => {
  const origin = { fid: 5, timestamp: 1000, network: 1 }
  const body = { text: 'T', parent: { case: 'parentUrl', value: 'P' } as const }
  const tagOrdered = buildMessage(castAdd(origin, body), seed)
  const encodings = [
    plain(tagOrdered.dataBytes),
    '0801100518e80720012a0a12003a01502201542a00',
    '0801100518e80720012a063a0150220154',
  ]
  const hashes = encodings.map((hex) => {
    const dataBytes = fromHex(hex)!
    const message = { ...tagOrdered, dataBytes, hash: hashOf(dataBytes) }
    const received = decodeMessage(encodeMessage(message))
    checkMessage(received, { now: 1000, network: 1 })
    assert.deepEqual(
      toBinary(MessageDataSchema, received.data),
      toBinary(MessageDataSchema, tagOrdered.data),
    )
    return toHex(received.hash)
  })
  assert.equal(new Set(hashes).size, 3)
})

/** A Message with nothing but field 1. */
function envelopeOf(dataHex: string) {
  return decodeMessage(
    Buffer.from(`0a${(dataHex.length / 2).toString(16).padStart(2, '0')}${dataHex}`, 'hex'),
  )
}

type AddressClaim = Record<'address' | 'blockHash' | 'claimSignature', string> & {
  fid: number
  protocol: number
}
type NameClaim = Record<'name' | 'owner' | 'signature' | 'signer', string> & { timestamp: number }
const network = JSON.parse(
  readFileSync(new URL('../../../fixtures/network-claims.json', import.meta.url), 'utf8'),
) as { addressClaims: AddressClaim[]; nameProofs: NameClaim[] }

for (const { fid, protocol, ...claim } of network.addressClaims) {
  const address = fromHex(claim.address)!
  const blockHash = fromHex(claim.blockHash)!
  const claimSignature = fromHex(claim.claimSignature)!

  test(`the claim of ${claim.address} is accepted on the deployed network, and no change of it`, () => {
    const make = protocol === 1 ? verificationAddSol : verificationAddEth
    const judge = (part: object, of = fid) => {
      const body = { address, blockHash, claimSignature, ...part }
      const message = buildMessage(make({ fid: of, timestamp: 1000, network: 1 }, body), seed)
      checkMessage(message, { now: 1000, network: 1 })
    }
    judge({})
    const refusal = { message: 'invalid claimSignature' }
    assert.throws(() => judge({}, fid + 1), refusal)
    assert.throws(() => judge({ blockHash: new Uint8Array(32) }), refusal)
    const flipped = Uint8Array.from(claimSignature)
    flipped[0]! ^= 0x10
    assert.throws(() => judge({ claimSignature: flipped }), refusal)
  })
}

for (const { name, timestamp, ...proof } of network.nameProofs) {
  test(`the registry's address is recovered from its proof of ${name}`, () => {
    const typed = usernameProofTypedData({ name, timestamp, owner: fromHex(proof.owner)! })
    const signer = recoverTypedDataSigner(typed, fromHex(proof.signature)!)
    assert.equal(signer && toHex(signer), proof.signer)
  })
}
