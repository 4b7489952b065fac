import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { CLIENT_SETTINGS, type ClientConfig, readClientConfig } from '../../config.ts'
import type { Replayed } from '../../dev/recording/replay.ts'
import type { Kind } from '../../dev/recording/session.ts'
import { writeForkFile } from '../../features/fork/fork-file.ts'
import { durationArgument } from '../arguments.ts'
import { ask, getJson, postJson, Refused } from '../client.ts'
import { Failure } from '../failure.ts'
import { print, printResult, timeText } from '../output.ts'
import { portArgument, portsBeside } from '../ports.ts'
import { at, serverOption } from './network.ts'

/** What a session may hold. */
const KINDS_SENT: Record<Kind, true> = { webhook: true, 'mini-app event': true, 'sign-in': true }

type Env = Readonly<Record<string, string | undefined>>
type Options = { readonly operations?: string; readonly port?: number; readonly json?: true }

type ReplayOptions = Options & { readonly to: string; readonly only?: Kind }
type FaultOptions = Options & { readonly off?: true }

/** What the commands know of the network that they change. */
type Network = {
  get(path: string): Promise<Json>
  post(path: string, body?: object): Promise<Json>
  put(path: string, body: object): Promise<Json>
}
// biome-ignore lint/suspicious/noExplicitAny: JSON of a server, looked into field by field
type Json = any

const KINDS = ['small', 'busy', 'adversarial']

