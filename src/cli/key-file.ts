import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from './failure.ts'

/** An account with its keys in 0x hex; an Ed25519 private key is its 32-byte seed. */
export type SavedAccount = {
  /** 0 until the registration is accepted. */
  fid: number
  /** The hub for which the account was created: two networks may assign the same fid. */
  hub: string
  /** The id of the data that the hub served then; entries of earlier versions have none. */
  store?: string | undefined
  custodyAddress: string
  custodyPrivateKey: string
  appPublicKey: string
  appPrivateKey: string
}
/** A key with which an app may sign for the account of another user; `fid` is 0 until one has approved it. */
export type SavedKey = Pick<
  SavedAccount,
  'fid' | 'hub' | 'store' | 'appPublicKey' | 'appPrivateKey'
>
export type Acting = Pick<SavedAccount, 'fid' | 'store'>

type KeyFile = {
  readonly accounts: readonly SavedAccount[]
  readonly keys: readonly SavedKey[]
  /** By hub: the fid that acts unless a command names another one. */
  readonly acting: Readonly<Record<string, Acting | number>>
}

const EMPTY: KeyFile = { accounts: [], keys: [], acting: {} }

// Checked by hand, because every command loads this file and a schema library takes half of its start.

const isHex = (bytes: number) => (value: unknown) =>
  typeof value === 'string' && new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`).test(value)

const isFid = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isStore = (value: unknown) => value === undefined || typeof value === 'string'
const isActing = (value: unknown) =>
  isFid(value) || (isFid((value as Acting | null)?.fid) && isStore((value as Acting).store))

const KEY_FIELDS: Readonly<Record<keyof SavedKey, (value: unknown) => boolean>> = {
  fid: isFid,
  hub: (value) => typeof value === 'string',
  store: isStore,
  appPublicKey: isHex(32),
  appPrivateKey: isHex(32),
}
const ACCOUNT_FIELDS: Readonly<Record<keyof SavedAccount, (value: unknown) => boolean>> = {
  ...KEY_FIELDS,
  custodyAddress: isHex(20),
  custodyPrivateKey: isHex(32),
}

const isListOf = (fields: typeof KEY_FIELDS, value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((item) => Object.entries(fields).every(([name, holds]) => holds(item?.[name])))

function isKeyFile(content: Partial<KeyFile> | null): content is Partial<KeyFile> {
  return (
    isListOf(ACCOUNT_FIELDS, content?.accounts) &&
    isListOf(KEY_FIELDS, content?.keys ?? []) &&
    Object.values(content?.acting ?? {}).every(isActing)
  )
}

/** Accounts and approved keys, oldest first; none when the file does not exist yet. */
export function readKeyFile(file: string): KeyFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY
    throw new Failure(`${file} cannot be read.`)
  }
  try {
    const content = JSON.parse(text)
    if (isKeyFile(content)) return { ...EMPTY, ...content }
  } catch {}
  throw new Failure(`${file} is not a key file of Rookery.`)
}

/** Adds an account, or replaces the one with its custody address. Only the user may read the file. */
export function saveAccount(file: string, account: SavedAccount): void {
  const { accounts, ...others } = readKeyFile(file)
  writeKeyFile(file, { ...others, accounts: [...withoutAccount(accounts, account), account] })
}

export function forgetAccount(file: string, account: SavedAccount): void {
  const { accounts, ...others } = readKeyFile(file)
  writeKeyFile(file, { ...others, accounts: withoutAccount(accounts, account) })
}

/** Adds a key, or replaces the entry with its public key. */
export function saveKey(file: string, key: SavedKey): void {
  const { keys, ...others } = readKeyFile(file)
  writeKeyFile(file, { ...others, keys: [...withoutKey(keys, key), key] })
}

export function forgetKey(file: string, key: SavedKey): void {
  const { keys, ...others } = readKeyFile(file)
  writeKeyFile(file, { ...others, keys: withoutKey(keys, key) })
}

/** Stores the id of the data that an entry belongs to. */
export function saveStore(file: string, { appPublicKey }: SavedKey, store: string): void {
  const { accounts, keys, ...others } = readKeyFile(file)
  const noted = <E extends SavedKey>(one: E): E =>
    one.appPublicKey === appPublicKey ? { ...one, store } : one
  writeKeyFile(file, { ...others, accounts: accounts.map(noted), keys: keys.map(noted) })
}

/** Sets which account acts on a hub unless a command names another one. */
export function saveActing(file: string, hub: string, chosen: Acting): void {
  const { acting, ...others } = readKeyFile(file)
  writeKeyFile(file, { ...others, acting: { ...acting, [hub]: chosen } })
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
