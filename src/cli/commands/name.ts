import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import type { AnswerOf } from '../../client/client.ts'
import type { RegistryOperations } from '../../client/generated/registry.ts'
import type { ClientConfig } from '../../config.ts'
import { type NameChange, signNameChange } from '../../features/registry/sign.ts'
import { userDataAdd } from '../../kernel/protocol/build.ts'
import { HOUR_SECONDS, SECOND_MS } from '../../kernel/protocol/time.ts'
import { UserDataType } from '../../kernel/protocol/wire/message_pb.js'
import { ACT_AS, personArgument } from '../arguments.ts'
import { getJson, postJson, Refused } from '../client.ts'
import { isConfirmed, isTerminal } from '../confirm.ts'
import { Failure } from '../failure.ts'
import { hint, note, oneLine, print, printJson, printResult, timeText } from '../output.ts'
import { at, serverOption, type Target, withTarget } from './network.ts'
import { findHolder, type Holder } from './signer.ts'
import { submitMessage } from './writing/post.ts'
import { profileOf } from './writing/profile.ts'

const NAME_CHARACTERS = 16

type NameOptions = Target & { registry: string; fid?: number; json?: true }
type Transfer = AnswerOf<RegistryOperations['get'], '/transfers'>['transfers'][number]

/** Adds name check, register, use, transfer, release and history. */
export function addNameCommands(program: Command, config: ClientConfig): void {
  const name = program
    .command('name')
    .description('Names (fnames) of the name registry.')
    .addHelpText('after', '\nExample:\n  rookery name register alice')
  const onRegistry = (command: Command) =>
    withTarget(command, config).addOption(
      serverOption('--registry <url>', 'address of the registry', config.registryUrl),
    )
  const acting = (command: Command) =>
    onRegistry(command)
      .argument('<name>', '1 to 16 characters of a-z, 0-9 and -')
      .option('--fid <fid>', ACT_AS, personArgument)
      .option('--json', 'print the transfer as JSON')

  acting(name.command('register'))
    .summary('register a free name and set it as your username')
    .option('--reserve', 'do not set it as your username')
    .addHelpText('after', '\nExample:\n  rookery name register alice')
    .action((username: string, options: NameOptions & { reserve?: true }) =>
      register(username, { ...options, auth: config.auth }),
    )
    .option('--yes', 'do not ask before the name is registered')
  acting(name.command('use'))
    .summary('set a name that you hold as your username')
    .addHelpText('after', '\nExample:\n  rookery name use alice')
    .action((username: string, options: NameOptions) =>
      use(username, { ...options, auth: config.auth }),
    )
  onRegistry(name.command('check'))
    .summary('print whether a name is free, and from when it is')
    .argument('<name>', '1 to 16 characters of a-z, 0-9 and -')
    .option('--json', 'print the answer of the registry as JSON')
    .addHelpText('after', '\nExample:\n  rookery name check alice')
    .action(check)
  acting(name.command('transfer'))
    .summary('transfer your name to another fid')
    .argument('<to-fid>', 'fid that receives the name', personArgument)
    .addHelpText('after', '\nExample:\n  rookery name transfer alice 7')
    .action(async (username: string, to: number, options: NameOptions) => {
      await change(options, await findHolder(options, options.fid), { name: username, to })
      if (!options.json)
        note(`fid ${to} sets it as its username with: ${hint(`name use ${username} --fid ${to}`)}`)
    })
  acting(name.command('release'))
    .summary('release your name')
    .addHelpText('after', '\nExample:\n  rookery name release alice')
    .action(async (username: string, options: NameOptions) => {
      await change(options, await findHolder(options, options.fid), { name: username, to: 0 })
    })
  onRegistry(name.command('history'))
    .summary('print the transfers of a name or of a fid')
    .argument('[name]', 'name')
    .option('--fid <fid>', 'transfers from or to this fid', personArgument)
    .option('--json', 'print each transfer as JSON')
    .addHelpText('after', '\nExample:\n  rookery name history alice')
    .action(printHistory)
}

type RegisterOptions = NameOptions & { reserve?: true; yes?: true }

async function register(name: string, options: RegisterOptions): Promise<void> {
  const signer = await findHolder(options, options.fid)
  if (!options.yes && !options.json) await confirmRegistration(name, signer.fid, options)
  await change(options, signer, { name, from: 0, to: signer.fid })
  if (!options.reserve) await setUsername(name, signer, options)
}

/** Prints when the name can be changed. On a terminal the user confirms the registration. */
async function confirmRegistration(name: string, fid: number, options: NameOptions): Promise<void> {
  const { changeSeconds, undoSeconds } = await availabilityOf(name, options)
  note(
    `"${name}" will be the name of fid ${fid}. It can be changed after ${daysOf(changeSeconds)} days; ` +
      `a typing error can be undone for ${Math.floor(undoSeconds / HOUR_SECONDS)} hours: ${hint(`name release ${name}`)}`,
  )
  if (!isTerminal()) return
  if (!(await isConfirmed('Register it?'))) throw new Failure('nothing was registered')
}