/** Adds `dev`: what changes a development network that runs. */
export function addDevCommands(program: Command, env: Env): void {
  const config = readClientConfig(env)
  const dev = program
    .command('dev')
    .description('Changes a development network that runs: rookery start.')
    .addHelpText('after', '\nExample:\n  rookery dev clock +28d')
  const add = (name: string, summary: string, example = name): Command =>
    dev
      .command(name)
      .summary(summary)
      .option('--port <port>', 'the network whose front door has this port', portArgument)
      .addOption(
        serverOption('--operations <url>', 'address of the operations interface', config.opsUrl),
      )
      .addHelpText('after', `\nExample:\n  rookery dev ${example}`)

  add('reset', 'delete everything and begin again with the first accounts').action(
    async (options: Options) => {
      const answer = await networkOf(options, env).post('/reset')
      const count = answer.accounts.length
      printResult(options, answer, `The network begins again with ${count} accounts.`)
    },
  )
  add('clock', 'show the time of the network, or move it forward', 'clock +28d')
    .argument('[forward]', 'how far: +90s, +5m, +3h, +28d, +2w', durationArgument)
    .action(async (advanceSeconds: number | undefined, options: Options) => {
      const network = networkOf(options, env)
      const time =
        advanceSeconds === undefined
          ? await network.get('/clock')
          : await network.post('/clock', { advanceSeconds })
      printResult(options, time, clockLine(time))
    })
  add('accounts', 'show the accounts with their keys, or make more', 'accounts --add 3')
    .option('--add <count>', 'make so many more', countArgument)
    .action(async ({ add: count = 0, ...options }: Options & { add?: number }) => {
      const network = networkOf(options, env)
      for (let i = 0; i < count; i++) await network.post('/accounts')
      const { accounts } = await network.get('/accounts')
      for (const one of accounts) printResult(options, one, accountLine(one))
    })
  add('act-as', 'show a key to act as an account of a forked network', 'act-as @alice')
    .description(
      'Prints a key for an account of the network that is forked (rookery start --fork). It is valid in this fork alone.',
    )
    .argument('<account>', 'a fid or a name, such as @alice')
    .action(async (account: string, options: Options) => {
      const answer = await networkOf(options, env, 'forked').post('/act-as', { account })
      printResult(options, answer, `${answer.fid}  ${answer.name}  app key ${answer.appPrivateKey}`)
    })
  add(
    'record-fork',
    'write what a forked network keeps of its source to a file',
    'record-fork people.fork',
  )
    .description(
      'Writes the accounts that this fork (rookery start --fork) has read to a file, without what was written here. A network\n' +
        'that is started with --fork and this file has them without any other network.',
    )
    .argument('<file>', 'a file to write, or to replace')
    .action(async (file: string, options: Options) => {
      const network = networkOf(options, env, 'forked')
      const written = await writeForkFile(file, (fid) => network.get(`/fork?after=${fid}`))
      const { accounts, items } = written
      printResult(options, written, `Recorded ${items} items of ${accounts} accounts in ${file}.`)
    })
  add('record', 'write what apps were told to a file, to send it again', 'record session.ndjson')
    .description(
      'Writes the webhooks, mini-app events and sign-ins that this network has given to apps since its start or the last reset,\n' +
        'the newest 1,000, without keys, tokens and signatures.',
    )
    .argument('<file>', 'a file to write, or to replace')
    .action(async (file: string, options: Options) => {
      const { writeSession } = await import('../../dev/recording/session.ts')
      const { entries } = await networkOf(options, env).get('/recording')
      await writeSession(file, entries)
      printResult(options, { entries: entries.length }, `Recorded ${entries.length} in ${file}.`)
    })
  add(
    'replay',
    'send what was recorded to an app again',
    'replay session.ndjson --to http://localhost:3001',
  )
    .description(
      'Sends what rookery dev record has written to an app in development, in its order, with times and signatures made anew.\n' +
        'What cannot be sent is told, and the rest is sent. Ends with 1 unless the app has taken all. Webhooks have the secret of the webhook with this address, or that of WEBHOOK_SECRET.',
    )
    .argument('<file>', 'a file of rookery dev record')
    .requiredOption('--to <url>', 'the app; without a path each goes to the path that it had')
    .addOption(
      dev.createOption('--only <kind>', 'leave the others out').choices(Object.keys(KINDS_SENT)),
    )
    .action(async (file: string, { to, only, ...options }: ReplayOptions) => {
      const found = variablesOf(options, env)
      const urls = {
        platform: found[CLIENT_SETTINGS.platformUrl[0]]!,
        app: found[CLIENT_SETTINGS.appUrl[0]]!,
        operations: operationsOf(options, env),
      }
      const target = { to, only, secret: env.WEBHOOK_SECRET }
      // A production server loads no file of the development network.
      const [{ isTaken, replay }, { readSession }] = await Promise.all([
        import('../../dev/recording/replay.ts'),
        import('../../dev/recording/session.ts'),
      ])
      const outcomes = await replay(await readSession(file), target, urls, (one) =>
        printResult(options, one, replayedLine(one)),
      )
      const unsent = outcomes.filter(({ failure }) => failure !== undefined).length
      const taken = outcomes.filter(isTaken).length
      const refused = outcomes.length - taken - unsent
      const sum = `Of ${outcomes.length} the app has taken ${taken} and refused ${refused}; ${unsent} could not be sent.`
      if (taken < outcomes.length) throw new Failure(sum)
      if (!options.json) print(sum)
    })
  add('snapshot', 'keep the network as it is now, or list what was kept', 'snapshot before-launch')
    .argument('[name]', 'a name for it')
    .option('--delete', 'delete the snapshot of this name')
    .action(async (name: string | undefined, options: Options & { delete?: true }) => {
      const network = networkOf(options, env)
      if (name === undefined) {
        if (options.delete) throw new Failure('name the snapshot to delete')
        const { snapshots } = await network.get('/snapshots')
        for (const one of snapshots) printResult(options, one, one.name)
        return
      }
      if (options.delete) {
        const url = at(operationsOf(options, env), '/dev/snapshots')
        const answer = await ask({ url }, { method: 'delete', path: '', input: { name } })
        return printResult(options, answer, `The snapshot ${name} is deleted.`)
      }
      const answer = await network.post('/snapshots', { name })
      printResult(options, answer, `Kept. To go back: rookery dev revert ${name}`)
    })
  add('revert', 'put the network back to a snapshot, its clock too', 'revert before-launch')
    .argument('<name>', 'the name of the snapshot')
    .action(async (name: string, options: Options) => {
      const answer = await networkOf(options, env).post('/revert', { name })
      printResult(options, answer, `The network is as ${name} kept it.`)
    })
  add('seed', 'add people and what they wrote', 'seed busy')
    .addArgument(dev.createArgument('<kind>', 'how many and of what kind').choices(KINDS))
    .action(async (kind: string, options: Options) => {
      const answer = await networkOf(options, env).post('/seed', { kind })
      printResult(options, answer, `Added ${answer.people} people and ${answer.messages} messages.`)
    })
  add(
    'faults',
    'break requests on purpose, show what is broken, or end it',
    "faults '/hub/*' status=429",
  )
    .description(
      'Breaks the requests of a path as the front door has it, or of a gRPC method (/HubService/GetCast), and of no other. The\n' +
        'faults: status=429, retryAfterSeconds=3, delayMs=2000, dropStreamAfter=5, duplicateEvents, reorder, times=2.\n' +
        'The path chain with delayMs lets account calls wait for their confirmation.',
    )
    .argument('[path]', 'what is broken; * at the end stands for any rest')
    .argument('[faults...]', 'what is wrong with it')
    .option('--off', 'end all faults')
    .action(async (path: string | undefined, effects: string[], options: FaultOptions) => {
      const network = networkOf(options, env)
      const wanted = path === undefined ? [] : [{ path, ...effectsOf(effects) }]
      const isChange = path !== undefined || options.off
      const answer = await (isChange
        ? network.put('/faults', { faults: wanted })
        : network.get('/faults'))
      printResult(options, answer, faultLines(answer.faults))
    })
  add('env', 'print the addresses of the network as variables for a shell', 'env --port 3290')
    .description(
      'Prints the variables with which other commands find the network: eval "$(rookery dev env --port 3290)".',
    )
    .action((options: Options) => {
      const found = variablesOf(options, env)
      if (options.json) return printResult(options, found, '')
      for (const [name, value] of Object.entries(found)) print(`export ${name}='${value}'`)
    })
}

