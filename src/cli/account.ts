import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { callJson, signAdd, signedKeyRequestMetadata, signRegister } from '../accounts/sign.ts'
import type { ClientConfig } from '../config.ts'
import { fromHex, toHex } from '../protocol/bytes.ts'
import { publicKeyOf, SEED_BYTES } from '../protocol/ed25519.ts'
import { addressArgument } from './arguments.ts'
import { getJson, postJson, Refused } from './client.ts'
import { Failure } from './failure.ts'
import { forgetAccount, type SavedAccount, saveAccount } from './key-file.ts'
import { accountDomainsOf, at, networkNow, type Target, withTarget } from './network.ts'
import { note, print, printJson } from './output.ts'

const DEADLINE_SECONDS = 3_600
const POLL_MS = 100
/** Wait this much longer than the confirmation time that the ledger named. */
const CONFIRMATION_SLACK_MS = 30_000

type CreateOptions = Target & { recovery?: Uint8Array; invite?: string; json?: true }

export function addAccountCommands(program: Command, config: ClientConfig): void {
  const account = program.command('account').description('Accounts: fids and their keys.')
  withTarget(account.command('create'), config)
    .summary('create an account: a fid (account number) with a key that signs messages')
    .description('Creates keys, registers a fid with them and saves the keys to the key file.')
    .option(
      '--recovery <address>',
      'recovery address: may move the fid when the custody key is lost',
      addressArgument,
    )
    .option('--invite <code>', 'code of the operator, where registering needs one')
    .option('--json', 'print the fid and the public keys as JSON')
    .addHelpText('after', '\nExample:\n  rookery account create && rookery cast "I am new here"')
    .action(create)
}

async function create(options: CreateOptions): Promise<void> {
  const account = await register(options, newAccount(options.hub))
  await addKey(options, account)
  const { fid, custodyAddress, appPublicKey } = account
  if (options.json) return printJson({ fid, custodyAddress, appPublicKey })
  print(`fid ${fid} is yours; its custody address is ${custodyAddress}`)
  note(`Its keys are in ${options.keys}. Keep that file safe: lost keys cannot be restored.`)
}

function newAccount(hub: string): SavedAccount {
  const custodyPrivateKey = generatePrivateKey()
  const seed = new Uint8Array(randomBytes(SEED_BYTES))
  return {
    fid: 0,
    hub,
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

/** Adds the app key; the account itself is the app that requests it. */
async function addKey(options: CreateOptions, account: SavedAccount): Promise<void> {
  const deadline = await deadlineOf(options)
  const custody = custodyOf(account)
  const key = fromHex(account.appPublicKey)!
  const domains = await accountDomainsOf(options)
  const request = { requestFid: account.fid, key, deadline, domains }
  const metadata = await signedKeyRequestMetadata(custody, request)
  const call = await signAdd(custody, { key, metadata, deadline, domains })
  const result = await postJson(at(options.accounts, '/v1/addFor'), callJson(call))
  await confirmed(options, result, `/v1/keys?fid=${account.fid}`, ({ keys }) => keys.length > 0)
}

async function deadlineOf(options: CreateOptions): Promise<bigint> {
  return BigInt(Math.floor((await networkNow(options)) / 1000) + DEADLINE_SECONDS)
}

/** Waits until the accounts interface shows the effect of a call. */
async function confirmed(
  options: CreateOptions,
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
