import { pbkdf2Sync } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { HDKey, privateKeyToAccount } from 'viem/accounts'
import { concatBytes, toHex, toUtf8 } from '../kernel/protocol/codec/bytes.ts'
import { publicKeyOf } from '../kernel/protocol/crypto/ed25519.ts'

/** The phrase that development chains fund; every Ethereum tool knows its accounts. */
export const TEST_PHRASE = 'test test test test test test test test test test test junk'

/** The accounts a fresh development network has; their fids are 1 to 10. */
export const FIRST_NAMES = [
  'rook',
  'raven',
  'heron',
  'puffin',
  'magpie',
  'gannet',
  'egret',
  'penguin',
  'jackdaw',
  'albatross',
] as const

/** The keys of a development account; the same for an index in every development network. */
export type DevAccount = {
  /** Of one of the first accounts. */
  readonly name: string | undefined
  readonly custody: ReturnType<typeof privateKeyToAccount>
  readonly custodyPrivateKey: Uint8Array
  /** 32 bytes: the private half of the Ed25519 key that signs messages. */
  readonly appSeed: Uint8Array
  readonly appKey: Uint8Array
}

const made = new Map<number, DevAccount>()
let branch: HDKey | undefined

/** The account at m/44'/60'/0'/0/<index> of the test phrase. */
export function devAccount(index: number): DevAccount {
  let account = made.get(index)
  if (account === undefined) {
    account = deriveAccount(index)
    made.set(index, account)
  }
  return account
}

function deriveAccount(index: number): DevAccount {
  branch ??= HDKey.fromMasterSeed(phraseSeed(TEST_PHRASE)).derive("m/44'/60'/0'/0")
  const custodyPrivateKey = branch.deriveChild(index).privateKey!
  const appSeed = keccak_256(concatBytes(custodyPrivateKey, toUtf8('rookery app key')))
  return {
    name: FIRST_NAMES[index],
    custody: privateKeyToAccount(toHex(custodyPrivateKey) as `0x${string}`),
    custodyPrivateKey,
    appSeed,
    appKey: publicKeyOf(appSeed),
  }
}

/** Later accounts are named after their fid, which differs from their index when users have registered, too. */
export const nameOf = ({ fid, account }: { fid: number; account: DevAccount }): string =>
  account.name ?? `bird-${fid}`

/** BIP-39: a phrase's seed, without a password. */
const phraseSeed = (phrase: string): Uint8Array =>
  pbkdf2Sync(phrase, 'mnemonic', 2048, 64, 'sha512')