const KINDS_OF_NETWORK = { development: 'rookery start', forked: 'rookery start --fork' } as const

/** Where the commands find the interfaces of a network, by variable. */
function variablesOf({ port }: Options, env: Env): Record<string, string> {
  const config = readClientConfig(port === undefined ? env : portsBeside(port))
  return Object.fromEntries(
    (Object.keys(CLIENT_SETTINGS) as (keyof ClientConfig & keyof typeof CLIENT_SETTINGS)[])
      .filter((key) => key.endsWith('Url'))
      .map((key) => [CLIENT_SETTINGS[key][0], config[key]]),
  )
}

const operationsOf = ({ port, operations }: Options, env: Env): string =>
  port === undefined ? operations! : variablesOf({ port }, env)[CLIENT_SETTINGS.opsUrl[0]]!

/** `kind`: of the network that the command needs, and how one is started. */
function networkOf(
  options: Options,
  env: Env,
  kind: keyof typeof KINDS_OF_NETWORK = 'development',
): Network {
  const server = operationsOf(options, env)
  const url = (path: string) => at(server, `/dev${path}`)
  const known = async (answer: Promise<Json>): Promise<Json> => {
    const found = await answer.catch((error: unknown) => {
      if (error instanceof Refused && error.status === 404 && /no route/.test(error.message)) {
        return undefined
      }
      throw error
    })
    if (found !== undefined) return found
    throw new Failure(`${server} is no ${kind} network: start one with ${KINDS_OF_NETWORK[kind]}`)
  }
  return {
    get: (path) => known(getJson(url(path))),
    post: (path, body) => known(body ? postJson(url(path), body) : postNothing(url(path))),
    put: (path, body) =>
      known(ask({ url: url(path) }, { method: 'put', path: '', input: { ...body } })),
  }
}

const postNothing = (url: string) => ask({ url }, { method: 'post', path: '', input: undefined })

const MAX_ADDED = 1_000

function countArgument(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= MAX_ADDED) return count
  throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_ADDED}.`)
}

/** Parses `status=429 duplicateEvents`; the server checks names and values. */
function effectsOf(words: readonly string[]): Record<string, number | boolean> {
  const pairs = words.map((word) => {
    const [, name, number] = /^(\w+)(?:=(\d+))?$/.exec(word) ?? []
    if (name === undefined) {
      throw new Failure(
        `"${word}" is no fault: write a name, such as duplicateEvents, or status=429`,
      )
    }
    return [name, number === undefined ? true : Number(number)] as const
  })
  return Object.fromEntries(pairs)
}

const faultLines = (faults: readonly Record<string, unknown>[]): string =>
  faults.length === 0 ? 'Nothing is broken on purpose.' : faults.map(faultLine).join('\n')

const faultLine = ({ path, ...effects }: Record<string, unknown>): string =>
  [path, ...Object.entries(effects).map(([name, value]) => `${name}=${value}`)].join(' ')

function clockLine({ unixSeconds, aheadSeconds }: Json): string {
  const ahead = aheadSeconds === 0 ? '' : `, ${aheadSeconds} seconds ahead of this machine`
  return `${timeText(unixSeconds)}${ahead}`
}

const replayedLine = ({ status, kind, url, failure }: Replayed): string =>
  failure === undefined ? `${status}  ${kind}  ${url}` : `not sent  ${kind}  ${failure}`

const accountLine = ({ fid, name, custodyAddress, appPrivateKey }: Json): string =>
  `${fid}  ${name}  ${custodyAddress}  app key ${appPrivateKey}`
