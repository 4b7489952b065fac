import type { Command } from 'commander'
import { privateKeyToAccount } from 'viem/accounts'
import type { ClientConfig } from '../config.ts'
import type { TypedDataDomain } from '../protocol/account-domains.ts'
import { userDataAdd } from '../protocol/build.ts'
import { UserDataType } from '../protocol/wire/message_pb.js'
import { type NameChange, signNameChange } from '../registry/sign.ts'
import { ACT_AS, personArgument } from './arguments.ts'
import { getJson, postJson } from './client.ts'
import { Failure } from './failure.ts'
import { at, type Target, withTarget } from './network.ts'
import { oneLine, print, printJson } from './output.ts'
import { submitMessage } from './post.ts'
import { findHolder, type Holder } from './signer.ts'

const NAME_CHARACTERS = 16

type NameOptions = Target & { registry: string; fid?: number; json?: true }
/** As the registry returns it. */
type Transfer = { id: number; timestamp: number; username: string; from: number; to: number }

/** Adds name register, transfer, release and history. */
export function addNameCommands(program: Command, config: ClientConfig): void {
  const name = program
    .command('name')
    .description('Names (fnames) of the name registry.')
    .addHelpText('after', '\nExample:\n  rookery name register alice')
  const onRegistry = (command: Command) =>
    withTarget(command, config).option(
      '--registry <url>',
      'address of the registry',
      config.registryUrl,
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
  acting(name.command('transfer'))
    .summary('transfer your name to another fid')
    .argument('<to-fid>', 'fid that receives the name', personArgument)
    .addHelpText('after', '\nExample:\n  rookery name transfer alice 7')
    .action(async (username: string, to: number, options: NameOptions) => {
      await change(options, await findHolder(options, options.fid), { name: username, to })
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

async function register(name: string, options: NameOptions & { reserve?: true }): Promise<void> {
  const signer = await findHolder(options, options.fid)
  await change(options, signer, { name, from: 0, to: signer.fid })
  if (options.reserve) return
  const type = UserDataType.USER_DATA_TYPE_USERNAME
  await submitMessage(options, signer, (origin) => userDataAdd(origin, type, name))
  if (!options.json) print(`${name} is the username of fid ${signer.fid}`)
}

async function change(
  options: NameOptions,
  { fid, custodyPrivateKey }: Holder,
  { name, from = fid, to }: Pick<NameChange, 'name' | 'to'> & { from?: number },
): Promise<void> {
  // The registry refuses timestamps that differ from its clock, and the clock of this machine may be wrong.
  const time = await getJson(at(options.registry, '/current-time'))
  const account = privateKeyToAccount(custodyPrivateKey)
  const isMove = from !== 0 && to !== 0
  const transferDomain = isMove ? await transferDomainOf(options) : undefined
  const body = await signNameChange(account, {
    name,
    from,
    to,
    timestamp: time?.currentTime,
    ...(transferDomain && { transferDomain }),
  })
  const { transfer } = await postJson(at(options.registry, '/transfers'), body)
  if (options.json) printJson(transfer)
  else print(lineOf(transfer))
}

/** What moves are signed for differs from registry to registry. */
async function transferDomainOf({ registry }: NameOptions): Promise<TypedDataDomain> {
  const domain = (await getJson(at(registry, '/domains')))?.structs?.NameTransfer?.domain
  if (domain) return domain
  throw new Failure(`${registry} does not say what a transfer of a name is signed for`)
}

async function printHistory(name: string | undefined, options: NameOptions): Promise<void> {
  const { fid } = options
  if (name === undefined && fid === undefined) throw new Failure('give a name or --fid')
  const filter = `${name === undefined ? '' : `&name=${encodeURIComponent(name)}`}${fid ? `&fid=${fid}` : ''}`
  for (let from = 0; ; ) {
    const page = await getJson(at(options.registry, `/transfers?from_id=${from}${filter}`))
    const transfers: Transfer[] = page?.transfers ?? []
    for (const transfer of transfers) {
      if (options.json) printJson(transfer)
      else print(lineOf(transfer))
    }
    if (transfers.length === 0) return
    from = transfers.at(-1)!.id
  }
}

function lineOf({ id, timestamp, username, from, to }: Transfer): string {
  const when = new Date(timestamp * 1000).toISOString().replace('.000', '')
  const what =
    from === 0
      ? `registered by fid ${to}`
      : to === 0
        ? `released by fid ${from}`
        : `transferred from fid ${from} to fid ${to}`
  return `${id} ${when} ${oneLine(username, NAME_CHARACTERS)} ${what}`
}
