import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import type { AnswerOf } from '../../client/client.ts'
import type { AccountsOperations } from '../../client/generated/accounts.ts'
import { type KeyScope, SCOPES } from '../../client/scopes.ts'
import type { ClientConfig } from '../../config.ts'
import { callJson, signRemove } from '../../kernel/accounts/signatures/sign.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, SEED_BYTES } from '../../kernel/protocol/crypto/ed25519.ts'
import { MAX_KEY_TTL_SECONDS } from '../../kernel/protocol/kinds/gasless-key.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import { ACT_AS, personArgument, publicKeyArgument, wholeNumber } from '../arguments.ts'
import { getJson, postJson, Refused } from '../client.ts'
import { Failure } from '../failure.ts'
import { addGaslessKey, gaslessKeysOf, hasGaslessKey, removeGaslessKey } from '../gasless-keys.ts'
import { forgetKey, readKeyFile, saveKey } from '../key-file.ts'
import { knownKeysOf } from '../known-keys.ts'
import { hint, note, printResult } from '../output.ts'
import { addKeyByCall, confirmed, deadlineOf, nonceOf } from './accounts/create.ts'
import { accountDomainsOf, at, networkNow, type Target, withTarget } from './network.ts'
import { findHolder, findSigner } from './signer.ts'

const ALL_SCOPES = Object.keys(SCOPES) as KeyScope[]
const SCOPES_HELP = `what it may sign, comma separated, of: ${ALL_SCOPES.join(', ')}`
const MAX_DAYS = MAX_KEY_TTL_SECONDS / DAY_SECONDS

type KeyOptions = Target & { readonly fid?: number; readonly json?: true }
type ActiveKey = AnswerOf<AccountsOperations['get'], '/v1/keys'>['keys'][number]

/** Adds key list, add and remove. */
export function addKeyCommands(program: Command, config: ClientConfig): void {
  const key = program
    .command('key')
    .description('Keys that may sign for an account: yours and those of apps.')
    .addHelpText('after', '\nExample:\n  rookery key list')
  withTarget(key.command('list'), config)
    .summary('list the keys of an account, and the keys here that wait for approval')
    .option('--fid <fid>', 'another account, a fid or a name', personArgument)
    .addHelpText('after', '\nExample:\n  rookery key list --fid bob')
    .action(list)
  withTarget(key.command('add'), config)
    .summary('make one more key that signs for your account, for a program or another machine')
    .description(
      'The private key is saved in a key file of its own, which commands take as --keys.',
    )
    .argument('<file>', 'key file that it is added to')
    .option(
      '--gasless',
      'by a message, without a transaction; only such a key has the limits below',
    )
    .option('--scopes <types>', SCOPES_HELP, scopesArgument)
    .option('--days <number>', 'days without use after which it ends', wholeNumber(1, MAX_DAYS))
    .option('--fid <fid>', ACT_AS, personArgument)
    .addHelpText(
      'after',
      '\nExample:\n  rookery key add bot.json --gasless --scopes castAdd,castRemove',
    )
    .action(add)
  withTarget(key.command('remove'), config)
    .summary('remove a key of your account, or forget one that was never approved')
    .description(
      'Messages that were signed with it stay, unless the operator has decided otherwise.',
    )
    .argument('<public-key>', '0x and 64 hex digits', publicKeyArgument)
    .option('--fid <fid>', ACT_AS, personArgument)
    .option('--yes', 'confirm: a removed key cannot be added again, unless a message added it')
    .addHelpText('after', '\nExample:\n  rookery key remove 0x5f0c... --yes')
    .action(remove)
}

