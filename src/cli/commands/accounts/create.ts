import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import {
  callJson,
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
} from '../../../kernel/accounts/signatures/sign.ts'
import { fromHex, toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, SEED_BYTES } from '../../../kernel/protocol/crypto/ed25519.ts'
import { getJson, postJson, Refused } from '../../client.ts'
import { Failure } from '../../failure.ts'
import { forgetAccount, type SavedAccount, saveAccount, saveActing } from '../../key-file.ts'
import { knownKeysOf } from '../../known-keys.ts'
import { hint, note, print, printJson } from '../../output.ts'
import { accountDomainsOf, at, networkNow, type Target } from '../network.ts'
import { devAccounts } from '../signer.ts'

const DEADLINE_SECONDS = 3_600
const POLL_MS = 100
/** Wait this much longer than the confirmation time that the ledger named. */
const CONFIRMATION_SLACK_MS = 30_000

export type CreateOptions = Target & { recovery?: Uint8Array; invite?: string; json?: true }

/** Makes keys, registers a fid with them and saves them. */
export async function create(options: CreateOptions): Promise<void> {
  const { acting, outdated, store } = await knownKeysOf(options)
  const replaced =
    acting === undefined && outdated.length === 0 ? (await devAccounts(options))[0]?.fid : undefined
  const account = await register(options, newAccount(options.hub, store))
  await addKeyByCall(options, custodyOf(account), account)
  const { fid, custodyAddress, appPublicKey } = account
  // The choice is stored, so that a later account does not change it.
  saveActing(options.keys, options.hub, { fid: acting ?? fid, store })
  if (options.json) return printJson({ fid, custodyAddress, appPublicKey })
  print(`fid ${fid} is yours; its custody address is ${custodyAddress}`)
  note(`Its keys are in ${options.keys}. Keep that file safe: lost keys cannot be restored.`)
  if (acting !== undefined) {
    note(
      `fid ${acting} still acts unless a command has --fid. To change: ${hint(`account use ${fid}`)}`,
    )
  } else {
    const before = replaced === undefined ? '' : `, in place of fid ${replaced}`
    note(`fid ${fid} acts from now on unless a command has --fid${before}.`)
  }
}

function newAccount(hub: string, store: string | undefined): SavedAccount {
  const custodyPrivateKey = generatePrivateKey()
  const seed = new Uint8Array(randomBytes(SEED_BYTES))
  return {
    fid: 0,
    hub,
    store,
    custodyAddress: privateKeyToAccount(custodyPrivateKey).address.toLowerCase(),
    custodyPrivateKey,
    appPublicKey: toHex(publicKeyOf(seed)),
    appPrivateKey: toHex(seed),
  }
}

const custodyOf = (account: SavedAccount) =>
  privateKeyToAccount(account.custodyPrivateKey as `0x${string}`)

/** Saves the keys before the call is sent: a crash must not lose the keys of a registered fid. */
async function register(options: CreateOptions, account: SavedAccount): Promise<SavedAccount> {
  const deadline = await deadlineOf(options)
  const domains = await accountDomainsOf(options)
  const { recovery } = options
  const terms = { deadline, domains, ...(recovery && { recovery }) }
  const call = { ...(await signRegister(custodyOf(account), terms)), invite: options.invite }
  saveAccount(options.keys, account)
  let result: { fid: number; confirmsAt: number; confirmed: boolean }
  try {
    result = await postJson(at(options.accounts, '/v1/registerFor'), callJson(call))
  } catch (error) {
    // Without an answer the fid may be registered: only a refusal makes the keys worthless.
    if (error instanceof Refused) forgetAccount(options.keys, account)
    throw error
  }
  const registered = { ...account, fid: result.fid }
  saveAccount(options.keys, registered)
  await confirmed(options, result, `/v1/account?fid=${result.fid}`, () => true)
  return registered
}

/** Adds a key by a call of the accounts interface; the account itself is the app that requests it. */
export async function addKeyByCall(
  options: Target,
  custody: PrivateKeyAccount,
  { fid, appPublicKey }: Pick<SavedAccount, 'fid' | 'appPublicKey'>,
): Promise<void> {
  const deadline = await deadlineOf(options)
  const key = fromHex(appPublicKey)!
  const domains = await accountDomainsOf(options)
  const request = { requestFid: fid, key, deadline, domains }
  const metadata = await signedKeyRequestMetadata(custody, request)
  const nonce = await nonceOf(options, custody.address, 'keyGateway')
  const call = await signAdd(custody, { key, metadata, deadline, nonce, domains })
  const result = await postJson(at(options.accounts, '/v1/addFor'), callJson(call))
  await confirmed(options, result, `/v1/keys?fid=${fid}`, ({ keys }) =>
    keys.some((one: { key: string }) => one.key === appPublicKey),
  )
}

/** Each contract counts the calls of a custody address. */
export async function nonceOf(
  { accounts }: Target,
  address: string,
  contract: 'keyGateway' | 'keyRegistry',
): Promise<number> {
  const path = `/v1/nonce?address=${address}&contract=${contract}`
  return Number((await getJson(at(accounts, path)))?.nonce ?? 0)
}

export async function deadlineOf(options: Target): Promise<bigint> {
  return BigInt(Math.floor((await networkNow(options)) / 1000) + DEADLINE_SECONDS)
}

/** Waits until the accounts interface shows the effect of a call. */
export async function confirmed(
  options: Target,
  result: { confirmed: boolean; confirmsAt: number },
  path: string,
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the accounts interface
  isThere: (body: any) => boolean,
): Promise<void> {
  if (result.confirmed) return
  const until = performance.now() + waitMs(result, await networkNow(options))
  while (performance.now() < until) {
    const body = await getJson(at(options.accounts, path))
    if (body !== undefined && isThere(body)) return
    await delay(POLL_MS)
  }
  throw new Failure(`${options.accounts} accepted the call but does not confirm it`)
}

const waitMs = ({ confirmsAt }: { confirmsAt: number }, now: number) =>
  Math.max(0, confirmsAt - now) + CONFIRMATION_SLACK_MS
