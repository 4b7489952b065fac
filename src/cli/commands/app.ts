import { type Command, InvalidArgumentError } from 'commander'
import type { ClientConfig } from '../../config.ts'
import { note, oneLine, print, printJson } from '../output.ts'
import { asOperator, type OperatorOptions, operatorCaller } from './operator.ts'

const NAME_CHARACTERS = 64

type Options = OperatorOptions & { json?: true }
/** As the operations interface gives it. */
type App = { uuid: string; name: string; fid: number; keys: Key[] }
type Key = { id: string; createdAt: number; revokedAt?: number }
type NewApp = { name: string; fid: number; reads?: number; writes?: number; searches?: number }

/** Adds app create, list, key and revoke: who may use the app API. */
export function addAppCommands(program: Command, config: ClientConfig): void {
  const ask = operatorCaller(config)
  const app = program
    .command('app')
    .description('Apps that use the app API, and their keys (operator). Sends ROOKERY_OPS_TOKEN.')
    .addHelpText('after', '\nExample:\n  rookery app create --name "My client" --fid 1')
  const operator = (command: Command) =>
    asOperator(command, config).option('--json', 'print the answer of the server as JSON')

  operator(app.command('create'))
    .summary('create an app and print its key')
    .requiredOption('--name <text>', 'name of the app')
    .requiredOption('--fid <fid>', 'account that the app acts for', numberArgument)
    .option('--reads <n>', 'reads a minute, in place of the limit of the server', numberArgument)
    .option('--writes <n>', 'writes a minute', numberArgument)
    .option('--searches <n>', 'searches a minute', numberArgument)
    .addHelpText('after', '\nExample:\n  rookery app create --name "My client" --fid 1')
    .action(async (options: Options & NewApp) => {
      const { name, fid, reads: readLimit, writes: writeLimit, searches: searchLimit } = options
      const body = { name, fid, readLimit, writeLimit, searchLimit }
      const created = await ask(options, { method: 'POST', path: '/app/apps', body })
      if (options.json) return printJson(created)
      print(created.key)
      note(`The key of the app ${created.uuid}. It is shown once: send it as x-api-key.`)
    })
  operator(app.command('list'))
    .summary('print the apps with the ids of their keys')
    .addHelpText('after', '\nExample:\n  rookery app list')
    .action(async (options: Options) => {
      const { apps } = await ask(options, { path: '/app/apps' })
      for (const one of apps) {
        if (options.json) printJson(one)
        else print(linesOf(one))
      }
    })
  operator(app.command('key'))
    .summary('create another key of an app and print it')
    .argument('<uuid>', 'the app, as the list prints it')
    .addHelpText('after', '\nExample:\n  rookery app key 6d1b3a52-9d2c-4c5e-8f43-0b7f3f1f6a11')
    .action(async (uuid: string, options: Options) => {
      const path = `/app/apps/${encodeURIComponent(uuid)}/keys`
      const created = await ask(options, { method: 'POST', path })
      if (options.json) return printJson(created)
      print(created.key)
      note('It is shown once: send it as x-api-key. The other keys of the app stay in force.')
    })
  operator(app.command('revoke'))
    .summary('revoke a key')
    .argument('<id>', 'id of the key, as the list prints it')
    .addHelpText('after', `\nExample:\n  rookery app revoke 0x${'0'.repeat(60)}1234`)
    .action(async (id: string, options: Options) => {
      const path = `/app/keys/${encodeURIComponent(id)}`
      const answer = await ask(options, { method: 'DELETE', path })
      if (options.json) printJson(answer)
      else print(`${id} is revoked`)
    })
}

function linesOf({ uuid, name, fid, keys }: App): string {
  const lines = keys.map(({ id, createdAt, revokedAt }) => {
    const state = revokedAt === undefined ? '' : `, revoked ${timeOf(revokedAt)}`
    return `  key ${id} created ${timeOf(createdAt)}${state}`
  })
  return [`${uuid} fid ${fid} ${oneLine(name, NAME_CHARACTERS)}`, ...lines].join('\n')
}

const timeOf = (seconds: number): string =>
  `${new Date(seconds * 1_000).toISOString().slice(0, 16)}Z`

function numberArgument(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)) return value
  throw new InvalidArgumentError('It is a whole number, 1 or more.')
}
