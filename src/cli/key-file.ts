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
const KeyFile = Type.Object({ accounts: Type.Array(SavedAccount) })

/** An account with its keys in 0x hex; an Ed25519 private key is its 32-byte seed. */
export type SavedAccount = Static<typeof SavedAccount>

/** The accounts made here, oldest first; none when there is no file yet. */
export function readKeyFile(file: string): SavedAccount[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new Failure(`${file} cannot be read.`)
  }
  try {
    const content: unknown = JSON.parse(text)
    if (Check(KeyFile, content)) return content.accounts
  } catch {}
  throw new Failure(`${file} is not a key file of rookery.`)
}

/** Adds an account, or replaces what is known of its custody address. Only the user may read the file. */
export function saveAccount(file: string, account: SavedAccount): void {
  const others = readKeyFile(file).filter((one) => one.custodyAddress !== account.custodyAddress)
  writeKeyFile(file, [...others, account])
}

export function forgetAccount(file: string, { custodyAddress }: SavedAccount): void {
  writeKeyFile(
    file,
    readKeyFile(file).filter((one) => one.custodyAddress !== custodyAddress),
  )
}

function writeKeyFile(file: string, accounts: SavedAccount[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const written = `${file}.${process.pid}`
  // A crash leaves the old file or the new one, never half of one.
  writeFileSync(written, `${JSON.stringify({ accounts }, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(written, file)
}
