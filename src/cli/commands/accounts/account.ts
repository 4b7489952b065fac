import type { Command } from 'commander'
import type { ClientConfig } from '../../../config.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { addressArgument, personArgument } from '../../arguments.ts'
import { getJson } from '../../client.ts'
import { Failure } from '../../failure.ts'
import { readKeyFile, saveActing } from '../../key-file.ts'
import { knownKeysOf } from '../../known-keys.ts'
import { hint, note, oneLine, printJson, printResult } from '../../output.ts'
import { at, type Target, withTarget } from '../network.ts'
import { devAccounts, findHolder, findSigner } from '../signer.ts'
import type { CreateOptions } from './create.ts'
import { usernameOf } from './username.ts'

/** As long as a username without a suffix may be; longer ones are shortened. */
const NAME_COLUMN = 16

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
    .action(async (options: CreateOptions) => (await import('./create.ts')).create(options))
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
    const name = 'name' in account ? account.name : isOfNow ? await shownName(options, fid) : ''
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

/** For one line of a terminal; empty without one or without an answer. */
const shownName = (options: Target, fid: number): Promise<string> =>
  usernameOf(options, fid).then(
    (username) => oneLine(username ?? '', NAME_COLUMN),
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
  const username = await usernameOf(options, fid)
  const held = await findHeldName(options, fid)
  const { publicKeyOf } = await import('../../../kernel/protocol/crypto/ed25519.ts')
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
