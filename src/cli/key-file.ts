import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { Failure } from './failure.ts'

const Hex = (bytes: number) => Type.String({ pattern: `^0x[0-9a-f]{${2 * bytes}}$` })

const SavedAccount = Type.Object({
  /** 0 until the registration is accepted. */
  fid: Type.Integer({ minimum: 0 }),
  /** The hub for which the account was created: two networks may assign the same fid. */
  hub: Type.String(),
  custodyAddress: Hex(20),
  custodyPrivateKey: Hex(32),
  appPublicKey: Hex(32),
  appPrivateKey: Hex(32),
})
const SavedKey = Type.Object({
  /** 0 until a user has approved the key. */
  fid: Type.Integer({ minimum: 0 }),
  hub: Type.String(),
  appPublicKey: Hex(32),
  appPrivateKey: Hex(32),
})
const KeyFile = Type.Object({
  accounts: Type.Array(SavedAccount),
  keys: Type.Optional(Type.Array(SavedKey)),
})
type KeyFile = { readonly accounts: SavedAccount[]; readonly keys: SavedKey[] }

/** An account with its keys in 0x hex; an Ed25519 private key is its 32-byte seed. */
export type SavedAccount = Static<typeof SavedAccount>
/** A key with which an app may sign for the account of another user. */
export type SavedKey = Static<typeof SavedKey>

/** Accounts and approved keys, oldest first; none when the file does not exist yet. */
export function readKeyFile(file: string): KeyFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { accounts: [], keys: [] }
    throw new Failure(`${file} cannot be read.`)
  }
  try {
    const content: unknown = JSON.parse(text)
    if (Check(KeyFile, content)) return { keys: [], ...content }
  } catch {}
  throw new Failure(`${file} is not a key file of Rookery.`)
}

/** Adds an account, or replaces the one with its custody address. Only the user may read the file. */
export function saveAccount(file: string, account: SavedAccount): void {
  const { accounts, keys } = readKeyFile(file)
  writeKeyFile(file, { accounts: [...withoutAccount(accounts, account), account], keys })
}

export function forgetAccount(file: string, account: SavedAccount): void {
  const { accounts, keys } = readKeyFile(file)
  writeKeyFile(file, { accounts: withoutAccount(accounts, account), keys })
}

/** Adds a key, or replaces the entry with its public key. */
export function saveKey(file: string, key: SavedKey): void {
  const { accounts, keys } = readKeyFile(file)
  writeKeyFile(file, { accounts, keys: [...withoutKey(keys, key), key] })
}

export function forgetKey(file: string, key: SavedKey): void {
  const { accounts, keys } = readKeyFile(file)
  writeKeyFile(file, { accounts, keys: withoutKey(keys, key) })
}

const withoutAccount = (accounts: readonly SavedAccount[], { custodyAddress }: SavedAccount) =>
  accounts.filter((one) => one.custodyAddress !== custodyAddress)

const withoutKey = (keys: readonly SavedKey[], { appPublicKey }: SavedKey) =>
  keys.filter((one) => one.appPublicKey !== appPublicKey)

function writeKeyFile(file: string, content: KeyFile): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const written = `${file}.${process.pid}`
  // The rename is atomic: a crash leaves the old file or the new one.
  writeFileSync(written, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(written, file)
}
