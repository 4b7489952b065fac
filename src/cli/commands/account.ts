import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import {
  callJson,
  signAdd,
  signedKeyRequestMetadata,
  signRegister,
} from '../../accounts/signatures/sign.ts'
import type { ClientConfig } from '../../config.ts'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { publicKeyOf, SEED_BYTES } from '../../protocol/crypto/ed25519.ts'
import { addressArgument, personArgument } from '../arguments.ts'
import { getJson, postJson, Refused } from '../client.ts'
import { Failure } from '../failure.ts'
import {
  forgetAccount,
  readKeyFile,
  type SavedAccount,
  saveAccount,
  saveActing,
} from '../key-file.ts'
import { knownKeysOf } from '../known-keys.ts'
import { hint, note, oneLine, print, printJson, printResult } from '../output.ts'
import { accountDomainsOf, at, networkNow, type Target, withTarget } from './network.ts'
import { profileOf } from './profile.ts'
import { devAccounts, findHolder, findSigner } from './signer.ts'

const DEADLINE_SECONDS = 3_600
const POLL_MS = 100
/** Wait this much longer than the confirmation time that the ledger named. */
const CONFIRMATION_SLACK_MS = 30_000

/** As long as a username without a suffix may be; longer ones are shortened. */
const NAME_COLUMN = 16

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
  withTarget(account.command('list'), config)
    .summary('list the accounts whose keys are here; an asterisk marks the one that acts')
    .addHelpText('after', '\nExample:\n  rookery account list')
    .action(list)
  withTarget(account.command('use'), config)
    .summary('choose the account that acts unless a command has --fid')
    .argument('<account>', 'fid or name', personArgument)
    .addHelpText('after', '\nExample:\n  rookery account use 12')
    .action(use)
  withTarget(account.command('export'), config)
    .summary('print the private keys of an account, for another machine')
    .argument('[account]', 'fid or name (default: the one that acts)', personArgument)
    .option('--yes', 'print the keys on a terminal too')
    .addHelpText('after', '\nExample:\n  rookery account export 12 > account-12.json')
    .action(exportKeys)
  withTarget(program.command('whoami'), config)
    .summary('print the account that acts unless a command has --fid')
    .addHelpText('after', '\nExample:\n  rookery whoami')
    .action(whoami)
}

type AccountOptions = Target & { readonly json?: true }

async function list(options: AccountOptions): Promise<void> {
  const { hub, keys } = options
  const { accounts, acting, outdated } = await knownKeysOf(options)
  const dev = await devAccounts(options)
  const first = outdated.length === 0 ? dev[0]?.fid : undefined
  const known = [
    ...readKeyFile(keys)
      .accounts.filter((one) => one.fid > 0)
      .map((one) => ({ ...one, isOfNow: accounts.some(isSame(one)) })),
    ...dev.map((one) => ({ ...one, hub, isOfNow: true })),
  ]
  for (const account of known) {
    const { fid, custodyAddress, isOfNow } = account
    const acts = isOfNow && fid === (acting ?? first)
    const name = 'name' in account ? account.name : isOfNow ? await usernameOf(options, fid) : ''
    const isBefore = account.hub === hub && !isOfNow
    const text =
      `${acts ? '*' : ' '} ${String(fid).padEnd(8)} ${(name || '-').padEnd(NAME_COLUMN)} ${custodyAddress}  ${account.hub}` +
      (isBefore ? '  (not of the network that it serves now)' : '')
    const shown = { fid, ...(name && { name }), hub: account.hub, custodyAddress, acts }
    printResult(options, { ...shown, ...(isBefore && { isOutdated: true }) }, text)
  }
  if (known.length === 0) note(`No keys are in ${keys}. Try: ${hint('account create')}`)
}

const isSame =
  ({ custodyAddress }: { custodyAddress: string }) =>
  (other: { custodyAddress: string }) =>
    other.custodyAddress === custodyAddress

/** As the profile says, for one line of a terminal; empty without one or without an answer. */
const usernameOf = (options: Target, fid: number): Promise<string> =>
  profileOf(options, fid).then(
    ({ username }) => oneLine(username ?? '', NAME_COLUMN),
    () => '',
  )

async function use(fid: number, options: AccountOptions): Promise<void> {
  // Fails unless a key of the account is known.
  await findSigner(options, fid)
  const { store } = await knownKeysOf(options)
  saveActing(options.keys, options.hub, { fid, store })
  printResult(options, { fid, hub: options.hub }, `fid ${fid} acts on ${options.hub} from now on`)
}

async function exportKeys(given: number | undefined, options: AccountOptions & { yes?: true }) {
  if (process.stdout.isTTY && !options.yes) {
    throw new Failure('the private keys would be shown here: redirect them to a file, or add --yes')
  }
  const { fid, custodyPrivateKey, seed } = await findHolder(options, given)
  printJson({ fid, hub: options.hub, custodyPrivateKey, appPrivateKey: toHex(seed) })
}

async function whoami(options: AccountOptions): Promise<void> {
  const { fid, seed } = await findSigner(options, undefined)
  const { username } = await profileOf(options, fid)
  const held = await findHeldName(options, fid)
  const key = toHex(publicKeyOf(seed))
  const result = { fid, username, heldName: held, appPublicKey: key, hub: options.hub }
  const name = username === undefined ? 'no username' : username
  printResult(options, result, `fid ${fid} (${name}) on ${options.hub}`)
  if (held !== undefined && held !== username && !options.json) {
    note(`It holds the name ${held}, which is not its username: ${hint(`name use ${held}`)}`)
  }
}

/** The registry name of a fid, as the hub knows it. */
async function findHeldName({ hub }: AccountOptions, fid: number): Promise<string | undefined> {
  const { proofs = [] } = (await getJson(at(hub, `/v1/userNameProofsByFid?fid=${fid}`))) ?? {}
  return proofs.find((proof: { type: string }) => proof.type === 'USERNAME_TYPE_FNAME')?.name
}

async function create(options: CreateOptions): Promise<void> {
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