async function list(options: KeyOptions): Promise<void> {
  const fid = options.fid ?? (await findSigner(options, undefined)).fid
  const file = readKeyFile(options.keys)
  const here = new Set([...file.accounts, ...file.keys].map((one) => one.appPublicKey))
  for (let token = ''; ; ) {
    const page = await getJson(at(options.accounts, `/v1/keys?fid=${fid}&pageToken=${token}`))
    for (const { key, requestFid } of (page?.keys ?? []) as ActiveKey[]) {
      const app = requestFid === null ? 'unknown app' : `app fid ${requestFid}`
      const text = `${key}  active   ${app}${here.has(key) ? ', private key here' : ''}`
      printResult(options, { key, state: 'active', requestFid, isHere: here.has(key) }, text)
    }
    token = encodeURIComponent(page?.nextPageToken ?? '')
    if (token === '') break
  }
  const now = (await networkNow(options)) / 1_000
  for (const { key, requestFid, expiresAt } of await gaslessKeysOf(options, fid)) {
    const state = expiresAt! < now ? 'expired' : 'active'
    const date = new Date(expiresAt! * 1_000).toISOString().slice(0, 10)
    const isHere = here.has(key)
    const end = state === 'active' ? `expires on ${date} unless it is used` : `since ${date}`
    const text = `${key}  ${state.padEnd(7)}  app fid ${requestFid}, gasless, ${end}${isHere ? ', private key here' : ''}`
    printResult(options, { key, state, requestFid, expiresAt, isHere }, text)
  }
  const waiting = file.keys.filter((one) => one.hub === options.hub && one.fid === 0)
  for (const { appPublicKey: key } of waiting) {
    printResult(options, { key, state: 'waiting', isHere: true }, `${key}  waiting for approval`)
  }
  if (waiting.length > 0 && !options.json) {
    note(
      `A key that waits for a request that has ended is useless: ${hint('key remove <public-key>')}`,
    )
  }
}

type Limits = { gasless?: true; scopes?: readonly KeyScope[]; days?: number }

async function add(file: string, options: KeyOptions & Limits): Promise<void> {
  const { gasless, scopes = ALL_SCOPES, days = MAX_DAYS } = options
  if (!gasless && (options.scopes || options.days)) {
    throw new Failure('only a gasless key has scopes and an end: add --gasless')
  }
  // Commands would sign with it in place of the key of the account.
  if (resolve(file) === resolve(options.keys)) throw new Failure(`choose another file than ${file}`)
  const { store } = await knownKeysOf(options)
  const holder = await findHolder(options, options.fid)
  const seed = new Uint8Array(randomBytes(SEED_BYTES))
  const { fid, custodyPrivateKey } = holder
  const [appPublicKey, appPrivateKey] = [toHex(publicKeyOf(seed)), toHex(seed)]
  const saved = { fid, hub: options.hub, store, appPublicKey, appPrivateKey }
  // Before it is sent: a crash must not lose a key that may sign.
  saveKey(file, saved)
  try {
    if (gasless) await addGaslessKey(options, holder, seed, { scopes, ttl: days * DAY_SECONDS })
    else await addKeyByCall(options, privateKeyToAccount(custodyPrivateKey), saved)
  } catch (error) {
    if (error instanceof Refused) forgetKey(file, saved)
    throw error
  }
  const limits = gasless && { scopes, days }
  const text = `${appPublicKey} signs for fid ${fid}; its private key is in ${file}`
  printResult(options, { fid, key: appPublicKey, ...limits }, text)
}

function scopesArgument(text: string): KeyScope[] {
  const names = text.split(',').map((name) => name.trim())
  const isScope = (name: string): name is KeyScope => Object.hasOwn(SCOPES, name)
  if (names.every(isScope)) return names
  throw new InvalidArgumentError(SCOPES_HELP)
}

async function remove(key: string, options: KeyOptions & { yes?: true }): Promise<void> {
  const waiting = readKeyFile(options.keys).keys.find((one) => one.appPublicKey === key)
  if (waiting?.fid === 0) {
    forgetKey(options.keys, waiting)
    return printResult(options, { key, removed: true }, `${key} is removed from ${options.keys}`)
  }
  const holder = await findHolder(options, options.fid)
  const { fid, custodyPrivateKey } = holder
  if (await hasGaslessKey(options, fid, key)) await removeGaslessKey(options, holder, key)
  else await removeByCall(key, fid, custodyPrivateKey, options)
  if (waiting) forgetKey(options.keys, waiting)
  printResult(options, { fid, key, removed: true }, `${key} may no longer sign for fid ${fid}`)
}

async function removeByCall(
  key: string,
  fid: number,
  custodyPrivateKey: `0x${string}`,
  options: KeyOptions & { yes?: true },
): Promise<void> {
  if (!options.yes) {
    throw new Failure('a removed key cannot be added again; add --yes to confirm')
  }
  const custody = privateKeyToAccount(custodyPrivateKey)
  const call = await signRemove(custody, {
    key: fromHex(key)!,
    deadline: await deadlineOf(options),
    domains: await accountDomainsOf(options),
    nonce: await nonceOf(options, custody.address, 'keyRegistry'),
  })
  const result = await postJson(at(options.accounts, '/v1/removeFor'), callJson(call))
  await confirmed(options, result, `/v1/keys?fid=${fid}`, ({ keys }) =>
    (keys as ActiveKey[]).every((one) => one.key !== key),
  )
}