async function use(name: string, options: NameOptions): Promise<void> {
  const signer = await findHolder(options, options.fid)
  const { fid } = await availabilityOf(name, options)
  if (fid !== signer.fid) {
    const holder = fid === undefined ? 'no account holds it' : `fid ${fid} holds it`
    throw new Failure(`"${name}" is not a name of fid ${signer.fid}: ${holder}`)
  }
  const { username } = await profileOf(options, fid)
  // The hub refuses the same message of the same second.
  if (username !== name) await setUsername(name, signer, options)
  else if (!options.json) print(`${name} is the username of fid ${fid} already`)
  if (options.json) printJson({ fid, username: name })
}

async function setUsername(name: string, signer: Holder, options: NameOptions): Promise<void> {
  const type = UserDataType.USER_DATA_TYPE_USERNAME
  await submitMessage(options, signer, (origin) => userDataAdd(origin, type, name))
  if (!options.json) print(`${name} is the username of fid ${signer.fid}`)
}

type Availability = AnswerOf<RegistryOperations['get'], '/availability'>

async function availabilityOf(name: string, { registry }: NameOptions): Promise<Availability> {
  const found = await getJson(at(registry, `/availability?name=${encodeURIComponent(name)}`))
  if (found) return found
  throw new Failure(`${registry} is not a name registry; set its address with --registry`)
}

async function check(name: string, options: NameOptions): Promise<void> {
  const found = await availabilityOf(name, options)
  printResult(options, found, `${oneLine(name, NAME_CHARACTERS)} ${statusText(found)}`)
}

function statusText({ status, fid, availableAt, changeableAt }: Availability): string {
  if (status === 'locked')
    return `was released; it may be registered from ${timeText(availableAt!)}`
  if (status === 'reserved') return 'is reserved; the operator may assign it'
  if (status === 'free') return 'is free'
  const lock =
    changeableAt === undefined ? '' : `, who keeps it at least until ${timeText(changeableAt)}`
  return `is taken by fid ${fid}${lock}`
}

const daysOf = (seconds: number) => Math.round(seconds / 86_400)

async function change(
  options: NameOptions,
  { fid, custodyPrivateKey }: Holder,
  { name, from = fid, to }: Pick<NameChange, 'name' | 'to'> & { from?: number },
): Promise<void> {
  const account = privateKeyToAccount(custodyPrivateKey)
  const signing = from === 0 ? {} : await safestStruct(options, to === 0 ? 'release' : 'move')
  // The registry refuses timestamps that differ from its clock, and the clock of this machine may be wrong.
  const sign = async () => {
    const timestamp = (await getJson(at(options.registry, '/current-time')))?.currentTime
    return signNameChange(account, { name, from, to, timestamp, ...signing })
  }
  const transfer = await submitChange(options, sign)
  printResult(options, transfer, lineOf(transfer))
}

/** A name may change once a second: after a change in the same second, signs for the next one. */
async function submitChange(options: NameOptions, sign: () => Promise<object>): Promise<Transfer> {
  const submit = async () =>
    (await postJson(at(options.registry, '/transfers'), await sign())).transfer
  try {
    return await submit()
  } catch (error) {
    if (!(error instanceof Refused) || error.field !== 'timestamp') throw error
    await delay(SECOND_MS)
    return submit()
  }
}

/** NameTransfer where the registry accepts it, because it holds for its receiver and at that registry only. */
async function safestStruct(
  { registry }: NameOptions,
  change: 'move' | 'release',
): Promise<Pick<NameChange, 'struct' | 'transferDomain'>> {
  const domains = await getJson(at(registry, '/domains'))
  if (!domains?.accepted?.[change]?.includes('NameTransfer')) return { struct: 'UserNameProof' }
  return { struct: 'NameTransfer', transferDomain: domains.structs.NameTransfer.domain }
}

async function printHistory(name: string | undefined, options: NameOptions): Promise<void> {
  const { fid } = options
  if (name === undefined && fid === undefined) throw new Failure('give a name or --fid')
  const filter = `${name === undefined ? '' : `&name=${encodeURIComponent(name)}`}${fid ? `&fid=${fid}` : ''}`
  for (let from = 0; ; ) {
    const page = await getJson(at(options.registry, `/transfers?from_id=${from}${filter}`))
    const transfers: Transfer[] = page?.transfers ?? []
    for (const transfer of transfers) printResult(options, transfer, lineOf(transfer))
    if (transfers.length === 0) return
    from = transfers.at(-1)!.id
  }
}

function lineOf({ id, timestamp, username, from, to }: Transfer): string {
  const what =
    from === 0
      ? `registered by fid ${to}`
      : to === 0
        ? `released by fid ${from}`
        : `transferred from fid ${from} to fid ${to}`
  return `${id} ${timeText(timestamp)} ${oneLine(username, NAME_CHARACTERS)} ${what}`
}
