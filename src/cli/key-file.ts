import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { Failure } from './failure.ts'

const Hex = (bytes: number) => Type.String({ pattern: `^0x[0-9a-f]{${2 * bytes}}$` })

const SavedAccount = Type.Object({
  /** 0 until the registration was accepted. */
  fid: Type.Integer({ minimum: 0 }),
  /** The hub the account was made for: two networks may give the same fid. */
  hub: Type.String(),
  custodyAddress: Hex(20),
  custodyPrivateKey: Hex(32),
  appPublicKey: Hex(32),
  appPrivateKey: Hex(32),
})
const SavedKey = Type.Object({
  /** 0 until somebody gave it. */
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
/** A key for an account of somebody else, who lets an app of ours sign. */
export type SavedKey = Static<typeof SavedKey>

/** The accounts made here and the keys got here, oldest first; none when there is no file yet. */
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
  throw new Failure(`${file} is not a key file of rookery.`)
}

/** Adds an account, or replaces what is known of its custody address. Only the user may read the file. */
export function saveAccount(file: string, account: SavedAccount): void {
  const { accounts, keys } = readKeyFile(file)
  writeKeyFile(file, { accounts: [...withoutAccount(accounts, account), account], keys })
}

export function forgetAccount(file: string, account: SavedAccount): void {
  const { accounts, keys } = readKeyFile(file)
  writeKeyFile(file, { accounts: withoutAccount(accounts, account), keys })
}

/** Adds a key, or replaces what is known of it. */
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
  // A crash leaves the old file or the new one, never half of one.
  writeFileSync(written, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(written, file)
}
