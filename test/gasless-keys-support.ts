// What tests of gasless keys share: accounts with wallets, keys, and messages that the published library signs.

import * as core from '@farcaster/core'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex, toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../src/kernel/protocol/crypto/ed25519.ts'
import { DAY_SECONDS, MINUTE_MS, networkTime } from '../src/kernel/protocol/time.ts'
import { bytes } from './hub-support.ts'
import { accountEvents, DEVNET, type TestAccount, testAccount, type World } from './world.ts'

const { CAST_ADD, CAST_REMOVE } = core.MessageType

/** A start of the world after now, because the published library compares deadlines with its own clock. */
export const KEYS_START_MS = Date.UTC(2035, 0, 1)

/** An account whose custody address has a key that tests sign with. */
export type Owner = TestAccount & {
  readonly account: PrivateKeyAccount
  readonly wallet: core.ViemLocalEip712Signer
}

export const custodyKey = (fid: number) => toHex(bytes(32, 100 + (fid % 100))) as `0x${string}`

/** What the builders need of a world. */
type Clocked = { readonly clock: Pick<World['clock'], 'now'> }

export async function owner(world: World, fid: number): Promise<Owner> {
  const made = ownerOf(fid)
  const seconds = Math.floor(world.clock.now() / 1_000)
  await world.app.ledger!.importEvents(accountEvents(made, seconds, 10))
  return made
}

/** An account that is not registered yet. */
export function ownerOf(fid: number): Owner {
  const wallet = privateKeyToAccount(custodyKey(fid))
  const custody = fromHex(wallet.address)!
  const signer = new core.ViemLocalEip712Signer(wallet)
  return { ...testAccount(fid), custody, account: wallet, wallet: signer }
}

/** A key of a seed that says what it is for. */
export const keyOf = (number: number): TestAccount & { signer: core.NobleEd25519Signer } => {
  const seed = new Uint8Array(32)
  new DataView(seed.buffer).setUint32(0, number)
  const signer = new core.NobleEd25519Signer(seed)
  return { fid: 0, seed, key: publicKeyOf(seed), custody: new Uint8Array(20), signer }
}
export type Key = ReturnType<typeof keyOf>

const ok = <T>(result: core.HubResult<T>): T => result._unsafeUnwrap()
const optionsOf = (world: Clocked, fid: number, timestamp = networkTime(world.clock.now())) => ({
  fid,
  network: DEVNET as core.FarcasterNetwork,
  timestamp,
})
const encoded = (message: core.Message) => core.Message.encode(message).finish()

export type Terms = Partial<core.KeyAddBodyOptions> & {
  /** Whose wallet signs for the user, and for the app. */
  readonly by?: Owner
  readonly app?: Owner
  readonly timestamp?: number
  /** Changes the body after it was signed. */
  readonly edit?: (body: core.KeyAddBody) => core.KeyAddBody
}

export async function keyAdd(
  world: Clocked,
  user: Owner,
  key: Key,
  terms: Terms = {},
): Promise<Uint8Array> {
  const { by = user, app = by, timestamp, edit = (body) => body, ...options } = terms
  const now = networkTime(world.clock.now())
  const body = ok(
    await core.makeKeyAddBody(
      {
        fid: BigInt(user.fid),
        key: key.key,
        scopes: [CAST_ADD, CAST_REMOVE],
        ttl: DAY_SECONDS,
        nonce: 1,
        deadline: now + 3_600,
        requestFid: BigInt(app.fid),
        ...options,
      },
      by.wallet,
      app.wallet,
    ),
  )
  const { fid, network } = optionsOf(world, user.fid)
  const data = { type: core.MessageType.KEY_ADD, fid, network, timestamp: timestamp ?? now }
  return envelope({ ...data, keyAddBody: edit(body) }, key)
}

export async function keyRemove(
  world: Clocked,
  user: Owner,
  key: Key,
  terms: { nonce?: number; by?: Owner | 'self'; signer?: Key } = {},
): Promise<Uint8Array> {
  const { nonce = 2, by = user, signer = key } = terms
  const deadline = networkTime(world.clock.now()) + 3_600
  const options = { fid: BigInt(user.fid), key: key.key, nonce, deadline }
  const body =
    by === 'self'
      ? ok(core.makeKeyRemoveBodySelfRevoke(options))
      : ok(await core.makeKeyRemoveBody(options, by.wallet))
  const data = { type: core.MessageType.KEY_REMOVE, ...optionsOf(world, user.fid) }
  return envelope({ ...data, keyRemoveBody: body }, signer)
}

/** A message that the published builders would refuse to make. */
async function envelope(data: object, { signer, key }: Key): Promise<Uint8Array> {
  const messageData = core.MessageData.fromPartial(data)
  const dataBytes = core.MessageData.encode(messageData).finish()
  const hash = ok(await core.makeMessageHash(messageData))
  const message = core.Message.fromPartial({
    dataBytes,
    hash,
    hashScheme: core.HashScheme.BLAKE3,
    signature: ok(await signer.signMessageHash(hash)),
    signatureScheme: core.SignatureScheme.ED25519,
    signer: key,
  })
  return encoded(message)
}

export const cast = (world: World, fid: number, key: Key, text = 'by a gasless key') =>
  world.sign({ ...key, fid }, castAdd(world.origin({ ...key, fid }), { text }))

/** Past the one minute between two additions of a fid. */
export const nextMinute = (world: World) => world.clock.advance(MINUTE_MS + 1)
